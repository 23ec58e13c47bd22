import AppSpecification
import Foundation
import InputBounds
import Management
import Testing

/// Configurations are checked against the specification that their app published: A15, S4-SPEC-02, B05.
struct SpecificationTests {
    private let fixture: Fixture
    private let management: Management
    private let app = "com.example.app"

    init() async throws {
        fixture = try Fixture()
        management = try fixture.management
        _ = try await management.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), author: "admin")
    }

    private func publish(
        _ version: String = "2.0", _ keys: String = #""minutes": {"type": "integer", "maximum": 60}"#,
        of other: String? = nil
    ) async throws -> Outcome<StoredSpecification, AdminRefusal> {
        let text = #"{"x-app": {"bundleIdentifier": "\#(other ?? app)"}, "type": "object", "properties": {\#(keys)}}"#
        return try await management.putSpecification(Data(text.utf8), of: app, version: version, author: "admin")
    }

    private func set(
        _ entries: [String: PropertyListValue], isForced: Bool = false
    ) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
        try await management.putConfiguration(
            app: app, name: "main", bytes: PropertyListValue.dictionary(entries).xml(), expected: .any,
            isForced: isForced, author: "admin")
    }

    @Test func aConfigurationThatTheAppWouldRefuseIsNotSet() async throws {
        _ = try #require(await publish().value)
        let refusal = try #require(await set(["minutes": .string("hunter2")]).refusal)
        guard case .violations(let findings) = refusal else { throw refusal }
        #expect(findings.map(\.finding.description) == ["minutes: must be an integer; found text"])
        #expect(refusal.kind == .invalid && !refusal.reason.contains("hunter2"))
        #expect(try await management.configuration(app: app, name: "main") == nil)
        let set = try #require(await set(["minutes": .integer(60)]).value)
        #expect(set.warnings.isEmpty)
    }

    /// Red where the warning of an unknown key was left out because another key is wrong.
    @Test func anUnknownKeyIsNamedBesideWhatTheAppWouldRefuse() async throws {
        _ = try #require(await publish().value)
        let refusal = try #require(await set(["minutes": .integer(61), "minuts": .integer(1)]).refusal)
        guard case .violations(let findings) = refusal else { throw refusal }
        #expect(findings.map(\.finding.severity) == [.error, .warning], "\(findings)")
        #expect(findings.last?.finding.description.contains("Did you mean \"minutes\"?") == true)
        #expect(refusal.reason == "The app would refuse the configuration.")
    }

    @Test func whatIsForcedIsSetAndSaysWhatTheAppWillSay() async throws {
        _ = try #require(await publish().value)
        let stored = try #require(await set(["minutes": .integer(61)], isForced: true).value)
        #expect(stored.warnings == ["The app will refuse it: minutes: must be at most 60; found an integer."])
    }

    /// S4-BP-05, S4-BP-07: one configuration for a fleet of several versions.
    @Test func anOlderVersionsWordAndAnUnknownKeyAreWarnings() async throws {
        _ = try #require(await publish("2.10").value)
        _ = try #require(await publish("2.9", #""minutes": {"type": "integer", "maximum": 30}"#).value)
        let stored = try #require(await set(["minutes": .integer(60), "minuts": .integer(1)]).value)
        #expect(
            stored.warnings == [
                "minuts: is not a key that the app knows: it ignores it. Did you mean \"minutes\"?",
                "Version 2.9 of the app refuses it: minutes: must be at most 30; found an integer.",
            ])
        #expect(try await management.specifications(of: app).value?.map(\.version) == ["2.10", "2.9"])
    }

    /// What a variable stands for is known on the device only.
    @Test func aTextWithVariablesIsJudgedByItsTypeAlone() async throws {
        _ = try #require(
            await publish("1", #""name": {"type": "string", "pattern": "^[a-z]$"}, "minutes": {"type": "integer"}"#)
                .value)
        #expect(try await set(["name": .string("${device.serialNumber}")]).value != nil)
        #expect(try await set(["name": .string("plain")]).refusal != nil)
        #expect(try await set(["minutes": .string("${device.serialNumber}")]).refusal != nil)
    }

    /// Extensions have configurations of their own among the app's: S4-EXT-02.
    @Test func anExtensionsConfigurationIsHeldAgainstTheExtensionsSpecification() async throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "com.example.app"}, "required": ["server"],
             "properties": {"server": {"type": "string"}},
             "x-extensions": {"com.example.app.widget": {"properties": {"count": {"type": "integer", "maximum": 9}}}}}
            """#
        let stored = try await management.putSpecification(Data(text.utf8), of: app, version: "1", author: "admin")
        #expect(stored.value != nil, "\(stored)")
        #expect(try await set(["server": .string("x")]).value?.warnings.isEmpty == true)
        #expect(try await set(["count": .integer(9)]).value?.warnings.isEmpty == true)
        guard case .violations(let findings)? = try await set(["count": .integer(10)]).refusal else {
            Issue.record("it was not refused")
            return
        }
        #expect(findings.map(\.finding.description) == ["count: must be at most 9; found an integer"])
    }

    @Test func anEarlierVersionComesBackOnlyIfTheAppTakesIt() async throws {
        _ = try #require(await set(["minutes": .integer(61)]).value)
        _ = try #require(await set(["minutes": .integer(1)]).value)
        let stored = try #require(await publish().value)
        #expect(stored.warnings.isEmpty)
        func revert(isForced: Bool) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
            try await management.revertConfiguration(
                app: app, name: "main", to: 1, expected: .any, isForced: isForced, author: "admin")
        }
        #expect(try await revert(isForced: false).refusal?.kind == .invalid)
        #expect(try await revert(isForced: true).value?.warnings.count == 1)
    }

    /// Red where a version that comes back was set with fewer warnings than the same content.
    @Test func whatComesBackHasTheWarningsOfWhatIsSet() async throws {
        let old: [String: PropertyListValue] = [
            "minutes": .integer(61), "minuts": .integer(1), "mail": .string("{{mail}}"),
        ]
        _ = try #require(await set(old).value)
        _ = try #require(await set(["minutes": .integer(1)]).value)
        _ = try #require(await publish().value)
        func revert(isForced: Bool) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
            try await management.revertConfiguration(
                app: app, name: "main", to: 1, expected: .any, isForced: isForced, author: "admin")
        }
        let refusal = try #require(await revert(isForced: false).refusal)
        guard case .violations(let findings) = refusal else { throw refusal }
        #expect(findings.map(\.finding.severity) == [.error, .warning, .warning], "\(findings)")
        let back = try #require(await revert(isForced: true).value).warnings
        let anew = try #require(await set(old, isForced: true).value).warnings
        #expect(back == anew && back.contains { $0.contains("{{mail}}") }, "\(back)")
    }

    @Test func aNewVersionNamesConfigurationsThatItRefuses() async throws {
        _ = try #require(await set(["minutes": .integer(61)]).value)
        #expect(
            try await publish().value?.warnings == [
                "The configuration main is refused by this version: minutes: must be at most 60; found an integer."
            ])
    }

    @Test func aDryRunKeepsNothing() async throws {
        _ = try #require(await publish().value)
        let bytes = PropertyListValue.dictionary(["minutes": .integer(99)]).xml()
        let judgement = try #require(await management.judge(bytes, of: app).value)
        #expect(judgement.errors.map(\.finding.rule) == ["maximum"])
        #expect(try await management.configuration(app: app, name: "main") == nil)
        #expect(try await management.judge(bytes, of: "com.example.none").refusal == .unknownApp)
        #expect(try await management.judge(Data("x".utf8), of: app).refusal?.kind == .invalid)
    }

    @Test func whatIsNoSpecificationOfThisAppAndVersionIsRefused() async throws {
        #expect(try await publish(of: "com.example.other").refusal?.reason.contains("another app") == true)
        #expect(try await publish("1/2").refusal?.kind == .invalid)
        let wrong = try await publish("1", #""k": {"type": "integer", "default": "x"}"#)
        #expect(wrong.refusal?.reason.contains("The specification is wrong, k: the default") == true)
        let text = #"{"x-app": {"bundleIdentifier": "com.example.app", "version": "3"}}"#
        let other = try await management.putSpecification(Data(text.utf8), of: app, version: "2", author: "admin")
        #expect(other.refusal?.reason.contains("another version") == true)
        #expect(
            try await management.putSpecification(Data("{".utf8), of: app, version: "2", author: "a").refusal != nil)
    }

    /// With the app goes what it published; without one nothing is judged.
    @Test func withoutASpecificationEverythingIsTaken() async throws {
        _ = try #require(await publish().value)
        #expect(try await management.removeSpecification(of: app, version: "2.0", author: "admin") == nil)
        #expect(try await set(["minutes": .string("x")]).value?.warnings.isEmpty == true)
        #expect(
            try await management.removeSpecification(of: app, version: "2.0", author: "admin") == .unknownSpecification)
    }
}
