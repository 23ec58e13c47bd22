import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A device that waits in its setup is let out when what is meant for it is there (S4-PLAT-05).
struct SetupTests {
    private static let app = "com.example.app"

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        try await update(awaits: true)
    }

    private func update(awaits: Bool?) async throws {
        let message = TokenUpdate(
            identifier: Fixture.identifier("D1"), topic: "t", token: Data([1]), pushMagic: "m",
            awaitingConfiguration: awaits)
        #expect(try await fixture.management.checkIn(.tokenUpdate(message), signer: Fixture.signer) == .done)
    }

    /// Has the device report on its declarations as they are, and on the app; of secrets that they cannot be had, and why.
    private func report(
        app state: String?, valid: String = "valid", without kind: String? = nil, secretsFail code: String? = nil
    ) async throws {
        let items = try #require(try await fixture.document(.declarationItems)?["Declarations"])
        var declarations: [String: JSONValue] = [:]
        for (name, status) in [
            ("Activations", "activations"), ("Configurations", "configurations"), ("Assets", "assets"),
            ("Management", "management"),
        ] where status != kind {
            declarations[status] = .array(
                (items[name]?.array ?? []).map { item in
                    var members: [String: JSONValue] = [
                        "identifier": item["Identifier"] ?? .null, "server-token": item["ServerToken"] ?? .null,
                        "active": .boolean(true), "valid": .string(status == "assets" ? valid : "valid"),
                    ]
                    let identifier = item["Identifier"]?.string ?? ""
                    if let code, identifier.hasPrefix("martlet.secret.") {
                        members["valid"] = .string("invalid")
                        members["reasons"] = .array([.object(["code": .string(code)])])
                    } else if code != nil, identifier.hasPrefix("martlet.app.") {
                        let missing = (items["Assets"]?.array ?? []).compactMap { $0["Identifier"]?.string }
                            .filter { $0.hasPrefix("martlet.secret.") }.map(JSONValue.string)
                        members["valid"] = .string("invalid")
                        members["reasons"] = .array([
                            .object([
                                "code": .string("Error.MissingAssets"),
                                "details": .object(["AssetIdentifiers": .array(missing)]),
                            ])
                        ])
                    }
                    return .object(members)
                })
        }
        var report = StatusReport()
        report.set(.object(declarations), at: DeclarationStatuses.name)
        if let state {
            report.set(
                .array([.object(["identifier": .string(Self.app), "state": .string(state)])]), at: AppStatus.name)
        }
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func released() async throws -> [QueuedCommand] {
        try #require(await fixture.management.commands(of: "D1", PageRequest()).value).items
            .filter { $0.requestType == "DeviceConfigured" }
    }

    /// Red before: a later TokenUpdate that does not say it ended the setup for the server, which never let the device out.
    @Test func whatItDoesNotSayAgainStillStands() async throws {
        try await update(awaits: nil)
        #expect(try await fixture.management.device("D1")?.awaitsConfiguration == true)
        try await update(awaits: false)
        try await update(awaits: nil)
        #expect(try await fixture.management.device("D1")?.awaitsConfiguration == false)
    }

    @Test func itIsLetOutOnceItsAppIsThere() async throws {
        #expect(try await fixture.management.device("D1")?.awaitsConfiguration == true)
        for state in [nil, "queued", "downloading", "failed", "not-present"] {
            try await report(app: state)
            #expect(try await released().isEmpty, "\(state ?? "unknown")")
        }
        try await report(app: "managed", valid: "invalid")
        try await report(app: "managed", without: "configurations")
        #expect(try await released().isEmpty)
        try await report(app: "managed")
        let command = try #require(try await released().first)
        let audit = try await fixture.management.auditEntries(AuditFilter(action: .queueCommand), PageRequest()).items
        #expect(audit.map(\.actor) == ["server"])
        // Said once, however often the device reports before it takes the command.
        try await report(app: "optional")
        #expect(try await released() == [command])
        #expect(try await fixture.command(.idle)?.requestType == "DeviceConfigured")
        _ = try await fixture.report(.acknowledged, command.uuid)
        #expect(try await fixture.management.device("D1")?.awaitsConfiguration == false)
        try await report(app: "managed")
        #expect(try await released().count == 1)
    }

    /// D3: a secret that its chip refuses keeps no device in its setup; one that is tried again does.
    @Test(arguments: [
        ("Error.AssetCannotBeDownloaded", false), ("Error.AssetCannotBeDeserialized", true),
        ("Error.AssetCannotBeVerified", true),
    ])
    func onlyASecretThatMayStillComeIsWaitedFor(code: String, isLetOut: Bool) async throws {
        let slot = SecretSlot(group: "all", app: Self.app, kind: .password, identifier: "login")
        _ = try await fixture.management.setSecret(
            "pin", to: .password(userName: nil, password: "p"), author: "alice")
        _ = try #require(try await fixture.management.assignSecret("pin", to: slot, author: "alice").value)
        try await report(app: "managed", secretsFail: code)
        #expect(try await released().isEmpty != isLetOut)
    }

    @Test func oneThatRefusesTheCommandStillWaits() async throws {
        try await report(app: "managed")
        let command = try #require(try await released().first)
        _ = try await fixture.command(.idle)
        _ = try await fixture.report(.error, command.uuid)
        #expect(try await fixture.management.device("D1")?.awaitsConfiguration == true)
    }

    @Test func whatDoesNotWaitIsNotLetOut() async throws {
        try await update(awaits: false)
        try await report(app: "managed")
        #expect(try await released().isEmpty)
    }
}
