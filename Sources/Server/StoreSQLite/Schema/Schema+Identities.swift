import GRDB

extension Schema {
    /// Rights to identities that say which version they are for and what will be certified, and chips of devices.
    ///
    /// Nothing was handed out by the tables before: they go with what they hold.
    static func identities1(_ db: Database) throws {
        try db.execute(
            sql: """
                DROP TABLE acme_order;
                DROP TABLE acme_grant;
                DROP TABLE identity_certificate;
                CREATE TABLE acme_grant (
                    digest BLOB PRIMARY KEY, secret TEXT NOT NULL, version INTEGER NOT NULL, device TEXT NOT NULL,
                    attest INTEGER NOT NULL, profile BLOB NOT NULL, state TEXT NOT NULL, account TEXT,
                    created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX acme_grant_by_device ON acme_grant(device, secret);
                CREATE INDEX acme_grant_by_account ON acme_grant(account) WHERE account IS NOT NULL;
                CREATE TABLE acme_order (
                    id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES acme_account(id),
                    grant_digest BLOB NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, attest INTEGER NOT NULL,
                    profile BLOB NOT NULL, token TEXT NOT NULL, expires INTEGER NOT NULL, status TEXT NOT NULL,
                    attested_key BLOB, answered INTEGER, problem_code TEXT, problem_detail TEXT, certificate TEXT
                ) STRICT;
                CREATE INDEX acme_order_by_account ON acme_order(account, expires);
                CREATE INDEX acme_order_by_grant ON acme_order(grant_digest);
                CREATE INDEX acme_order_by_expiry ON acme_order(expires);
                CREATE TABLE scep_challenge (
                    digest BLOB PRIMARY KEY, secret TEXT NOT NULL, version INTEGER NOT NULL, device TEXT NOT NULL,
                    profile BLOB NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, transaction_id TEXT,
                    key_digest BLOB, certificate TEXT
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX scep_challenge_by_device ON scep_challenge(device, secret);
                CREATE INDEX scep_challenge_by_expiry ON scep_challenge(expires);
                CREATE TABLE identity_certificate (
                    fingerprint BLOB PRIMARY KEY, serial TEXT NOT NULL UNIQUE, der BLOB NOT NULL, secret TEXT NOT NULL,
                    version INTEGER NOT NULL, device TEXT NOT NULL, places TEXT NOT NULL, account TEXT,
                    issued INTEGER NOT NULL, not_after INTEGER NOT NULL, revoked INTEGER,
                    reason INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE INDEX identity_certificate_by_account ON identity_certificate(account)
                    WHERE account IS NOT NULL;
                CREATE INDEX identity_certificate_by_device ON identity_certificate(device, not_after);
                CREATE INDEX identity_certificate_by_end ON identity_certificate(not_after);
                CREATE INDEX identity_certificate_revoked ON identity_certificate(revoked) WHERE revoked IS NOT NULL;
                CREATE TABLE chip (
                    enrollment TEXT PRIMARY KEY REFERENCES enrollment(key) ON DELETE CASCADE,
                    key_digest BLOB NOT NULL UNIQUE, vouched INTEGER NOT NULL, since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE pending_attestation (
                    enrollment TEXT PRIMARY KEY REFERENCES enrollment(key) ON DELETE CASCADE,
                    key_digest BLOB NOT NULL, vouched INTEGER NOT NULL, attestation_key BLOB NOT NULL,
                    secret_digest BLOB NOT NULL, expires INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
