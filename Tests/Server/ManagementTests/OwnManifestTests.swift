import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Configurations with variables: each device gets its own, and cost follows changes (S4-GOAL-02, D3).
struct OwnManifestTests {
    private static let signers = [Data(repeating: 11, count: 32), Data(repeating: 12, count: 32)]
    private static let asset = DeclarativeEndpoint.declaration(.asset, identifier: "martlet.data.com.example.app")

    private let fixture: Fixture

    /// Two devices in one group, of two people.
    init() async throws {
        fixture = try Fixture()
        let management = try fixture.management
        for (number, name) in ["anna", "ben"].enumerated() {
            try await fixture.enrol("D\(number)", signer: Self.signers[number], serial: "S\(number)")
            let person = Person(userName: name, details: [.email: "\(name)@example.com", .department: "Forest"])
            _ = try await management.putPerson(person, author: "admin")
            #expect(try await management.setPerson(name, ofDevice: "D\(number)", author: "admin") == nil)
        }
        try await fixture.assign(value: "<${person.email}> on ${device.serialNumber}")
    }

    /// What a device downloads as its configuration, over the protocol.
    private func downloaded(_ number: Int) async throws -> PropertyListValue? {
        let context = try await fixture.context("D\(number)", signer: Self.signers[number])
        guard
            let sha256 = try await fixture.document(Self.asset, device: "D\(number)", signer: Self.signers[number])?[
                "Payload"]?["Reference"]?["Hash-SHA-256"]?.string,
            let document = try await fixture.management.asset(sha256: sha256, for: context)
        else { return nil }
        #expect(Fixture.sha256(document.bytes) == sha256 && document.mediaType == "application/xml")
        return try PropertyListValue(parsing: document.bytes, limits: .configuration)["value"]
    }

    private func token(_ number: Int) async throws -> String {
        let device = try #require(await fixture.management.device("D\(number)"))
        return try await fixture.management.manifest(of: device).declarationsToken
    }

    private func items(_ number: Int) async throws -> JSONValue? {
        try await fixture.document(.declarationItems, device: "D\(number)", signer: Self.signers[number])
    }

