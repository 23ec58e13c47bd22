import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// The configurations that a device gets again after a start with an older copy of its state.
struct ResentConfigurationTests {
    private static let app = "com.example.old"
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func configuration(_ value: String) -> PropertyListValue { .dictionary(["value": .string(value)]) }

    private func digest(_ value: String) -> String { Fixture.sha256(configuration(value).xml()) }

    private func settings(_ value: String?) -> PropertyListValue {
        AppSettings(items: [.configuration(app: Self.app, value.map(configuration))]).request
    }

    private func sent(
        _ request: PropertyListValue, _ state: QueuedCommand.State = .acknowledged, finished: TimeInterval? = nil,
        answer: PropertyListValue? = nil
    ) throws -> QueuedCommand {
        let uuid = UUID().uuidString
        let command = try Command(uuid: uuid, request: request)
        let report = answer.map {
            CommandReport(
                identifier: Fixture.identifier("D1"), status: .acknowledged, commandUUID: uuid, contents: $0)
        }
        return QueuedCommand(
            uuid: uuid, requestType: command.requestType, document: command.encoded(), state: state,
            deferred: false, author: "admin", created: now, sent: now,
            finished: state.isOpen ? nil : now + (finished ?? 0), result: report?.encoded(), resultTooLarge: false)
    }

    /// The values that are sent again if the device's last report names the configuration `named`.
    private func resent(after commands: [QueuedCommand], named: String?) throws -> [PropertyListValue?] {
        let status = CommandedAppStatus(
            identifier: Self.app, hasConfiguration: named != nil, configuration: named.map(digest))
        return try ResentConfigurations.commands(for: "D1", run: "b", reported: [status], after: commands, at: now)
            .flatMap { try AppSettings(Command(parsing: $0.document).request).items }
            .map { item in
                guard case .configuration(let app, let value) = item, app == Self.app else { return nil }
                return value
            }
    }

    @Test func theNewestThatWasAcknowledgedIsSent() throws {
        let install = InstallApplication(identifier: Self.app, configuration: configuration("1")).request
        let commands = [try sent(install), try sent(settings("2")), try sent(settings("3"), .error)]
        #expect(try resent(after: commands, named: "2") == [configuration("2")])
        #expect(try resent(after: commands, named: "1") == [configuration("2")], "not named yet")
        #expect(try resent(after: commands + [try sent(settings(nil))], named: "2") == [nil], "it was taken away")
    }

    /// An app that had a newer value never gets an older one.
    @Test func whereANewerOneMayBeOnItsWayOrForgottenNothingIsSent() throws {
        let first = try sent(settings("1"))
        #expect(try resent(after: [first, try sent(settings("2"), .sent)], named: "1") == [])
        #expect(try resent(after: [first, try sent(settings("2"), .retired)], named: "1") == [])
        #expect(try resent(after: [first], named: "2") == [], "the command that gave the second was removed")
        #expect(try resent(after: [first], named: nil) == [], "an agent that names none")
        let late = try sent(settings("1"), finished: 9)
        #expect(try resent(after: [late, try sent(settings("2"), finished: 5)], named: "1") == [configuration("1")])
        let install = InstallApplication(
            manifestURL: "https://example.com/m.plist", configuration: configuration("2")
        ).request
        #expect(try resent(after: [first, try sent(install, .sent)], named: "1") == [], "of which app is not known")
        let answer = PropertyListValue.dictionary(["Identifier": .string(Self.app)])
        #expect(try resent(after: [first, try sent(install, answer: answer)], named: "1") == [configuration("2")])
    }

    @Test func whatWasRefusedOrRemovedIsNotSent() throws {
        let first = try sent(settings("1"))
        let refusal: PropertyListValue = .dictionary([
            "Settings": .array([.dictionary(["Status": .string("Error"), "Identifier": .string(Self.app)])])
        ])
        let refused = try sent(settings("2"), answer: refusal)
        #expect(try resent(after: [first, refused], named: "1") == [configuration("1")])
        let removal = try sent(RemoveApplication(identifier: Self.app).request)
        #expect(try resent(after: [first, removal], named: "1") == [])
    }

    /// Red if the app has no configuration until an administrator sends it again.
    @Test func aDeviceThatBeginsWithAnOlderCopyIsSentItOnce() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let command = try #require(
            await fixture.management.enqueue(settings("1"), for: "D1", author: "admin").value)
        #expect(try await fixture.command(.idle)?.uuid == command.uuid)
        _ = try await fixture.report(.acknowledged, command.uuid)
        func say(_ run: String, found: Int, serving: Int, configuration: String?) async throws {
            var report = StatusReport()
            report.set(
                AtRestStatus(keyHolder: .file, run: run, found: found, serving: serving).value, at: AtRestStatus.name)
            let status = CommandedAppStatus(
                identifier: Self.app, hasConfiguration: configuration != nil, configuration: configuration)
            report.set(.array([status.value]), at: CommandedAppStatus.name)
            #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        }
        func open() async throws -> [QueuedCommand] {
            try #require(await fixture.management.commands(of: "D1", PageRequest()).value).items.filter {
                $0.state.isOpen
            }
        }
        try await say("a", found: 0, serving: 7, configuration: digest("1"))
        #expect(try await open().isEmpty)
        for serving in [5, 6] {
            try await say("b", found: 4, serving: serving, configuration: nil)
            let commands = try await open()
            #expect(commands.count == 1 && commands.first?.author == "server")
            let request = try commands.first.map { try Command(parsing: $0.document).request }
            #expect(request == settings("1"))
        }
    }
}
