import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A configuration that is delivered as the app's defaults dictionary, readable while the device is locked, holds no
/// secrets; what is delivered by the framework alone is not judged so.
struct DeliveryTests {
    private static let app = "com.example.app"

    /// A specification that marks a key, one inside a list, and one under any name.
    private static let marking = #"""
        {"x-app": {"bundleIdentifier": "com.example.app"}, "type": "object", "properties": {
           "license": {"type": "string", "x-sensitive": true},
           "servers": {"type": "array", "items": {"type": "object", "properties": {
              "pin": {"type": "integer", "x-sensitive": true}}}},
           "title": {"type": "string"}}}
        """#

    private func content(_ entries: [String: PropertyListValue]) throws -> DefaultsContent {
        let read = try AppSpecification(parsing: Data(Self.marking.utf8))
        return DefaultsContent(of: .dictionary(entries), by: [(version: "1.0", specification: read)])
    }

    // MARK: The rule

    @Test func aKeyThatTheAppMarksIsRefusedWhereverItStands() throws {
        #expect(try content(["title": .string("x")]).refusal(isForced: false) == nil)
        let license = try content(["license": .string("hunter2")])
        #expect(license.marked?.path == "license" && license.marked?.version == "1.0")
        let refusal = try #require(license.refusal(isForced: true))
        #expect(refusal.kind == .invalid && refusal.reason.contains("“license”"))
        #expect(refusal.reason.contains("by the framework") && !refusal.reason.contains("hunter2"))
        let inside = try content(["servers": .array([.dictionary([:]), .dictionary(["pin": .integer(1)])])])
        #expect(inside.marked?.path == "servers[1].pin")
    }

    private typealias Row = (key: String, value: PropertyListValue, paths: [String])

    private static let secrets: [Row] = [
        ("password", .string("x"), ["password"]),
        ("wifi", .dictionary(["API-Key": .string("x")]), ["wifi.API-Key"]),
        ("tokens", .array([.string("a"), .string("b")]), ["tokens[0]", "tokens[1]"]),
        ("client_secret", .data(Data([1])), ["client_secret"]),
        ("text", .string("-----BEGIN EC PRIVATE KEY-----"), ["text"]),
        ("blob", .data(Data("-----BEGIN PRIVATE KEY-----".utf8)), ["blob"]),
    ]

    /// Values that describe a secret, and empty ones, are no secrets.
    private static let harmless: [Row] = [
        ("passwordLength", .integer(8), []), ("requirePassword", .boolean(true), []),
        ("tokenEndpoint", .string("https://example.org"), []), ("passwordHint", .string("your pet"), []),
        ("password", .string(""), []), ("certificate", .string("-----BEGIN CERTIFICATE-----"), []),
    ]

    /// Red where such a value is only warned of: an administrator has to say that it is none.
    @Test func aValueThatLooksLikeASecretIsRefusedUnlessThatIsForced() {
        for row in Self.secrets + Self.harmless {
            let found = DefaultsContent(of: .dictionary([row.key: row.value]), by: [])
            #expect(found.suspected == row.paths, "\(row.key)")
            #expect((found.refusal(isForced: false) == nil) == row.paths.isEmpty, "\(row.key)")
            #expect(found.refusal(isForced: true) == nil, "\(row.key)")
            #expect(found.refusal(isForced: false, isPresent: true) == nil, "\(row.key)")
            #expect(found.warnings.isEmpty == row.paths.isEmpty, "\(row.key)")
        }
    }

    /// Each value is named with why it looks like a secret and what to do instead, beside what the app would refuse.
    @Test func aRefusalNamesEachKeyAndNoValue() throws {
        let entries: [String: PropertyListValue] = [
            "apiToken": .string("hunter2"), "proxy": .string("https://anna:hunter2@proxy.example.org"),
        ]
        let found = DefaultsContent(of: .dictionary(entries), by: [])
        let refusal = try #require(found.refusal(isForced: false))
        guard case .violations(let violations) = refusal else {
            Issue.record("it is no refusal with findings")
            return
        }
        #expect(violations.map { "\($0.finding.path)" } == ["apiToken", "proxy"])
        #expect(violations.allSatisfy { $0.finding.rule == SuspectedSecret.rule })
        #expect(violations[0].finding.message.contains("the name of its key"))
        #expect(violations[1].finding.message.contains("an address with a password"))
        #expect(violations.allSatisfy { $0.finding.suggestion?.contains("as a secret") == true })
        #expect(!violations.contains { $0.finding.description.contains("hunter2") })
        #expect(refusal.kind == .invalid && refusal.reason.contains("2 values look like secrets"), "\(refusal.reason)")
        let both = try #require(found.refusal(beside: [violations[0]], isForced: false))
        #expect(both.reason.contains("3 values"), "\(both.reason)")
    }

    @Test func aWarningNamesAFewKeysAndNoValue() throws {
        let many = Dictionary((1...9).map { ("token\($0)", PropertyListValue.string("hunter2")) }) { first, _ in first }
        let warnings = DefaultsContent(of: .dictionary(many), by: []).warnings
        let sentence = try #require(warnings.first)
        #expect(warnings.count == 1 && sentence.contains("“token1”") && sentence.contains("and 4 more"))
        #expect(!sentence.contains("hunter2"))
    }

    @Test func whatAnAmendmentDoesNotMentionStays() {
        let present = Assignment(
            group: "g", app: Self.app, configuration: "main", delivery: .both, assigned: Fixture.start, order: 1)
        func merged(_ delivery: Amendment<Assignment.Delivery>, with one: Assignment?) -> Assignment.Delivery {
            AssignmentAmendment(group: "g", app: Self.app, delivery: delivery).merged(with: one, at: Fixture.start)
                .delivery
        }
        #expect(merged(.stays, with: present) == .both && merged(.goes, with: present) == .framework)
        #expect(merged(.becomes(.defaults), with: present) == .defaults && merged(.stays, with: nil) == .framework)
    }

    // MARK: On a store

    private static func on(_ body: (Management) async throws -> Void) async throws {
        let fixture = try Fixture()
        // Its directory goes with it.
        defer { withExtendedLifetime(fixture) {} }
        let management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign()
        _ = try #require(
            await management.putSpecification(Data(marking.utf8), of: app, version: "1.0", author: "admin").value)
        try await body(management)
    }

    private static func set(
        _ management: Management, _ entries: [String: PropertyListValue], isForced: Bool = false
    ) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
        try await management.putConfiguration(
            app: app, name: "main", bytes: PropertyListValue.dictionary(entries).xml(), expected: .any,
            isForced: isForced, author: "admin")
    }

    private static func deliver(
        _ management: Management, _ delivery: Assignment.Delivery, isForced: Bool = false
    ) async throws -> Outcome<MadeAssignment, AdminRefusal> {
        try await management.amend(
            AssignmentAmendment(group: "all", app: app, delivery: .becomes(delivery)), isForced: isForced,
            author: "admin")
    }

    /// Nothing forces it: whoever needs the value there may take the mark from the specification.
    @Test func anAssignmentThatWouldDeliverAMarkedKeyIsRefused() async throws {
        try await Self.on { management in
            _ = try #require(try await Self.set(management, ["license": .string("x")]).value)
            for delivery in [Assignment.Delivery.defaults, .both] {
                for isForced in [false, true] {
                    let refused = try await Self.deliver(management, delivery, isForced: isForced)
                    #expect(refused.refusal?.kind == .invalid)
                }
            }
            #expect(try await management.assignment(app: Self.app, group: "all")?.delivery == .framework)
            _ = try #require(try await Self.set(management, ["title": .string("x")]).value)
            let made = try #require(try await Self.deliver(management, .both).value)
            #expect(made.assignment.delivery == .both && made.changed == [.delivery] && made.warnings.isEmpty)
        }
    }

    /// What is delivered already stays so: a change of its assignment does not ask again.
    @Test func aConfigurationThatIsDeliveredSoTakesNoMarkedKeyAndSecretsByForceAlone() async throws {
        try await Self.on { management in
            _ = try #require(try await Self.set(management, ["license": .string("x")]).value)
            _ = try #require(try await Self.set(management, ["title": .string("x")]).value)
            _ = try #require(try await Self.deliver(management, .defaults).value)
            #expect(try await Self.set(management, ["license": .string("x")], isForced: true).refusal?.kind == .invalid)
            let dry = PropertyListValue.dictionary(["license": .string("x")]).xml()
            #expect(try await management.judge(dry, of: Self.app, toBe: "main").refusal?.kind == .invalid)
            #expect(try await management.judge(dry, of: Self.app, toBe: "other").refusal == nil)
            let reverted = try await management.revertConfiguration(
                app: Self.app, name: "main", to: 2, expected: .any, author: "admin")
            #expect(reverted.refusal?.kind == .invalid)
            let secret: [String: PropertyListValue] = ["apiToken": .string("x")]
            #expect(try await Self.set(management, secret).refusal?.kind == .invalid)
            let found = try await management.judge(
                PropertyListValue.dictionary(secret).xml(), of: Self.app, toBe: "main"
            ).value
            #expect(found?.errors.map(\.finding.rule) == [SuspectedSecret.rule])
            let warned = try #require(try await Self.set(management, secret, isForced: true).value)
            #expect(warned.warnings.contains { $0.contains("“apiToken”") })
            let again = try #require(try await Self.deliver(management, .both).value)
            #expect(again.warnings.contains { $0.contains("“apiToken”") })
        }
    }

    /// Counted are the keys of what was refused, and not a dry run; the audit log names what was forced.
    @Test func refusalsAreCountedAndWhatIsForcedIsInTheAuditLog() async throws {
        try await Self.on { management in
            let secrets: [String: PropertyListValue] = ["apiToken": .string("x"), "passphrase": .string("y")]
            _ = try #require(try await Self.set(management, secrets).value)
            #expect(management.secretRefusals.count(.suspected) == 0, "no user defaults have it")
            let dry = try await management.amend(
                AssignmentAmendment(group: "all", app: Self.app, delivery: .becomes(.both)), isDryRun: true,
                author: "admin")
            #expect(dry.refusal?.kind == .invalid && management.secretRefusals.count(.suspected) == 0)
            #expect(try await Self.deliver(management, .both).refusal?.kind == .invalid)
            #expect(management.secretRefusals.count(.suspected) == 2)
            #expect(try await management.assignment(app: Self.app, group: "all")?.delivery == .framework)
            _ = try #require(try await Self.deliver(management, .both, isForced: true).value)
            #expect(try await Self.set(management, ["license": .string("x")], isForced: true).value == nil)
            #expect(management.secretRefusals.count(.marked) == 1 && management.secretRefusals.count(.suspected) == 2)
            _ = try #require(try await Self.set(management, ["token": .string("z")], isForced: true).value)
            let reverted = try await management.revertConfiguration(
                app: Self.app, name: "main", to: 1, expected: .any, isForced: false, author: "admin")
            #expect(reverted.value != nil, "version 1 of the fixture holds no secret: \(reverted)")
            func details(_ action: AuditEntry.Action) async throws -> [String] {
                try await management.auditEntries(AuditFilter(action: action), PageRequest(limit: 10)).items
                    .map(\.details)
            }
            let assigned = try await details(.setAssignment)
            #expect(assigned.first?.contains(#""suspectedSecrets":["apiToken","passphrase"]"#) == true, "\(assigned)")
            #expect(assigned.dropFirst().allSatisfy { !$0.contains("suspectedSecrets") })
            let set = try await details(.setConfiguration)
            #expect(set.first?.contains(#""suspectedSecrets":["token"]"#) == true, "\(set)")
            #expect(set.dropFirst().allSatisfy { !$0.contains("suspectedSecrets") })
        }
    }
}
