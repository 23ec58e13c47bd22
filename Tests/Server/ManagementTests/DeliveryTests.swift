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
        #expect(try content(["title": .string("x")]).refusal == nil)
        let license = try content(["license": .string("hunter2")])
        #expect(license.marked?.path == "license" && license.marked?.version == "1.0")
        let refusal = try #require(license.refusal)
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

    @Test func aValueThatLooksLikeASecretIsWarnedOf() {
        for row in Self.secrets + Self.harmless {
            let found = DefaultsContent(of: .dictionary([row.key: row.value]), by: [])
            #expect(found.suspected == row.paths && found.refusal == nil, "\(row.key)")
            #expect(found.warnings.isEmpty == row.paths.isEmpty, "\(row.key)")
        }
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

    @Test func aConfigurationThatIsDeliveredSoTakesNoMarkedKeyAndIsWarnedOfSecrets() async throws {
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
            let warned = try #require(try await Self.set(management, ["apiToken": .string("x")]).value)
            #expect(warned.warnings.contains { $0.contains("“apiToken”") })
            let again = try #require(try await Self.deliver(management, .both).value)
            #expect(again.warnings.contains { $0.contains("“apiToken”") })
        }
    }
}
