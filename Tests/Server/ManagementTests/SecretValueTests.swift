import DeviceMessages
import Foundation
import InputBounds
import Management
import Synchronization
import Testing

/// Passwords that single devices have of their own: given to exactly those, and to nobody else's eyes.
struct SecretValueTests: OwnPasswords {
    static let firstSigner: UInt8 = 40
    static let table = "serialNumber,password\nS0,PLANTED-zero\nS1,PLANTED-one\n"

    let fixture: Fixture

    /// Three devices in a group; the third has no serial number.
    init() async throws {
        fixture = try Fixture()
        for number in 0..<3 {
            try await fixture.enrol(
                "D\(number)", signer: Self.signer(number), serial: number < 2 ? "S\(number)" : nil)
        }
        try await fixture.assign()
    }

    private func token(_ number: Int) async throws -> String {
        let device = try #require(await fixture.management.device("D\(number)"))
        return try await fixture.management.manifest(of: device).declarationsToken
    }

    @Test func eachDeviceGetsItsOwnAndNoOthers() async throws {
        let change = try #require(await set().value)
        #expect(change.set == 2 && change.total == 2 && change.secret.current.number == 1)
        #expect(change.secret.current.description.deviceValues == 2)
        try await give()
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == "PLANTED-one")
        #expect(try await password(2) == nil)
        #expect(try await credential(2, 1) == nil, "asked for by its address")
        let device = try #require(await fixture.management.device("D2"))
        #expect(
            try await fixture.management.manifest(of: device).withheld.map(\.reason) == [.noDeviceValue(secret: "pin")])
    }

    /// A device without a serial number is named by its ID.
    @Test func aDeviceWithoutASerialNumberIsNamedByItsID() async throws {
        try await set("password,serialNumber\nPLANTED-two,D2\n")
        try await give()
        #expect(try await password(2) == "PLANTED-two")
    }

    @Test func withoutItsOwnADeviceGetsWhatIsForAll() async throws {
        try await set()
        try await give()
        _ = try #require(
            await fixture.management.setSecret(
                "pin", to: .password(userName: nil, password: "PLANTED-all"), author: "admin"
            ).value)
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(2) == "PLANTED-all")
        #expect(try await fixture.management.secret(named: "pin")?.current.description.deviceValues == 2)
        try await set("serialNumber,password\nS2,x\n", replaces: true)
        #expect(try await password(0) == "PLANTED-all")
    }

    /// Cost follows changes: the same table again is nothing, one other line touches one device.
    @Test func onlyWhatIsAnotherChanges() async throws {
        try await set()
        try await give()
        let before = (try await token(0), try await token(1))
        let again = try #require(await set().value)
        #expect(again.set == 0 && again.secret.current.number == 1 && again.devices.isEmpty)
        let change = try #require(
            await set("serialNumber,password\nS0,PLANTED-zero\nS1,PLANTED-other\n").value)
        #expect(change.set == 1 && change.secret.current.number == 2 && change.devices.map(\.key) == ["D1"])
        #expect(try await token(0) == before.0)
        #expect(try await token(1) != before.1)
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == "PLANTED-other")
        #expect(try await credential(1, 1) == nil, "the old value is gone")
        #expect(try await credential(0, 2) == nil, "another device's version")
        try fixture.restart()
        #expect(try await (password(0), password(1)) == ("PLANTED-zero", "PLANTED-other"))
    }

    @Test func aTableMayTakeValuesAway() async throws {
        try await set()
        try await give()
        let change = try #require(await set("serialNumber,password\nS1,PLANTED-one\n", replaces: true).value)
        #expect(change.set == 0 && change.removed == 1 && change.total == 1 && change.devices.map(\.key) == ["D0"])
        #expect(try await password(0) == nil)
        #expect(try await password(1) == "PLANTED-one")
    }

    @Test(arguments: [
        ("serialNumber\nS0\n", "line 1: the columns serialNumber and password are needed"),
        ("serialNumber,password,x\n", "line 1, column 3: the columns are"),
        ("serialNumber,password\nS0,\n", "line 2, column 2: a password is 1 to 4096 bytes"),
        ("serialNumber,password\nS0,a\n,b\n", "line 3, column 1: a serial number is 1 to 256 printable ASCII"),
        ("serialNumber,password\nS0,PLANTED\nS0,b\n", "line 3, column 1: an earlier line has the same serial"),
        ("serialNumber,userName,password\nS0,${person.nam},b\n", "line 2, column 2: the user name has a variable"),
    ])
    func aTableWithOneMistakeChangesNothing(table: String, place: String) async throws {
        let refusal = try await set(table).refusal
        #expect(refusal?.reason.hasPrefix("The table is refused, \(place)") == true, "\(refusal?.reason ?? "taken")")
        #expect(refusal?.reason.contains("PLANTED") == false)
        #expect(try await fixture.management.secret(named: "pin") == nil)
    }

    @Test func whoSawAnOlderVersionIsRefused() async throws {
        try await set()
        #expect(try await set("serialNumber,password\nS0,x\n", expected: .absent).refusal == .versionMoved(current: 1))
        #expect(
            try await set("serialNumber,password\nS0,x\n", expected: .version(7)).refusal == .versionMoved(current: 1))
    }

    @Test func onlyAPasswordHasValuesOfDevices() async throws {
        let recipe = SCEPRecipe(authority: .external(url: "https://ca.example.com"), subject: [])
        _ = try #require(await fixture.management.setSecret("pin", to: .scep(recipe), author: "admin").value)
        #expect(try await set().refusal?.kind == .invalid)
    }

    /// A user name with variables follows the person; a device without one is not given the password.
    @Test func aUserNameMayHoldVariables() async throws {
        let management = try fixture.management
        _ = try await management.putPerson(Person(userName: "anna"), author: "admin")
        _ = try await management.setPerson("anna", ofDevice: "D0", author: "admin")
        try await set("serialNumber,userName,password\nS0,${person.userName},PLANTED-zero\nS1,${person.userName},b\n")
        try await give()
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == nil)
        let device = try #require(await management.device("D1"))
        #expect(try await management.manifest(of: device).withheld.map(\.reason) == [.noValue(["person.userName"])])
    }

    /// Credentials with variables change their token when a value does: the device asks for them again.
    @Test func aChangedPersonChangesTheTokenOfTheCredential() async throws {
        let management = try fixture.management
        _ = try await management.putPerson(Person(userName: "anna", details: [.email: "a@b"]), author: "admin")
        _ = try await management.setPerson("anna", ofDevice: "D0", author: "admin")
        _ = try await management.setSecret(
            "pin", to: .password(userName: "${person.email}", password: "PLANTED-all"), author: "admin")
        try await give()
        let before = try await token(0)
        _ = try await management.putPerson(Person(userName: "anna", details: [.email: "c@d"]), author: "admin")
        #expect(try await token(0) != before)
        #expect(try await password(0) == "PLANTED-all")
        #expect(try await password(1) == nil)
    }

    /// A subject with the device's own name makes no manifest of its own: only whether there is a name counts.
    @Test func devicesWithIdentitiesOfTheirOwnShareAManifest() async throws {
        let management = try fixture.management
        let subject = [SubjectAttribute(type: "CN", value: "${device.serialNumber}")]
        let recipe = SCEPRecipe(authority: .external(url: "https://ca.example.com"), subject: subject)
        _ = try #require(await management.setSecret("client", to: .scep(recipe), author: "admin").value)
        let slot = SecretSlot(group: "all", app: "com.example.app", kind: .identity, identifier: "id")
        _ = try #require(await management.assignSecret("client", to: slot, author: "admin").value)
        #expect(try await token(0) == token(1))
        let context = try await fixture.context("D1", signer: Self.signer(1))
        let document = try await management.credential(name: "client", version: 1, for: context).value
        #expect(document.map { String(decoding: $0.bytes, as: UTF8.self).contains("\"S1\"") } == true)
        // The third has no serial number: it gets nothing half filled in, and its page says why.
        #expect(try await token(2) != token(1))
        let device = try #require(await management.device("D2"))
        #expect(
            try await management.manifest(of: device).withheld.map(\.reason) == [.noValue(["device.serialNumber"])])
    }

    /// Two devices that say the same serial number: neither is given what is meant for one.
    @Test func aBorrowedSerialNumberGivesNothing() async throws {
        try await set()
        try await give()
        #expect(try await password(0) == "PLANTED-zero")
        try await fixture.enrol("THIEF", signer: Data(repeating: 99, count: 32), serial: "S0")
        let thief = try await fixture.context("THIEF", signer: Data(repeating: 99, count: 32))
        #expect(try await fixture.management.credential(name: "pin", version: 1, for: thief).value == nil)
        #expect(try await password(0) == nil)
        _ = try await fixture.management.withdraw("THIEF", author: "admin")
        #expect(try await credential(0, 1) == "PLANTED-zero")
    }

    /// No value stands in the store, in the log of changes, in any text; a new master key wraps them all.
    @Test func valuesAreSealedAndRewrapped() async throws {
        try await set()
        try await give()
        let bytes = try fixture.files().reduce(Data(), +)
        for value in ["PLANTED-zero", "PLANTED-one"] { #expect(bytes.range(of: Data(value.utf8)) == nil) }
        let entries = try await fixture.management.auditEntries(AuditFilter(subject: "pin"), PageRequest()).items
        #expect(entries.contains { $0.action == "secret.values.set" && $0.details.contains("\"set\":2") })
        #expect(entries.allSatisfy { !$0.details.contains("PLANTED") })
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() + "\n" + $0 }
        #expect(try await fixture.management.rewrapSecrets() == 1)
        fixture.surroundings.keys.withLock { $0 = String($0.prefix { !$0.isNewline }) }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == nil)
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == "PLANTED-one")
    }

    /// Hundreds of versions later the first device still has the value of the first.
    @Test func anOldVersionStaysAsLongAsADeviceHasItsValue() async throws {
        try await set()
        try await give()
        for number in 0..<(SecretLimits.versions + 5) { try await set("serialNumber,password\nS1,v\(number)\n") }
        #expect(try await password(0) == "PLANTED-zero")
        #expect(try await password(1) == "v\(SecretLimits.versions + 4)")
    }
}
