import GRDB

extension Schema {
    /// Webhooks, their places in the audit log, the secrets that sign events, and the deliveries.
    static func webhooks(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE webhook (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, url TEXT NOT NULL,
                    events TEXT NOT NULL, author TEXT NOT NULL, created INTEGER NOT NULL, cursor INTEGER NOT NULL,
                    failures INTEGER NOT NULL DEFAULT 0, failing_since INTEGER, next INTEGER, last_delivered INTEGER,
                    problem TEXT, disabled INTEGER, disabled_reason TEXT
                ) STRICT;
                CREATE TABLE webhook_secret (
                    webhook INTEGER NOT NULL REFERENCES webhook(number) ON DELETE CASCADE, number INTEGER NOT NULL,
                    created INTEGER NOT NULL, ends INTEGER, master_key TEXT NOT NULL, wrapped_key BLOB NOT NULL,
                    sealed BLOB NOT NULL, PRIMARY KEY (webhook, number)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE webhook_delivery (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    webhook INTEGER NOT NULL REFERENCES webhook(number) ON DELETE CASCADE, kind TEXT NOT NULL,
                    sequence INTEGER, state TEXT NOT NULL, attempts INTEGER NOT NULL, created INTEGER NOT NULL,
                    attempted INTEGER, problem TEXT
                ) STRICT;
                CREATE INDEX webhook_delivery_by_webhook ON webhook_delivery(webhook, number);
                CREATE INDEX webhook_delivery_by_time ON webhook_delivery(created);
                CREATE INDEX webhook_delivery_ordered ON webhook_delivery(webhook, number)
                    WHERE state = 'waiting' AND kind <> 'event';
                CREATE UNIQUE INDEX webhook_delivery_of_entry ON webhook_delivery(webhook, sequence)
                    WHERE kind = 'event';
                """)
    }
}

extension Schema {
    /// The place in the feedback of apps of each webhook that asks for it; a trigger counts feedback that is deleted
    /// before it is delivered.
    static func feedbackOfWebhooks(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE webhook ADD COLUMN feedback_cursor INTEGER;
                ALTER TABLE webhook ADD COLUMN feedback_skipped INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE webhook_delivery ADD COLUMN feedback INTEGER;
                CREATE UNIQUE INDEX webhook_delivery_of_feedback ON webhook_delivery(feedback, webhook)
                    WHERE feedback IS NOT NULL;
                CREATE TRIGGER feedback_deleted AFTER DELETE ON app_feedback BEGIN
                    UPDATE webhook SET feedback_skipped = feedback_skipped + 1 WHERE feedback_cursor < old.number;
                    UPDATE webhook_delivery
                    SET state = 'failed', problem = 'the feedback was deleted before it was delivered'
                    WHERE feedback = old.number AND state = 'waiting';
                END;
                """)
    }
}

extension Schema {
    /// What each webhook asked for before its events were changed, and the newest entry of that time.
    static func earlierEventsOfWebhooks(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE webhook_earlier_events (
                    webhook INTEGER NOT NULL REFERENCES webhook(number) ON DELETE CASCADE, through INTEGER NOT NULL,
                    events TEXT NOT NULL, PRIMARY KEY (webhook, through)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
