import GRDB

extension Schema {
    /// Accounts, rights to order, orders, and the certificates of identities.
    static func acme1(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE acme_account (
                    id TEXT PRIMARY KEY, thumbprint TEXT NOT NULL UNIQUE, key BLOB NOT NULL, contacts TEXT NOT NULL,
                    status TEXT NOT NULL, created INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE acme_grant (
                    digest BLOB PRIMARY KEY, secret TEXT NOT NULL, device TEXT NOT NULL, common_name TEXT NOT NULL,
                    attest INTEGER NOT NULL, valid_seconds INTEGER NOT NULL, state TEXT NOT NULL, account TEXT,
                    created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX acme_grant_by_secret ON acme_grant(secret, device);
                CREATE INDEX acme_grant_by_account ON acme_grant(account) WHERE account IS NOT NULL;
                CREATE TABLE acme_order (
                    id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES acme_account(id),
                    grant_digest BLOB NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, common_name TEXT NOT NULL,
                    attest INTEGER NOT NULL, valid_seconds INTEGER NOT NULL, token TEXT NOT NULL,
                    expires INTEGER NOT NULL, status TEXT NOT NULL, attested_key BLOB, answered INTEGER,
                    problem_code TEXT, problem_detail TEXT, certificate TEXT
                ) STRICT;
                CREATE INDEX acme_order_by_account ON acme_order(account, expires);
                CREATE INDEX acme_order_by_grant ON acme_order(grant_digest);
                CREATE INDEX acme_order_by_expiry ON acme_order(expires);
                CREATE TABLE identity_certificate (
                    fingerprint BLOB PRIMARY KEY, serial TEXT NOT NULL UNIQUE, der BLOB NOT NULL,
                    account TEXT NOT NULL, issued INTEGER NOT NULL, not_after INTEGER NOT NULL,
                    revoked INTEGER, reason INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE INDEX identity_certificate_by_account ON identity_certificate(account);
                CREATE INDEX identity_certificate_by_end ON identity_certificate(not_after);
                CREATE INDEX identity_certificate_revoked ON identity_certificate(revoked) WHERE revoked IS NOT NULL;
                """)
    }
}
