import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import StoreSQLite
import Testing

/// The migrations of the administrator's side: what stood in a file of the version before means the same afterwards, and
/// what is new begins beside it.
struct AdministratorSchemaTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// An administrator with a token and a session, a group, and a log of three entries.
    private static let administration = """
        INSERT INTO administrator (name, password_hash, must_change, created, role, apps, groups)
            VALUES ('anna', 'h', 0, 1, 'auditor', '[]', '[]');
        INSERT INTO session VALUES (X'05', 'anna', 1, 4000000000);
        INSERT INTO api_token (id, digest, administrator, name, role, apps, groups, read_only, administers, created,
            expires) VALUES ('t', X'06', 'anna', 'ci', 'reader', '[]', '[]', 1, 0, 1, 4000000000);
        INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
        """
    private static let answered = """
        INSERT INTO request VALUES (X'01', 'anna', X'03', 1800000000, X'02', 1, 'k', X'04');
        INSERT INTO request VALUES (X'11', 'anna', X'13', 1800000000, X'02', 1, NULL, NULL);
        """
    private static let webhook = """
        INSERT INTO webhook (name, url, events, author, created, cursor, failures, failing_since, next, problem)
            VALUES ('w', 'https://a.example/', '["group.*"]', 'anna', 1, 3, 2, 5, 9, 'status 500');
        INSERT INTO webhook_secret VALUES (1, 1, 1, 9, 'k', X'07', X'08'), (1, 2, 2, NULL, 'k', X'09', X'0A');
        INSERT INTO webhook_delivery (webhook, kind, sequence, state, attempts, created)
            VALUES (1, 'event', 2, 'delivered', 1, 4), (1, 'redelivery', 1, 'waiting', 0, 5);
        """

    /// A file whose newest migration is this one, opened by this version.
    private func open(_ migration: String, _ statements: String...) async throws -> SQLiteStore {
        try SQLiteStore.makeFile(path: path, lastMigration: migration)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            for statement in statements { try db.execute(sql: statement) }
            var last: (sequence: Int, hash: Data)?
            for subject in ["one", "two", "three"] {
                let entry = AuditEntry(
                    after: last, time: now, actor: "administrator:anna", action: .createGroup, subject: subject,
                    details: "{}")
                try db.execute(
                    sql: "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        entry.sequence, Int(now.timeIntervalSince1970), entry.actor, entry.action, entry.subject,
                        entry.details, entry.hash,
                    ])
                last = (entry.sequence, entry.hash)
            }
        }
        try queue.close()
        return try SQLiteStore(path: path)
    }

    private func expectAdministration(_ store: SQLiteStore) async throws {
        #expect(try await store.session(tokenDigest: Data([5]), now: now)?.rights == Rights(role: .auditor))
        let found = try #require(await store.token(digest: Data([6]), now: now))
        #expect(found.token.author == "anna/ci" && found.token.scope.isReadOnly && found.owner.name == "anna")
        // What is changed goes on in the same log.
        _ = try #require(await store.addGroup(named: "later", rule: nil, author: "anna", now: now).value)
        let entries = try await store.auditEntries(after: 0, limit: 10)
        #expect(entries.map(\.subject) == ["one", "two", "three", "later"])
        var chain = AuditChain()
        for entry in entries { chain.follow(entry) }
        #expect(chain.fault == nil)
    }

    private func begin(_ digest: UInt8, _ fingerprint: UInt8, _ store: SQLiteStore) async throws -> RequestStanding {
        try await store.beginRequest(
            BegunRequest(
                mark: RequestMark(digest: Data([digest]), life: Data([9])), principal: "anna",
                fingerprint: Data([fingerprint]), now: now))
    }

    /// Requests that were answered, and one whose server ended before it was.
    private func expectAnswered(_ store: SQLiteStore) async throws {
        #expect(
            try await begin(1, 3, store) == .answered(SealedAnswer(masterKeyID: "k", sealed: Data([4]))))
        #expect(try await begin(0x11, 0x13, store) == .unanswered)
        #expect(try await begin(1, 4, store) == .another)
    }

    private func expectWebhook(_ store: SQLiteStore) async throws {
        let webhook = try #require(await store.webhook(named: "w"))
        #expect(webhook.number == 1 && webhook.cursor == 3 && webhook.course.failures == 2)
        #expect(webhook.standing == .failing && webhook.settings.url == "https://a.example/")
        // What was ordered is sent first, signed with both secrets while both count.
        let work = try #require(await store.nextWebhookWork(for: 1, now: Date(timeIntervalSince1970: 8)))
        #expect(work.secrets.map(\.version) == [2, 1])
        guard case .ordered(_, let entry?) = work.event else { throw TestFault() }
        #expect(entry.sequence == 1)
        let deliveries = try #require(await store.webhookDeliveries(of: "w", PageRequest()).value)
        #expect(deliveries.items.map(\.state) == [.waiting, .delivered])
    }

    /// A store from before `requests`: it has no request keys, and a request with a key is carried out once.
    @Test func requestsWithKeysComeToAdministratorsAndTheirTokens() async throws {
        let store = try await open("external-identities", Self.administration)
        try await expectAdministration(store)
        #expect(try await begin(1, 3, store) == .begun)
        try await RequestMark.$current.withValue(RequestMark(digest: Data([1]), life: Data([9]))) {
            _ = try await store.addGroup(named: "made", rule: nil, author: "anna", now: now)
        }
        #expect(try await begin(1, 3, store) == .underWay)
        try store.close()
    }

    /// A store from before `webhooks`: kept answers are repeated, and a new webhook gets no earlier entries.
    @Test func webhooksComeToALogThatTheyAreNotToldOf() async throws {
        let store = try await open("requests", Self.administration, Self.answered)
        try await expectAnswered(store)
        #expect(try await store.webhooks().isEmpty)
        let draft = WebhookDraft(name: "w", author: "anna", now: now) { _, _ in
            SealedSecret(masterKeyID: "k", wrappedKey: Data([1]), sealed: Data([2]))
        }
        let settings = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["group.*"]))
        let made = try #require(await store.addWebhook(draft, settings, limit: 1).value)
        #expect(made.waiting == 0)
        #expect(try await store.dueWebhooks(now: now) == DueWebhooks(numbers: [], next: nil, present: [made.number]))
        _ = try #require(await store.addGroup(named: "told", rule: nil, author: "anna", now: now).value)
        guard case .entry(let entry)? = try await store.nextWebhookWork(for: made.number, now: now)?.event else {
            throw TestFault()
        }
        #expect(entry.subject == "told")
        try store.close()
    }

    /// A store from before `feedback-of-webhooks`: no webhook gets feedback, and one that asks for it gets none from
    /// before.
    @Test func feedbackComesToWebhooksThatDidNotAskForIt() async throws {
        let feedback = """
            INSERT INTO app (bundle_identifier, name, team_identifier, revision) VALUES ('a.b', 'A', NULL, 0);
            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
            INSERT INTO app_feedback (enrollment, app, life, configuration, began, ended, received, refused, document)
                VALUES ('d', 'a.b', 'l', '', 1, 1, 1, 0, X'00');
            """
        let store = try await open("device-attributes", Self.webhook, feedback)
        try await expectWebhook(store)
        #expect(try await store.webhook(named: "w")?.feedback == nil)
        let settings = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["app.feedback"]))
        let asked = try #require(
            await store.setWebhook(named: "w", to: settings, isEnabled: true, author: "anna", now: now).value)
        #expect(asked.feedback == WebhookFeedbackPlace(cursor: 1, skipped: 0) && asked.waiting == 0)
        try store.close()
    }

    /// Before `earlier-events-of-webhooks`: what waited waits still, and a change of the events adds nothing from before it.
    @Test func webhooksOfBeforeKeepWhatWaits() async throws {
        let store = try await open(
            "rejected-apps", Self.administration, Self.webhook, "UPDATE webhook SET cursor = 1")
        #expect(try await store.webhook(named: "w")?.waiting == 2)
        let narrow = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["secret.*"]))
        let wide = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["group.*", "secret.*"]))
        func waiting(_ settings: WebhookSettings) async throws -> Int {
            try #require(
                await store.setWebhook(named: "w", to: settings, isEnabled: true, author: "anna", now: now).value
            ).waiting
        }
        #expect(try await waiting(wide) == 2)
        #expect(try await waiting(narrow) == 0)
        #expect(try await waiting(wide) == 0)
        try store.close()
    }

    /// Before `feedback-versions`: what came before has the version that its digest is known to be; all else has none.
    ///
    /// Red where the migration fills nothing in: a version's devices would be known only after ninety days.
    @Test func feedbackFromBeforeHasItsVersion() async throws {
        let store = try await open(
            "feedback-metrics",
            """
            INSERT INTO app (bundle_identifier, name, team_identifier, revision) VALUES ('a.b', 'A', NULL, 0);
            INSERT INTO file (sha256, bytes) VALUES ('s1', X'00'), ('s2', X'01');
            INSERT INTO configuration (app, name, current) VALUES ('a.b', 'main', 3);
            INSERT INTO configuration_version (app, name, version, encoding, size, sha256, author, created)
                VALUES ('a.b', 'main', 1, 'xml', 1, 's1', 'anna', 1), ('a.b', 'main', 2, 'xml', 1, 's2', 'anna', 2),
                    ('a.b', 'main', 3, 'xml', 1, 's1', 'anna', 3);
            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
            INSERT INTO configuration_on_device VALUES ('d', 'a.b', '', 'f1', 'main', 2);
            INSERT INTO app_feedback (enrollment, app, life, configuration, began, ended, received, refused, document)
                VALUES ('d', 'a.b', 'two', 's2', 1, 1, 1, 0, X'00'), ('d', 'a.b', 'again', 's1', 1, 1, 1, 0, X'00'),
                    ('d', 'a.b', 'filled', 'f1', 1, 1, 1, 0, X'00'), ('d', 'a.b', 'none', '', 1, 1, 1, 0, X'00'),
                    ('d', 'a.b', 'unknown', 'ab', 1, 1, 1, 0, X'00');
            """)
        let found = try await store.feedback(FeedbackFilter(app: "a.b"), PageRequest()).items
        #expect(found.map(\.status.life) == ["unknown", "none", "filled", "again", "two"])
        #expect(found.map(\.version?.number) == [nil, nil, 2, 3, 2])
        #expect(found.compactMap(\.version?.configuration) == ["main", "main", "main"])
        let unknown = try await store.feedbackOfUnknownVersion(
            of: "a.b", counting: nil, since: Date(timeIntervalSince1970: 0))
        #expect(unknown == 2)
        try store.close()
    }

    /// Before `feedback-sums`: what came before is in the sums, and keys that specifications name are known.
    ///
    /// Red where the migration fills nothing in: the sums of the last week would begin with nothing.
    @Test func feedbackFromBeforeIsSummed() async throws {
        let store = try await open(
            "feedback-versions",
            """
            INSERT INTO app (bundle_identifier, name, team_identifier, revision) VALUES ('a.b', 'A', NULL, 0);
            INSERT INTO specification (app, version, sha256, size, author, added, document)
                VALUES ('a.b', '1', 's', 1, 'anna', 1, CAST('{"x-feedback": [{"key": "k"}]}' AS BLOB));
            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
            INSERT INTO app_feedback (enrollment, app, life, configuration, began, ended, received, refused, document)
                VALUES ('d', 'a.b', 'one', 's1', 1, 1, 1, 0, X'00'), ('d', 'a.b', 'two', '', 1, 7300, 7300, 0, X'00');
            INSERT INTO feedback_number VALUES (1, 'k', 3.0), (2, 'k', 4.0), (2, 'l', 1.0);
            """)
        let found = try await store.feedbackTotals(
            of: "a.b", since: Date(timeIntervalSince1970: 0), sinceVersion: nil, naming: [], keys: 9, dictionaries: 9)
        let sums = [
            FeedbackTotal(key: "k", configuration: "", sum: 4, devices: 1),
            FeedbackTotal(key: "k", configuration: "s1", sum: 3, devices: 1),
            FeedbackTotal(key: "l", configuration: "", sum: 1, devices: 1),
        ]
        #expect(found == FeedbackTotals(totals: sums, isCut: false))
        let later = try await store.feedbackTotals(
            of: "a.b", since: Date(timeIntervalSince1970: 3_600), sinceVersion: nil, naming: ["k"], keys: 0,
            dictionaries: 9)
        #expect(later.totals == [FeedbackTotal(key: "k", configuration: "", sum: 4, devices: 1)])
        try store.close()
        let queue = try DatabaseQueue(path: path)
        let named = try await queue.read { db in
            try String.fetchAll(db, sql: "SELECT key FROM feedback_named WHERE app = 'a.b'")
        }
        #expect(named == ["k"])
        try queue.close()
    }

    /// Before `jobs`: webhooks are where they were, and there is no work that nobody asked for.
    @Test func jobsComeToWebhooksThatGoOn() async throws {
        let store = try await open("webhooks", Self.administration, Self.answered, Self.webhook)
        try await expectAnswered(store)
        try await expectWebhook(store)
        try await expectAdministration(store)
        #expect(try await store.takeJobs(by: "one", now: now).isEmpty)
        let job = Job(id: "j", kind: .groupDevices, author: "anna/ci", created: now, request: .object([:]))
        #expect(try await store.addJob(job, limit: 1).value == job)
        #expect(try await store.takeJobs(by: "one", now: now).map(\.id) == ["j"])
        try store.close()
    }

    /// A device that is given a configuration.
    private static let assigned = """
        INSERT INTO app VALUES ('a.b', 'A', NULL, 0);
        INSERT INTO file VALUES ('s1', X'00');
        INSERT INTO configuration VALUES ('a.b', 'main', 1);
        INSERT INTO configuration_version (app, name, version, encoding, size, sha256, author, created)
            VALUES ('a.b', 'main', 1, 'xml', 1, 's1', 'anna', 1);
        INSERT INTO assignment (group_name, app, configuration, assigned, position)
            VALUES ('g', 'a.b', 'main', 1, 1);
        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
            VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
        INSERT INTO enrollment_group VALUES ('d', 'g');
        """

    /// Before `adoption`: a job goes on at its part, and devices that had a configuration count from their next report on.
    @Test func adoptionComesToDevicesThatHaveAConfiguration() async throws {
        let store = try await open(
            "jobs", Self.administration, Self.webhook, Self.assigned,
            """
            INSERT INTO job (id, kind, author, created, request, state, owner, resumed, standstills, done, total, place,
                result, started, ended)
                VALUES ('done', 'audit.verification', 'anna', 1, '{}', 'done', 'one', 0, 0, 3, 3, NULL, '{"intact":true}',
                    1, 2),
                ('open', 'group.devices', 'anna/ci', 2, '{"group":"g"}', 'running', 'one', 1, 0, 50, 120, X'7B7D', NULL,
                    2, NULL);
            """)
        try await expectWebhook(store)
        try await expectAdministration(store)
        let taken = try #require(await store.takeJobs(by: "two", now: now).first)
        #expect(taken.id == "open" && taken.resumed == 2 && taken.place == Data("{}".utf8))
        #expect(taken.progress == JobProgress(done: 50, total: 120) && taken.request["group"] == .string("g"))
        let done = try #require(await store.job("done"))
        #expect(done.state == .done && done.result?["intact"] == .boolean(true))
        func versions() async throws -> [Adoption.Version]? {
            try await store.adoption(of: "a.b", configuration: "main", since: now)?.versions
        }
        #expect(try await versions() == [])
        let own = ConfigurationHolder(app: "a.b")
        try await store.recordHeld(
            [HeldConfiguration(holder: own, digest: "s1")], of: "d", toldOf: [own], now: now)
        #expect(try await versions() == [.init(version: 1, devices: 1)])
        try store.close()
    }

    /// Before `adoption-of-extensions`: what was counted is the app's own, and goes on being counted.
    @Test func adoptionOfExtensionsKeepsWhatWasCounted() async throws {
        let hour = Int(now.timeIntervalSince1970) / 3_600
        let store = try await open(
            "adoption", Self.administration, Self.webhook, Self.assigned,
            """
            INSERT INTO configuration_on_device VALUES ('d', 'a.b', 's1', 'main', 1);
            INSERT INTO configuration_adoption VALUES ('a.b', 'main', 1, \(hour - 2), 1);
            """)
        try await expectWebhook(store)
        try await expectAdministration(store)
        let own = ConfigurationHolder(app: "a.b")
        let tunnel = ConfigurationHolder(app: "a.b", extension: "a.b.tunnel")
        let before = now.addingTimeInterval(-86_400)
        func adoption() async throws -> Adoption {
            try #require(await store.adoption(of: "a.b", configuration: "main", since: before))
        }
        #expect(try await adoption().versions == [.init(version: 1, devices: 1)])
        #expect(try await adoption().points.map(\.devices) == [1])
        try await store.recordHeld(
            [HeldConfiguration(holder: tunnel, digest: "s1")], of: "d", toldOf: [tunnel], now: now)
        let after = try await adoption()
        #expect(
            after.versions == [
                .init(version: 1, devices: 0), .init(extension: "a.b.tunnel", version: 1, devices: 1),
            ])
        #expect(after.points.map(\.devices) == [1, 0, 1])
        try await store.recordHeld(
            [HeldConfiguration(holder: own, digest: "s1")], of: "d", toldOf: [own, tunnel], now: now)
        #expect(try await adoption().versions.map(\.devices) == [1, 1])
        try store.close()
    }

    /// Something is not what the test needs to go on.
    private struct TestFault: Error {}
}