    /// S4-GOAL-02: one template, two people, two devices: each downloads its own values.
    @Test func eachDeviceGetsItsPersonsValues() async throws {
        #expect(try await downloaded(0) == .string("<anna@example.com> on S0"))
        #expect(try await downloaded(1) == .string("<ben@example.com> on S1"))
        let context = try await fixture.context("D0", signer: Self.signers[0])
        let other = try #require(
            await fixture.document(Self.asset, device: "D1", signer: Self.signers[1])?["Payload"]?["Reference"]?[
                "Hash-SHA-256"]?.string)
        #expect(try await fixture.management.asset(sha256: other, for: context) == nil, "another's file")
    }

    @Test func anotherPersonsValuesGoWithTheDevice() async throws {
        _ = try await fixture.management.setPerson("ben", ofDevice: "D0", author: "admin")
        #expect(try await downloaded(0) == .string("<ben@example.com> on S0"))
    }

    /// A device without a person: the app stays, its configuration is withheld, and the manifest says why.
    @Test func withoutAValueTheConfigurationIsWithheldAndTheAppStays() async throws {
        let management = try fixture.management
        _ = try await management.setPerson(nil, ofDevice: "D0", author: "admin")
        #expect(try await downloaded(0) == nil)
        let app = try await fixture.document(
            .declaration(.configuration, identifier: "martlet.app.com.example.app"), device: "D0",
            signer: Self.signers[0])
        #expect(app?["Payload"]?["AppComposedIdentifier"]?.string == "com.example.app (TEAM)")
        #expect(app?["Payload"]?["AppConfig"] == nil)
        let device = try #require(await management.device("D0"))
        #expect(
            try await management.manifest(of: device).withheld == [
                Withheld(app: "com.example.app", subject: .configuration, reason: .noValue(["person.email"]))
            ])
        _ = try await management.setPerson("anna", ofDevice: "D0", author: "admin")
        #expect(try await downloaded(0) == .string("<anna@example.com> on S0"))
    }

    /// What does not use the values keeps its token; what does changes in the data asset alone.
    @Test func tokensFollowBytes() async throws {
        let before = (try await token(0), try await token(1))
        #expect(before.0 != before.1)
        try fixture.restart()
        #expect(try await (token(0), token(1)) == before, "the same after a restart")
        let person = Person(userName: "anna", details: [.email: "anna@example.com", .department: "Lakes"])
        _ = try await fixture.management.putPerson(person, author: "admin")
        #expect(try await (token(0), token(1)) == before, "nothing uses the department")
        let moved = Person(userName: "anna", details: [.email: "graf@example.com"])
        _ = try await fixture.management.putPerson(moved, author: "admin")
        #expect(try await token(0) != before.0)
        #expect(try await token(1) == before.1)
        _ = try await fixture.management.putPerson(person, author: "admin")
        #expect(try await token(0) == before.0, "the first bytes again, the first token again")
    }

    @Test func withoutVariablesAllDevicesShareOneManifest() async throws {
        try await fixture.configure(value: "the same")
        #expect(try await token(0) == token(1))
        try await fixture.configure(value: "$${person.email}")
        #expect(try await token(0) == token(1))
        #expect(try await downloaded(0) == .string("${person.email}"))
    }

    /// A change of one person wakes that person's devices and no others.
    @Test func onlyThePersonsDevicesAreWoken() async throws {
        let management = try fixture.management
        for number in 0..<2 {
            _ = try await items(number)
            let command = try await fixture.command(.idle, device: "D\(number)", signer: Self.signers[number])
            #expect(command == nil, "told of everything")
        }
        func listen(_ key: String, _ signer: Data) async throws -> Task<Int, Never> {
            let stream = try await management.subscribe(await fixture.context(key, signer: signer))
            return Task { await stream.reduce(into: 0) { count, _ in count += 1 } }
        }
        let first = try await listen("D0", Self.signers[0])
        let second = try await listen("D1", Self.signers[1])
        // In nothing that is used:
        let same = Person(userName: "ben", details: [.email: "ben@example.com", .department: "Lakes"])
        _ = try await management.putPerson(same, author: "admin")
        // And in what is used:
        let moved = Person(userName: "anna", details: [.email: "graf@example.com"])
        _ = try await management.putPerson(moved, author: "admin")
        management.wakeHub.disconnectAll()
        #expect(await first.value == 1)
        #expect(await second.value == 0)
        let command = try await fixture.command(.idle, device: "D0", signer: Self.signers[0])
        #expect(command?.requestType == "DeclarativeManagement")
        #expect(try await fixture.command(.idle, device: "D1", signer: Self.signers[1]) == nil)
    }

    /// A device that synchronizes while its values change still gets the items of the manifest that it has.
    ///
    /// So it does after a restart.
    @Test func whatADeviceWasToldOfStaysUntilItIsToldAnew() async throws {
        let items = try #require(await items(0))
        let told = items["Declarations"]?["Assets"]?.array?.first?["ServerToken"]?.string
        let moved = Person(userName: "anna", details: [.email: "graf@example.com"])
        _ = try await fixture.management.putPerson(moved, author: "admin")
        try fixture.restart()
        let asset = try #require(
            await fixture.document(Self.asset, device: "D0", signer: Self.signers[0]))
        #expect(asset["ServerToken"]?.string == told)
        #expect(try await downloaded(0) == .string("<anna@example.com> on S0"))
        // Pruning takes nothing that a device was told of.
        fixture.advance(30 * 24 * 3_600)
        try await fixture.management.maintain()
        try fixture.restart()
        #expect(try await downloaded(0) == .string("<anna@example.com> on S0"))
        _ = try await self.items(0)
        #expect(try await downloaded(0) == .string("<graf@example.com> on S0"))
    }

    /// A device with nothing to do costs no reading, though its manifest is its own.
    @Test func nothingToDoCostsNoReading() async throws {
        for number in 0..<2 {
            _ = try await items(number)
            _ = try await fixture.report(.idle, device: "D\(number)", signer: Self.signers[number])
        }
        try fixture.closeStore()
        for number in 0..<2 {
            #expect(
                try await fixture.report(.idle, device: "D\(number)", signer: Self.signers[number]) == .nothing)
            #expect(try await items(number) != nil)
        }
        try fixture.reopen()
    }

    /// What a device says of itself is a value as any other; control characters are none.
    @Test func aHostileNameOfADeviceIsNoValue() async throws {
        try await fixture.enrol("D9", signer: Data(repeating: 19, count: 32), serial: "x\u{1}</string>")
        _ = try await fixture.management.setPerson("anna", ofDevice: "D9", author: "admin")
        let device = try #require(await fixture.management.device("D9"))
        #expect(
            try await fixture.management.manifest(of: device).withheld.map(\.reason)
                == [.noValue(["device.serialNumber"])])
    }

    @Test func anOldConfigurationComesBackWithItsVariables() async throws {
        try await fixture.configure(value: "plain")
        let reverted = try await fixture.management.revertConfiguration(
            app: "com.example.app", name: "main", to: 1, expected: .any, author: "admin")
        #expect(reverted.value?.version.variables == ["device.serialNumber", "person.email"])
        #expect(try await downloaded(1) == .string("<ben@example.com> on S1"))
    }

    @Test func anUnknownVariableIsRefusedAndNothingIsLost() async throws {
        let refusal = try await fixture.management.putConfiguration(
            app: "com.example.app", name: "main", bytes: Fixture.configuration("${person.mail}"), expected: .any,
            author: "admin"
        ).refusal
        #expect(
            refusal?.reason
                == "The text at value has a variable that is not known, ${person.mail} (did you mean ${person.email}?); "
                + "a text of the app's own is written $${person.mail}.")
        #expect(try await downloaded(0) == .string("<anna@example.com> on S0"))
    }

    /// What is filled into the configuration of an extension is each device's own, and withheld where it has no value.
    @Test func anExtensionsConfigurationHasTheDevicesValues() async throws {
        let management = try fixture.management
        let list = "<plist version=\"1.0\"><dict><key>user</key><string>${person.email}</string></dict></plist>"
        _ = try await management.putConfiguration(
            app: "com.example.app", name: "tunnel", bytes: Data(list.utf8), expected: .any, author: "admin")
        let name = "com.example.app.tunnel"
        _ = try await management.assign(
            app: "com.example.app", configuration: nil, extensions: [name: "tunnel"], to: "all", author: "admin")
        func given(_ number: Int) async throws -> Manifest {
            try await management.manifest(of: try #require(await management.device("D\(number)")))
        }
        let (anna, ben) = (try await given(0), try await given(1))
        #expect(anna.assets.keys != ben.assets.keys && anna.assets.count == 1)
        let bytes = try #require(anna.files.values.first)
        #expect(try PropertyListValue(parsing: bytes, limits: .configuration)["user"] == .string("anna@example.com"))
        _ = try await management.setPerson(nil, ofDevice: "D0", author: "admin")
        let nobody = try await given(0)
        #expect(nobody.assets.isEmpty && nobody.withheld.map(\.subject) == [.extensionConfiguration(name)])
    }
}
