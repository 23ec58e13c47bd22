import DeviceMessages
import Foundation
import InputBounds
import StoreSQLite
import TestInputs
import Testing

@testable import Management

/// Names that two sides could take for one: what is refused, and what an older store has.
struct NameTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Such devices were enrolled before their names were judged.
    ///
    /// Red with dictionaries by text: the preview ended the process, and a device was given the other's context.
    @Test func twoDevicesThatAreOneToSwiftAreTwo() async throws {
        let names = ["DEVICE-\u{E9}", "DEVICE-e\u{301}"]
        for (index, name) in names.enumerated() {
            try await fixture.enrol(name, signer: Data(repeating: UInt8(index + 1), count: 32))
        }
        let (store, rule) = (try fixture.store, try GroupRule(parsing: "kind = device"))
        let candidates = try await store.ruleCandidates(for: rule.facts, group: nil, after: "", limit: 10)
        #expect(candidates.count == 2)
        #expect(candidates.allSatisfy { $0.facts?.device.utf8.elementsEqual($0.key.utf8) == true })
        #expect(try await fixture.management.preview(rule, of: nil, first: 10).value != nil)
        let contexts = DeviceContexts()
        for name in names + names {
            let context = try await contexts.context(name) { try await store.deviceContext(key: name) }
            #expect(context?.key.utf8.elementsEqual(name.utf8) == true)
        }
    }

    /// Devices and users of shared ones in the store, its lists and the caches beside it.
    @Test(arguments: [UInt64(31)])
    func devicesThatAreEasilyTakenForOneAreTwo(seed: UInt64) async throws {
        var pairs = NamePairs(seed: seed)
        let names = pairs.next(24, .visible).flatMap { [$0.one, $0.other] }
        for (index, name) in names.enumerated() {
            try #require(NameRule.enrollment.takes(name), "\(NamePair.scalars(name))")
            try await fixture.enrol(name, signer: Data(repeating: UInt8(index + 1), count: 32), serial: name)
        }
        let (store, management) = (try fixture.store, try fixture.management)
        let listed = try await management.devices(DeviceFilter(), PageRequest(limit: 500)).items
        #expect(Set(listed.map { ByteText($0.id) }) == Set(names.map { ByteText($0) }) && listed.count == names.count)
        let contexts = DeviceContexts()
        for name in names + names.reversed() {
            let device = try await management.device(name)
            #expect(device?.id.utf8.elementsEqual(name.utf8) == true, "\(NamePair.scalars(name))")
            let serial = device?.facts.serialNumber
            #expect(serial?.utf8.elementsEqual(name.utf8) == true, "\(NamePair.scalars(name))")
            let context = try await contexts.context(name) { try await store.deviceContext(key: name) }
            #expect(context?.key.utf8.elementsEqual(name.utf8) == true, "\(NamePair.scalars(name))")
        }
    }

    /// Red while a name was looked up as far as the database reads it.
    @Test func whatIsNobodysNameSignsNobodyIn() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        for name in ["admin\u{0}x", "admin\u{0}", "\u{0}admin", "admin ", "adm\u{131}n"] {
            #expect(
                try await management.logIn(name: name, password: first.oneTimePassword).refusal == .wrongNameOrPassword)
        }
        #expect(try await management.logIn(name: first.name, password: first.oneTimePassword).value != nil)
    }

    /// Red while letters were compared as characters: the sign of kelvin is a K to Swift.
    @Test func anotherSignForALetterIsNoLetter() async throws {
        let management = try fixture.management
        #expect(try await management.addAdministrator(named: "Kurt", rights: .all, author: "a").value != nil)
        let refusal = try await management.addAdministrator(named: "\u{212A}urt", rights: .all, author: "a").refusal
        #expect(refusal?.reason == "An administrator's name is 1 to 128 letters, digits and . _ @ + -.")
        #expect(try await management.administrators().count == 1)
    }

    /// A look-up finds them in either form, a new person has one.
    @Test func aPersonIsSetInComposedFormAndFoundInAny() async throws {
        let management = try fixture.management
        #expect(try await management.putPerson(Person(userName: "ren\u{E9}"), author: "a").value != nil)
        let refusal = try await management.putPerson(Person(userName: "rene\u{301}"), author: "a").refusal
        #expect(refusal == .invalid(rule: "A user name is in composed form (NFC)."))
        #expect(try await management.person("rene\u{301}")?.person.userName.utf8.count == 5)
        #expect(try await management.removePerson("rene\u{301}", author: "a") == nil)
    }

    /// An account is one however it is written, at the invitation and at the sign-in.
    @Test func anAccountIsFoundInEitherForm() async throws {
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "a")
        _ = try await management.putPerson(Person(userName: "rene"), author: "a")
        let issued = try #require(
            await management.invite(
                "rene", account: "Rene\u{301}@example.org", group: "all", validSeconds: nil, author: "a"
            ).value)
        #expect(issued.invitation.account.utf8.elementsEqual("ren\u{E9}@example.org".utf8))
        for account in ["ren\u{E9}@example.org", "rene\u{301}@EXAMPLE.org"] {
            let right = try await management.signIn(account: account, password: issued.password, from: nil)
            #expect(right.value != nil)
        }
    }

    @Test func theIdentifierOfASecretIsInComposedForm() {
        func refusal(_ identifier: String) -> AdminRefusal? {
            SecretSlot(group: "g", app: "a.b", kind: .password, identifier: identifier).refusal
        }
        #expect(refusal("User: \u{FC}") == nil)
        #expect(refusal("User: u\u{308}") == .invalid(rule: "A secret's identifier is in composed form (NFC)."))
        #expect(refusal("a\u{85}") == .invalid(rule: "A secret's identifier has no control characters."))
    }

    /// Red before the log refused it: the device was removed, and the entry could never be verified.
    @Test func aNameThatTheDatabaseWouldCutChangesNothing() async throws {
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "a")
        let device = ExpectedDevice(
            serialNumber: "LAB-1", group: "all", chip: nil, author: "a", created: Fixture.start)
        #expect(try await management.expect([device]) == nil)
        await #expect(throws: (any Error).self) {
            _ = try await management.removeExpectedDevice(serialNumber: "LAB-1\u{0}x", author: "a")
        }
        #expect(try await management.expectedDevice(serialNumber: "LAB-1") != nil)
        #expect(try await management.verifyAudit().fault == nil)
    }

    @Test func whatAReportCallsAnAppOtherwiseIsNotKept() throws {
        let names = ["org.example.app", "org.example.\u{E9}", "org.example.e\u{301}", "a b"]
        let list = JSONValue.array(names.map { AppStatus(identifier: $0, shortVersion: "1").value })
        #expect(ReportedApps(list, isWhole: true).apps.map(\.identifier) == ["org.example.app"])
    }

    /// Red while a rule fitted what is only the same to Swift.
    @Test func aClaimIsComparedByTheByte() throws {
        let rules = try SignInRules(
            parsing: Data(#"{"rules": [{"claim": "groups", "is": "\#u{E9}", "role": "reader"}]}"#.utf8))
        #expect(rules.rights { _ in ["\u{E9}"] } == Rights(role: .reader))
        #expect(rules.rights { _ in ["e\u{301}"] } == nil)
    }
}
