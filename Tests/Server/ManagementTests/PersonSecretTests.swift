import DeviceMessages
import Foundation
import InputBounds
import Management
import Synchronization
import Testing

/// Passwords that people have of their own: given to the devices of exactly these people.
struct PersonSecretTests: OwnPasswords {
    static let firstSigner: UInt8 = 60
    static let table = "person,password\nanna,PLANTED-anna\nben,PLANTED-ben\n"

    let fixture: Fixture

    /// Three devices in a group; the first two are Anna's, the third is no person's.
    init() async throws {
        fixture = try Fixture()
        for number in 0..<3 { try await fixture.enrol("D\(number)", signer: Self.signer(number), serial: "S\(number)") }
        try await fixture.assign()
        for name in ["anna", "ben"] {
            _ = try await fixture.management.putPerson(Person(userName: name), author: "admin")
        }
        for device in ["D0", "D1"] { try await have(device, "anna") }
    }

    private func have(_ device: String, _ person: String?) async throws {
        let refusal = try await fixture.management.setPerson(person, ofDevice: device, author: "admin")
        #expect(refusal == nil)
    }

    /// The token and the address of the credential that a device's declarations name; nothing when they name none.
    private func asset(_ number: Int) async throws -> (token: String, url: String)? {
        guard let asset = try await fixture.passwordAsset(of: "D\(number)") else { return nil }
        return (
            try #require(asset["ServerToken"]?.string), try #require(asset["Payload"]?["Reference"]?["DataURL"]?.string)
        )
    }

    @Test func allDevicesOfAPersonGetThePersonsValueAndNoOtherDoes() async throws {
        let change = try #require(await set().value)
        #expect(change.owners == .person && change.set == 2 && change.total == 2)
        #expect(Set(change.devices.map(\.key)) == ["D0", "D1"])
        #expect(change.secret.current.description.personValues == 2)
        try await give()
        #expect(try await password(0) == "PLANTED-anna")
        #expect(try await password(1) == "PLANTED-anna")
        #expect(try await password(2) == nil)
        #expect(try await credential(2, 1) == nil, "asked for by its address")
        let device = try #require(await fixture.management.device("D2"))
        #expect(
            try await fixture.management.manifest(of: device).withheld.map(\.reason) == [.noDeviceValue(secret: "pin")])
    }

    /// The device's own counts before its person's, and that before the one for all; without one the next counts.
    @Test func theNearestValueCounts() async throws {
        _ = try #require(
            await fixture.management.setSecret(
                "pin", to: .password(userName: nil, password: "PLANTED-all"), author: "admin"
            ).value)
        try await set()
        try await set("serialNumber,password\nS0,PLANTED-zero\nS2,PLANTED-two\n")
        try await give()
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == "PLANTED-anna")
        #expect(try await password(2) == "PLANTED-two")
        let description = try #require(await fixture.management.secret(named: "pin")).current.description
        #expect(description.deviceValues == 2 && description.personValues == 2)
        try await set("serialNumber,password\nS2,PLANTED-two\n", replaces: true)
        #expect(try await password(0) == "PLANTED-anna")
        try await set("person,password\nben,PLANTED-ben\n", replaces: true)
        #expect(try await password(0) == "PLANTED-all")
        #expect(try await password(2) == "PLANTED-two", "a table of people takes nothing from devices")
    }

    /// Two people's values may be of one version: the token changes with the person, so that the device downloads anew.
    @Test func aDeviceOfAnotherPersonDownloadsAnew() async throws {
        try await set()
        try await give()
        let before = try #require(await asset(0))
        try await have("D0", "ben")
        let after = try #require(await asset(0))
        #expect(after.url == before.url && after.token != before.token)
        #expect(try await password(0) == "PLANTED-ben")
        try fixture.restart()
        #expect(try await asset(0)?.token == after.token)
        try await have("D0", nil)
        #expect(try await password(0) == nil)
        #expect(try await credential(0, 1) == nil, "no longer the person's")
    }

    @Test func anExplanationNamesThePerson() async throws {
        try await set()
        try await give()
        let found = try #require(await fixture.management.explain("D0").value)
        #expect(found.apps.first?.secrets.first?.owner == .person("anna"))
        #expect(!"\(found)".contains("PLANTED"))
    }

    /// The same table again changes nothing; another value in one line concerns only that person's devices.
    @Test func onlyWhatIsAnotherChanges() async throws {
        try await set()
        try await give()
        try await have("D2", "ben")
        let before = try #require(await asset(0))
        let again = try #require(await set().value)
        #expect(again.set == 0 && again.secret.current.number == 1 && again.devices.isEmpty)
        let change = try #require(
            await set("person,password\nanna,PLANTED-anna\nben,PLANTED-other\n").value)
        #expect(change.set == 1 && change.devices.map(\.key) == ["D2"])
        #expect(try await asset(0)?.token == before.token)
        #expect(try await password(0) == "PLANTED-anna")
        #expect(try await password(2) == "PLANTED-other")
    }

    @Test(arguments: [
        ("person\nanna\n", "line 1: the columns serialNumber and password are needed, or person and password"),
        ("serialNumber,person,password\n", "line 1, column 2: a table has a column serialNumber or person, not both"),
        ("person,password\nanna,PLANTED\ncarla,b\n", "line 3, column 1: there is no such person"),
        ("person,password\nanna,PLANTED\nanna,b\n", "line 3, column 1: an earlier line has the same person"),
        ("person,password\n,b\n", "line 2, column 1: a user name"),
    ])
    func aTableWithOneMistakeChangesNothing(table: String, place: String) async throws {
        let refusal = try await set(table).refusal
        #expect(refusal?.reason.hasPrefix("The table is refused, \(place)") == true, "\(refusal?.reason ?? "taken")")
        #expect(refusal?.reason.contains("PLANTED") == false)
        #expect(try await fixture.management.secret(named: "pin") == nil)
    }

    /// No value stands in the store or in the audit log; releases are on the record; a new master key wraps all.
    @Test func valuesAreSealedRecordedAndRewrapped() async throws {
        try await set()
        try await give()
        #expect(try await password(1) == "PLANTED-anna")
        let bytes = try fixture.files().reduce(Data(), +)
        for value in ["PLANTED-anna", "PLANTED-ben"] { #expect(bytes.range(of: Data(value.utf8)) == nil) }
        let entries = try await fixture.management.auditEntries(AuditFilter(subject: "pin"), PageRequest()).items
        #expect(
            entries.contains { $0.action == "secret.values.set" && $0.details.contains("\"owner\":\"person\"") })
        #expect(entries.contains { $0.action == "secret.release" && $0.actor.contains("D1") })
        #expect(entries.allSatisfy { !$0.details.contains("PLANTED") })
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() + "\n" + $0 }
        #expect(try await fixture.management.rewrapSecrets() == 1)
        fixture.surroundings.keys.withLock { $0 = String($0.prefix { !$0.isNewline }) }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == nil)
        #expect(try await password(0) == "PLANTED-anna")
    }
}
