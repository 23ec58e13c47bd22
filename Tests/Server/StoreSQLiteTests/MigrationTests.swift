import ACME
import CertificateAuthority
import Foundation
import GRDB
import Management
import StoreSQLite
import Testing

/// Each migration since secrets came, from a file of the schema before it with something in every table it touches.
struct MigrationTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// What the road left: a device in a group, an app with a configuration assigned to it.
    private static let road = """
        INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
        INSERT INTO administrator (name, password_hash, must_change, created) VALUES ('admin', 'h', 0, 1);
        INSERT INTO app (bundle_identifier, name, team_identifier, revision) VALUES ('a.b', 'A', NULL, 0);
        INSERT INTO file (sha256, bytes) VALUES ('s1', X'00');
        INSERT INTO configuration (app, name, current) VALUES ('a.b', 'main', 1);
        INSERT INTO configuration_version (app, name, version, encoding, size, sha256, author, created)
            VALUES ('a.b', 'main', 1, 'xml', 1, 's1', 'admin', 1);
        INSERT INTO assignment (group_name, app, configuration, assigned, position)
            VALUES ('g', 'a.b', 'main', 1, 1);
        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
            VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{"serialNumber":"S1"}', 1);
        INSERT INTO enrollment_group (enrollment, group_name) VALUES ('d', 'g');
        """
    private static let secrets = """
        INSERT INTO secret_number VALUES ('vpn', 1);
        INSERT INTO secret_version VALUES ('vpn', 1, 'admin', 1, '{}', 'k', X'01', X'02');
        INSERT INTO secret_assignment VALUES ('g', 'a.b', '', 'identity', 'client', 'vpn', 1, 1);
        """
    private static let account = """
        INSERT INTO acme_account VALUES ('a1', 't1', CAST('\(key)' AS BLOB), '', 'valid', 1);
        """
    private static let key =
        #"{"crv":"P-256","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
        + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

    /// A file whose newest migration is this one, opened by this version.
    private func open(_ migration: String, _ statements: String..., audit: [AuditEntry] = []) async throws
        -> SQLiteStore
    {
        try SQLiteStore.makeFile(path: path, lastMigration: migration)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            for statement in statements { try db.execute(sql: statement) }
            for entry in audit {
                try db.execute(
                    sql: "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        entry.sequence, Int(entry.time.timeIntervalSince1970), entry.actor, entry.action,
                        entry.subject, entry.details, entry.hash,
                    ])
            }
        }
        try queue.close()
        return try SQLiteStore(path: path)
    }

    private func expectRoad(_ store: SQLiteStore) async throws {
        let entry = try #require(await store.assignmentSnapshot(groups: ["g"]).effective.first)
        #expect(entry.app.bundleIdentifier == "a.b" && entry.configuration?.sha256 == "s1")
        let device = try #require(await store.device("d"))
        #expect(device.groups == ["g"] && device.state == .enrolled && device.facts.serialNumber == "S1")
        #expect(try await store.administrator(named: "admin")?.passwordHash == "h")
        // And it goes on.
        _ = try #require(await store.addGroup(named: "new", author: "admin", now: now).value)
    }

    private func expectSecret(_ store: SQLiteStore) async throws {
        #expect(try await store.assignmentSnapshot(groups: ["g"]).effective.first?.secrets.map(\.secret) == ["vpn"])
        #expect(try await store.assignedSecret("vpn", version: 1, to: "d")?.kept.secret.sealed == Data([2]))
    }

    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func chain() -> [AuditEntry] {
        var entries: [AuditEntry] = []
        for subject in ["one", "two", "three"] {
            entries.append(
                AuditEntry(
                    after: entries.last.map { ($0.sequence, $0.hash) }, time: now, actor: "administrator:admin",
                    action: .setSecret, subject: subject, details: "{}"))
        }
        return entries
    }

    private func expectChain(_ store: SQLiteStore, beginning entries: [AuditEntry]) async throws {
        let kept = try await store.auditEntries(after: 0, limit: 100)
        #expect(Array(kept.prefix(entries.count)) == entries && kept.count > entries.count)
        var chain = AuditChain()
        for entry in kept { chain.follow(entry) }
        #expect(chain.fault == nil)
    }

    @Test func secretsCameToWhatTheRoadLeft() async throws {
        let store = try await open("2", Self.road)
        try await expectRoad(store)
        #expect(try await store.secrets(PageRequest()).items.isEmpty)
        #expect(try await store.masterKeyID() == nil)
        try store.close()
    }

    @Test func accountsAndRightsCameToSecrets() async throws {
        let store = try await open("3", Self.road, "INSERT INTO secret VALUES ('vpn', 'acme', 1);", Self.secrets)
        try await expectRoad(store)
        try await expectSecret(store)
        try store.close()
    }

    @Test func theAuditLogBeginsWithItsFirstEntryWhateverWasThere() async throws {
        let store = try await open(
            "acme-1", Self.road, "INSERT INTO secret VALUES ('vpn', 'acme', 1);", Self.secrets, Self.account)
        #expect(try await store.auditEntries(after: 0, limit: 10).isEmpty)
        try await expectRoad(store)
        try await expectSecret(store)
        #expect(try await store.acmeAccount(id: "a1")?.key.thumbprint.isEmpty == false)
        try await expectChain(store, beginning: [])
        try store.close()
    }

    /// Rights and certificates of the schema before say neither version nor device: they go, accounts and the log stay.
    @Test func rightsThatSayTooLittleGoAndAccountsStay() async throws {
        let entries = chain()
        let store = try await open(
            "4", Self.road, "INSERT INTO secret VALUES ('vpn', 'acme', 1);", Self.secrets, Self.account,
            """
            INSERT INTO acme_grant VALUES (X'05', 'vpn', 'd', 'one', 0, 60, 'live', 'a1', 1);
            INSERT INTO acme_order (id, account, grant_digest, kind, value, common_name, attest, valid_seconds, token,
                expires, status) VALUES ('o1', 'a1', X'05', 'permanent-identifier', 'v', 'one', 0, 60, 't', 4000000000,
                'pending');
            INSERT INTO identity_certificate VALUES (X'06', '06', X'00', 'a1', 1, 4000000000, 5, 1);
            """, audit: entries)
        try await expectRoad(store)
        try await expectSecret(store)
        #expect(try await store.acmeAccount(id: "a1") != nil)
        #expect(try await store.acmeOrder(id: "o1") == nil)
        #expect(try await store.identityCertificate(serial: "06") == nil)
        #expect(try await store.revokedIdentities(now: now).isEmpty)
        try await expectChain(store, beginning: entries)
        // What comes now is kept beside them.
        let challenge = SCEPChallenge(
            digest: Data([8]), holder: IdentityHolder(secret: "vpn", version: 1, device: "d"),
            profile: IdentityProfile(subject: [.init("CN", "one")]), created: now)
        try await store.addSCEPChallenge(challenge)
        #expect(try await store.scepChallenge(digest: Data([8])) == challenge)
        try store.close()
    }

    /// A certificate of the schema before is revoked by what is withdrawn now.
    @Test func whatWasIssuedBeforeIsRevokedByAWithdrawalNow() async throws {
        let store = try await open(
            "renewals", Self.road, "INSERT INTO secret VALUES ('vpn', 'acme', 1, 1);", Self.secrets,
            """
            INSERT INTO identity_certificate (fingerprint, serial, der, secret, version, device, places, issued, not_after)
                VALUES (X'06', '06', X'00', 'vpn', 1, 'd', 'a.b/client', 1, 4000000000);
            """)
        try await expectRoad(store)
        try await expectSecret(store)
        #expect(try await store.valueSources(of: "d", secrets: ["vpn"])?.losses == [:])
        let left = try await store.removeDevice("d", fromGroup: "g", author: "admin", now: now)
        #expect(left.value?.concerned == ["g"])
        #expect(try await store.revokedIdentities(now: now).map(\.serial) == ["06"])
        #expect(try await store.valueSources(of: "d", secrets: ["vpn"])?.losses == ["vpn": 1])
        try store.close()
    }

    /// Before there were other ways everybody came by a code, and codes that are open still are.
    @Test func whoWasThereBeforeCameByACode() async throws {
        let store = try await open(
            "enrollment-chips", Self.road,
            """
            INSERT INTO enrollment_code (id, digest, group_name, ownership, supervised, legacy, author, created, expires,
                state) VALUES ('c1', X'09', 'g', 'organization', 0, 0, 'admin', 1, 4000000000, 'unused');
            """)
        try await expectRoad(store)
        #expect(try await store.device("d")?.arrival == Arrival(hasUserChannels: false))
        let code = try #require(await store.enrollmentCodes(PageRequest()).items.first)
        #expect(code.id == "c1" && code.holder == .anyone && !code.announcesUserChannels)
        let device = ExpectedDevice(serialNumber: "S2", group: "g", chip: nil, author: "admin", created: now)
        #expect(try await store.putExpectedDevices([device]) == nil)
        try store.close()
    }

    @Test func anOlderLogIsWholeAndHasItsTimeFromNowOn() async throws {
        let entries = chain()
        let store = try await open("revocation", Self.road, audit: entries)
        #expect(try await store.auditAnchor() == nil)
        try await expectRoad(store)
        try await expectChain(store, beginning: entries)
        var retention = Retention()
        retention.auditSeconds = 60
        try await store.prune(retention, now: now + 100_000)
        #expect(try await store.auditAnchor()?.sequence == 4)
        #expect(try await store.auditEntries(after: 0, limit: 10).map(\.action) == ["audit.prune"])
        try store.close()
    }

    /// Refusals and versions are counted of devices that reported before they were.
    @Test func whatDevicesReportedBeforeIsCounted() async throws {
        let store = try await open(
            "specifications", Self.road,
            """
            INSERT INTO file VALUES ('\(String(repeating: "a", count: 64))', X'01');
            UPDATE configuration_version SET sha256 = '\(String(repeating: "a", count: 64))';
            INSERT INTO status_item VALUES ('d', 'app.managed.list', CAST('[{"identifier":"a.b","short-version":"1.0",
                "reasons":[{"code":"Error.ConfigurationRefused","details":{"Code":100,
                "Version":"\(String(repeating: "a", count: 64))"}}]}]' AS BLOB), 77);
            """)
        #expect(try await store.versions(of: "a.b", limit: 9) == [AppVersionCount(version: "1.0", devices: 1)])
        let refusal = try #require(try await store.refusals(of: "a.b", limit: 9).first)
        #expect(refusal.configuration == "main" && refusal.code == 100 && refusal.devices == 1)
        #expect(refusal.first == Date(timeIntervalSince1970: 77))
        try store.close()
    }

    /// What devices run is known of those that enrolled before it was asked for.
    @Test func whatDevicesReportedBeforeSaysWhatTheyRun() async throws {
        let store = try await open(
            "enrollment-chips", Self.road,
            """
            INSERT INTO status_item VALUES ('d', 'device.operating-system.family', CAST('"Linux"' AS BLOB), 1),
                ('d', 'device.operating-system.version', CAST('"13.1"' AS BLOB), 1);
            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                VALUES ('e', 'device', 'enrolled', 'organization', 1, X'08', 1,
                    '{"osVersion":"18.4","productName":"iPhone17,1"}', 1);
            """)
        try await expectRoad(store)
        let version = SystemVersion("13.1")
        #expect(try await store.device("d")?.audience == DeviceAudience(platform: .linux, osVersion: version))
        #expect(try await store.device("e")?.audience.platform == .iOS)
        #expect(try await store.assignmentSnapshot(groups: ["g"]).effective.first?.sources.isEmpty == true)
        try store.close()
    }

    /// Who was an administrator before there were roles may do everything.
    @Test func whoWasAnAdministratorBeforeMayDoEverything() async throws {
        let store = try await open("specifications", "INSERT INTO administrator VALUES ('admin', 'h', 0, 1);")
        #expect(try await store.administrator(named: "admin")?.rights == .all)
        #expect(try await store.removeAdministrator(named: "admin", author: "admin", now: now) == .lastAdministrator)
        try store.close()
    }

    /// Assignments from before some had priorities: the one made last counts, and the source says who must have the app.
    @Test func assignmentsThatWereMadeBeforeHaveNoPriority() async throws {
        let store = try await open("fleet", Self.road)
        try await expectRoad(store)
        let kept = try #require(await store.assignment(app: "a.b", group: "g"))
        #expect(kept.priority == 0 && kept.install == nil)
        // And groups that were there have no rule, and can be given one.
        #expect(try await store.group(named: "g")?.rule == nil)
        let rule = try GroupRule(parsing: "device.serialNumber = S1")
        _ = try #require(await store.addGroup(named: "r", rule: rule, author: "admin", now: now).value)
        #expect(try await store.judgeFleet(limit: 9, now: now)?.devices.map(\.groups) == [["g", "r"]])
        try store.close()
    }

    /// Assignments from before they said as what an app gets its configuration: by the framework, as then.
    @Test func assignmentsThatWereMadeBeforeAreDeliveredByTheFramework() async throws {
        let store = try await open("devices-by-state", Self.road)
        try await expectRoad(store)
        #expect(try await store.assignment(app: "a.b", group: "g")?.delivery == .framework)
        try store.close()
    }

    /// Devices that enrolled before names had an index are found by name and serial number.
    @Test func devicesFromBeforeAreFoundByTheirNames() async throws {
        let store = try await open(
            "app-feedback", Self.road, #"UPDATE enrollment SET facts = '{"deviceName":"ada","serialNumber":"S1"}'"#)
        for name in ["ada", "S1"] {
            #expect(try await store.devices(DeviceFilter(named: name), PageRequest()).items.map(\.id) == ["d"])
        }
        #expect(try await store.devices(DeviceFilter(named: "ad"), PageRequest()).items.isEmpty)
        try store.close()
    }

    /// Specifications from before packages brought some were set by hand: no package replaces them.
    @Test func specificationsThatWereThereBeforeWereSetByHand() async throws {
        let store = try await open(
            "expiring-commands", "INSERT INTO app VALUES ('a.b', 'A', NULL, 0);",
            "INSERT INTO specification VALUES ('a.b', '1', 's1', 2, 'admin', 1, CAST('{}' AS BLOB));")
        let kept = try #require(await store.specification(of: "a.b", version: "1"))
        #expect(kept.bytes == Data("{}".utf8) && kept.record.package == nil && kept.record.author == "admin")
        func put(_ package: String?) async throws -> SpecificationRecord? {
            let record = SpecificationRecord(
                app: "a.b", version: "1", sha256: "s2", size: 3, author: "admin", added: now, package: package)
            return try await store.putSpecification(
                SpecificationDocument(record: record, bytes: Data("{ }".utf8)), limit: 9, now: now
            ).value
        }
        #expect(try await put("p1")?.sha256 == "s1")
        #expect(try await put(nil)?.sha256 == "s2")
        try store.close()
    }

    /// Commands from before some expired are sent, and never expire.
    @Test func commandsThatWereQueuedBeforeNeverExpire() async throws {
        let store = try await open(
            "fleet", Self.road,
            """
            INSERT INTO command (enrollment, uuid, request_type, document, state, deferred, author, created)
                VALUES ('d', 'u', 'ProfileList', X'01', 'queued', 0, 'admin', 1);
            """)
        let late = Date(timeIntervalSince1970: 9_000_000_000)
        #expect(try await store.expireCommands(now: late).isEmpty)
        let next = try await store.exchange(.idle, result: nil, device: "d", now: late).next
        #expect(next?.uuid == "u" && next?.document == Data([1]) && next?.expires == nil)
        try store.close()
    }

    /// Who was an administrator before some signed in elsewhere has their name for themselves: nobody of that name
    /// comes in by a provider.
    ///
    /// And a program may be given some of their rights.
    @Test func administratorsFromBeforeAreNobodysWhoSignsInElsewhere() async throws {
        let store = try await open(
            "group-rules", "INSERT INTO administrator VALUES ('admin', 'h', 0, 1, 'administrator', '[]', '[]');")
        let identity = ExternalIdentity(issuer: "https://i", subject: "1")
        #expect(try await store.administrator(identity) == nil)
        #expect(try await store.takeIn(identity, name: "admin", rights: .all, now: now).refusal == .nameTaken)
        #expect(try await store.takeIn(identity, name: "anna", rights: .all, now: now).value?.name == "anna")
        let token = APIToken(
            id: "t", administrator: "admin", name: "ci", scope: TokenScope(rights: Rights(role: .reader)), created: now,
            expires: now.addingTimeInterval(60))
        #expect(try await store.addToken(token, digest: Data([1])) == nil)
        #expect(try await store.token(digest: Data([1]), now: now)?.owner.name == "admin")
        try store.close()
    }

    /// A server that learnt of keys carries out what comes with one.
    @Test func requestsWithAKeyAreBegunInAStoreFromBefore() async throws {
        let store = try await open("external-identities")
        let request = BegunRequest(
            mark: RequestMark(digest: Data([1]), life: Data([2])), principal: "admin", fingerprint: Data([3]), now: now)
        #expect(try await store.beginRequest(request) == .begun)
        #expect(try await store.beginRequest(request) == .underWay)
        try store.close()
    }

    /// A device that said what it takes before settings came is given them without saying it again.
    @Test func whatDevicesTakeIsReadFromTheirLastReports() async throws {
        let type = "com.apple.configuration.security.certificate"
        let said = #"{"supported-payloads":{"declarations":{"configurations":["other","\#(type)"]}}}"#
        let store = try await open(
            "escrowed-tokens",
            """
            INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
            INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1),
                    ('e', 'device', 'enrolled', 'organization', 1, X'08', 1, '{}', 1);
            INSERT INTO status_item (enrollment, name, value, updated)
                VALUES ('d', 'management.client-capabilities', CAST('\(said)' AS BLOB), 1);
            """)
        #expect(try await store.device("d")?.audience.takenTypes == [type])
        let silent = try #require(await store.device("e"))
        #expect(silent.audience.takenTypes == nil)
        #expect(try await store.settings(kind: nil, PageRequest()).items.isEmpty)
        try store.close()
    }

    /// A server that learns another kind of setting gives it to devices that said before that they take it.
    @Test func typesOfALaterKindAreReadFromTheLastReports() async throws {
        let type = "dev.martlet.configuration.login-message"
        let said = #"{"supported-payloads":{"declarations":{"configurations":["other","\#(type)"]}}}"#
        let store = try await open(
            "settings",
            """
            INSERT INTO device_group (name, created, changed) VALUES ('g', 1, 1);
            INSERT INTO enrollment (
                key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled, taken_types)
                VALUES ('d', 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1, '[]'),
                    ('e', 'device', 'enrolled', 'organization', 1, X'08', 1, '{}', 1, NULL);
            INSERT INTO status_item (enrollment, name, value, updated)
                VALUES ('d', 'management.client-capabilities', CAST('\(said)' AS BLOB), 1);
            """)
        #expect(try await store.device("d")?.audience.takenTypes == [type])
        let silent = try #require(await store.device("e"))
        #expect(silent.audience.takenTypes == nil)
        try store.close()
    }
}
