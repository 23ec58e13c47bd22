import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A configuration that a command brings is judged as one that an assignment delivers as a defaults dictionary.
struct CommandedConfigurationTests {
    private static let app = "com.example.app"

    private static func specification(most minutes: Int) -> String {
        #"""
        {"x-app": {"bundleIdentifier": "com.example.app"}, "type": "object", "properties": {
           "minutes": {"type": "integer", "maximum": \#(minutes)}, "text": {"type": "string"},
           "license": {"type": "string", "x-sensitive": true}}}
        """#
    }

    /// Version 2.0 takes an hour, version 1.0 half of it.
    private func judged(
        _ entries: [String: PropertyListValue], present: String? = nil, isAppKnown: Bool = true, isForced: Bool = false
    ) throws -> Outcome<[String], AdminRefusal> {
        var published: [(version: String, specification: AppSpecification)] = []
        for (version, minutes) in [("2.0", 60), ("1.0", 30)] {
            let read = try AppSpecification(parsing: Data(Self.specification(most: minutes).utf8))
            published.append((version: version, specification: read))
        }
        return CommandedConfiguration(
            root: .dictionary(entries), published: isAppKnown ? published : [], present: present,
            isAppKnown: isAppKnown
        ).judged(isForced: isForced)
    }

    // MARK: The rule

    @Test func aKeyThatTheAppMarksIsRefusedWhateverIsForced() throws {
        for isForced in [false, true] {
            let refusal = try #require(try judged(["license": .string("hunter2")], isForced: isForced).refusal)
            #expect(refusal.reason.contains("“license”") && !refusal.reason.contains("hunter2"))
        }
        #expect(try judged(["text": .string("x")]) == .accepted([]))
    }

    private typealias Row = (minutes: Int64, present: String?, isSent: Bool)
    private static let rows: [Row] = [
        (45, nil, true), (45, "1.5", false), (45, "2.0", true), (90, nil, false), (90, "2.1", false), (90, "0.5", true),
    ]

    /// Red for a check by the newest version alone: a device keeps the version that it has.
    @Test func whatTheVersionOnTheDeviceRefusesIsNotSent() throws {
        for row in Self.rows {
            let outcome = try judged(["minutes": .integer(row.minutes)], present: row.present)
            #expect((outcome.value != nil) == row.isSent, "\(row)")
            let forced = try #require(
                try judged(["minutes": .integer(row.minutes)], present: row.present, isForced: true).value)
            // What it is forced against is said.
            #expect(!forced.isEmpty, "\(row)")
        }
        let said = try judged(["minutes": .integer(45)], present: "1.5", isForced: true).value
        #expect(said?.contains { $0.contains("version 1.5 on 1 device)") } == true)
    }

    @Test func secretsByForceAndVariablesAndAnUnknownAppAreWarnedOf() throws {
        guard case .violations(let found)? = try judged(["apiToken": .string("hunter2")]).refusal else {
            Issue.record("it is sent without a word")
            return
        }
        #expect(found.map { "\($0.finding.path)" } == ["apiToken"])
        let token = try judged(["apiToken": .string("hunter2")], isForced: true).value
        #expect(token?.contains { $0.contains("“apiToken”") } == true)
        #expect(token?.contains { $0.contains("hunter2") } == false)
        let variable = try judged(["text": .string("${device.serialNumber}")]).value
        #expect(variable?.contains { $0.contains("fills in no variables") } == true)
        let unknown = try judged(["text": .string("x")], isAppKnown: false).value
        #expect(unknown?.count == 1 && unknown?.first?.contains("Identifier") == true)
    }

    // MARK: On a store

    private static func on(_ body: (Management) async throws -> Void) async throws {
        let fixture = try Fixture()
        // Its directory goes with it.
        defer { withExtendedLifetime(fixture) {} }
        try await fixture.enrol()
        try await fixture.assign()
        let management = try fixture.management
        _ = try #require(
            await management.putSpecification(
                Data(specification(most: 60).utf8), of: app, version: "2.0", author: "admin"
            ).value)
        try await body(management)
    }

    private static func send(
        _ request: PropertyListValue, _ management: Management, isForced: Bool = false
    ) async throws -> Outcome<SentCommand, AdminRefusal> {
        try await management.send(request, to: "D1", isForced: isForced, author: "admin")
    }

    @Test func aMalformedCommandIsRefusedWithItsRule() async throws {
        try await Self.on { management in
            let wrong: [(String, PropertyListValue)] = [
                ("InstallApplication", .dictionary([:])), ("RemoveApplication", .dictionary([:])),
                ("Settings", .dictionary(["Settings": .array([])])), ("ManagedApplicationFeedback", .dictionary([:])),
                ("ManagedApplicationList", .dictionary(["Identifiers": .string("x")])),
            ]
            for (type, rest) in wrong {
                var entries = rest.dictionary ?? [:]
                entries["RequestType"] = .string(type)
                let refusal = try #require(try await Self.send(.dictionary(entries), management).refusal)
                #expect(refusal.kind == .invalid && refusal.reason.hasPrefix("The command is refused: the "), "\(type)")
            }
            // What is about something else the device judges.
            let other = AppSettings(items: [.other("DeviceName")])
            #expect(try await Self.send(other.request, management).value?.warnings == [])
        }
    }

    /// A command that the server does not know is sent, because the protocol grows; a warning names what was meant.
    @Test func aCommandThatIsNotKnownIsQueuedWithAWarning() async throws {
        try await Self.on { management in
            func warnings(_ type: String) async throws -> [String] {
                let request = PropertyListValue.dictionary(["RequestType": .string(type)])
                return try #require(try await Self.send(request, management).value).warnings
            }
            let misspelt = try await warnings("ProfilList")
            #expect(misspelt.count == 1 && misspelt.first?.contains("Did you mean “ProfileList”?") == true)
            let other = try await warnings("Nope")
            #expect(other.count == 1 && other.first?.contains("“Nope”") == true)
            #expect(other.first?.contains("Did you mean") == false)
            for type in ["ProfileList", "InstallProfile", FetchFeedback.requestType] {
                #expect(try await warnings(type) == [], "\(type)")
            }
        }
    }

    @Test func aConfigurationInACommandIsHeldAgainstWhatTheAppPublished() async throws {
        try await Self.on { management in
            let late = AppSettings(items: [.configuration(app: Self.app, .dictionary(["minutes": .integer(90)]))])
            guard case .violations? = try await Self.send(late.request, management).refusal else {
                Issue.record("it was queued")
                return
            }
            let forced = try #require(try await Self.send(late.request, management, isForced: true).value)
            #expect(forced.command.requestType == "Settings" && forced.warnings.count == 1)
            let gone = AppSettings(items: [.configuration(app: Self.app, nil)])
            #expect(try await Self.send(gone.request, management).value?.warnings == [])
        }
    }

    /// Red where only an Identifier says whose secrets are meant.
    @Test func anAppThatIsInstalledByItsManifestIsKnown() async throws {
        try await Self.on { management in
            let url = "https://apps.example.com/app.plist"
            let source = AppSource(platform: .linux, location: .manifest(url: url))
            _ = try #require(await management.putAppSource(source, of: Self.app, author: "admin").value)
            let marked = PropertyListValue.dictionary(["license": .string("x")])
            let known = InstallApplication(manifestURL: url, configuration: marked)
            #expect(try await Self.send(known.request, management).refusal?.reason.contains("“license”") == true)
            // Another name for it hides nothing.
            let renamed = InstallApplication(identifier: "a.b", manifestURL: url, configuration: marked)
            #expect(try await Self.send(renamed.request, management).refusal?.reason.contains("“license”") == true)
            let foreign = InstallApplication(manifestURL: url + "x", configuration: marked)
            let sent = try #require(try await Self.send(foreign.request, management).value)
            #expect(sent.warnings.contains { $0.contains("is not known here") })
        }
    }
}
