import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What administrators say of devices: which attributes there may be, what a change makes of them, and what follows.
struct AttributeTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func state(
        _ values: [String: String], key: String = "D1", _ state: EnrollmentState = .enrolled
    ) -> AttributeState {
        AttributeState(
            device: ConcernedDevice(key: key, groups: ["all"]), state: state, attributes: AttributeSet(values))
    }

    // MARK: Values

    @Test(arguments: ["location", "assetTag", "a", "x9", String(repeating: "a", count: 32)])
    func aKeyIsASmallLetterAndLettersAndDigitsBehindIt(key: String) {
        #expect(AttributeSet([key: "x"]).brokenRule == nil)
    }

    @Test(arguments: [
        "", "Location", "9a", "asset-tag", "a.b", "é", "a\u{301}", "device", String(repeating: "a", count: 33),
    ])
    func noOtherTextIsAKeyAndNoneIsRepeated(key: String) {
        #expect(AttributeSet([key: "PLANTED"]).brokenRule?.contains("small letter") == true)
    }

    @Test(arguments: ["", " a", "a ", "a\nb", "a\0", String(repeating: "x", count: 1_025)])
    func aValueIsBoundedText(value: String) {
        let rule = AttributeSet(["location": value]).brokenRule
        #expect(rule?.hasPrefix("the attribute “location” ") == true, "\(rule ?? "taken")")
        #expect(AttributeSet(["location": String(repeating: "x", count: 1_024)]).brokenRule == nil)
    }

    @Test func aDeviceHas32AtMost() {
        func some(_ count: Int) -> AttributeSet {
            AttributeSet((1...count).reduce(into: [:]) { values, number in values["a\(number)"] = "x" })
        }
        #expect(some(32).brokenRule == nil)
        #expect(some(33).brokenRule == "a device has at most 32 attributes")
    }

    // MARK: The rule

    private func decide(
        _ edit: AttributeEdit, knowing state: AttributeState?, expected: AttributeSet? = nil
    ) -> Outcome<AttributeChange, AdminRefusal> {
        AttributeChange.decide(edit, knowing: state, expected: expected, by: "admin", at: now)
    }

    @Test func whatIsNotMentionedStays() {
        let before = state(["location": "Lobby", "assetTag": "1", "owner": "IT"])
        let edit = AttributeEdit.mentioned(["location": .becomes("Attic"), "owner": .goes, "assetTag": .becomes("1")])
        let change = decide(edit, knowing: before).value
        #expect(change?.attributes == AttributeSet(["location": "Attic", "assetTag": "1"]))
        #expect(change?.variables == ["device.attributes.location", "device.attributes.owner"])
        #expect(
            change?.audit?.details == ["set": .array([.string("location")]), "removed": .array([.string("owner")])])
        let all = decide(.all(AttributeSet(["floor": "2"])), knowing: before).value
        #expect(all?.attributes == AttributeSet(["floor": "2"]) && all?.variables.count == 4)
    }

    @Test func theSameAgainChangesNothingAndIsNotRecorded() {
        let same = decide(.mentioned(["location": .becomes("Lobby")]), knowing: state(["location": "Lobby"]))
        #expect(same.value?.changesNothing == true && same.value?.variables == [])
    }

    @Test func whoSawOthersAndWhatIsGoneAreRefused() {
        let edit = AttributeEdit.mentioned(["location": .becomes("Attic")])
        #expect(decide(edit, knowing: nil).refusal == .unknownDevice)
        #expect(decide(edit, knowing: state([:], .withdrawn)).refusal == .deviceWithdrawn)
        let moved = decide(edit, knowing: state(["location": "Lobby"]), expected: AttributeSet())
        #expect(moved.refusal == .versionMoved(current: nil))
        let wrong = decide(.mentioned(["location": .becomes(" ")]), knowing: state([:]))
        #expect(wrong.refusal?.reason == "The attribute “location” neither begins nor ends with a space.")
    }

    // MARK: Tables

    private func table(_ text: String, removesEmpty: Bool = false) throws(CSVRefusal) -> [AttributeRow] {
        try AttributeTable.rows(in: Data(text.utf8), removesEmpty: removesEmpty)
    }

    @Test func anEmptyFieldMentionsNothingUntilItIsToRemove() throws {
        let text = "location,device,assetTag\nLobby,D1,\n"
        #expect(
            try table(text) == [AttributeRow(line: 2, device: "D1", attributes: ["location": .becomes("Lobby")])])
        #expect(try table(text, removesEmpty: true).first?.attributes["assetTag"] == .goes)
    }

    @Test(
        arguments: [
            ("location\nLobby\n", "line 1: there is no column"),
            ("device,Location\nD1,a\n", "line 1, column 2: an attribute"),
            ("device,location\n,a\n", "line 2, column 1: the line names no device"),
            ("device,location\nD1\n", "line 2: the line has 1 fields"),
        ] as [(String, String)])
    func aTableThatCannotBeReadIsRefusedWithItsPlace(text: String, place: String) {
        let refusal = #expect(throws: CSVRefusal.self) { try table(text) }
        #expect(refusal?.description.hasPrefix(place) == true, "\(refusal?.description ?? "")")
    }

    @Test func oneLineThatIsRefusedRefusesTheTable() throws {
        let rows = try table("device,location\nD1,a\nD2,b\n")
        func decided(_ found: [[AttributeState]]) -> Outcome<[AttributeChange], AdminRefusal> {
            AttributeChange.decide(rows, knowing: found, by: "admin", at: now)
        }
        let (one, other) = (state([:]), state([:], key: "D2"))
        #expect(decided([[one], [other]]).value?.map(\.device.key) == ["D1", "D2"])
        let cases: [([[AttributeState]], String)] = [
            ([[one], []], "no device that is enrolled"), ([[one], [one]], "line 2 is about the same device"),
            ([[one], [state([:], key: "D3"), one]], "several devices have this serial number, D3 and D1 among them"),
            ([[one], [other, one]], "D2 is the ID of one device and the serial number of another, D1: write “id:”"),
            ([[one], [state([:], key: "D2", .checkedOut)]], "no device that is enrolled"),
        ]
        for (found, rule) in cases {
            let reason = decided(found).refusal?.reason
            #expect(reason?.hasPrefix("The table is refused, line 3: \(rule)") == true, "\(reason ?? "taken")")
        }
    }

    // MARK: Variables

    @Test func anAttributeIsAVariableOfEveryText() throws {
        let list: PropertyListValue = .dictionary(["room": .string("${device.attributes.location}")])
        #expect(try ConfigurationTemplate.judge(list)?.variables == ["device.attributes.location"])
        for wrong in ["${device.attributes.}", "${device.attributes.Location}", "${device.attributes}"] {
            #expect(throws: AdminRefusal.self) { try ConfigurationTemplate.judge(.dictionary(["a": .string(wrong)])) }
        }
        let rule = try GroupRule(parsing: "device.attributes.location begins \"Room 1\"")
        #expect(rule.facts == [.variable("device.attributes.location")])
        #expect(throws: GroupRuleRefusal.self) { try GroupRule(parsing: "device.attributes.Location = a") }
    }

    /// What a device says of itself stays for an enrollment, what is said of it does not: a secret that has an attribute in
    /// it is another one with another value.
    @Test func anAttributeInASecretCountsByItsValue() {
        let secret = AssignmentSnapshot.SecretReference(
            place: .init(extension: nil, kind: .password, identifier: "login"), secret: "wifi", kind: .password,
            version: 1, variables: ["device.attributes.owner", "device.serialNumber"], order: 1)
        let app = App(bundleIdentifier: "a.b", name: "A", teamIdentifier: nil)
        let needs = AssignmentSnapshot.Entry(app: app, configuration: nil, order: 1, secrets: [secret]).needs
        #expect(needs.variables == ["device.attributes.owner"] && needs.presences == ["device.serialNumber"])
    }
}

/// Attributes on a server: a change reaches the device it is about, and no other.
struct AttributeConsequenceTests {
    private static let signers = [Data(repeating: 21, count: 32), Data(repeating: 22, count: 32)]

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        for number in 0..<2 {
            try await fixture.enrol("D\(number)", signer: Self.signers[number], serial: "S\(number)")
        }
    }

    private func set(_ values: [String: String], _ number: Int = 0) async throws -> AdminRefusal? {
        try await fixture.management.changeAttributes(
            .mentioned(values.mapValues { .becomes($0) }), of: "D\(number)", author: "admin"
        ).refusal
    }

    private func token(_ number: Int) async throws -> String {
        let device = try #require(await fixture.management.device("D\(number)"))
        return try await fixture.management.manifest(of: device).declarationsToken
    }

    @Test func aChangeMakesTheConfigurationOfThatDeviceAnother() async throws {
        try await fixture.assign(value: "in ${device.attributes.location}")
        let management = try fixture.management
        func withheld() async throws -> [Withheld.Reason] {
            let device = try #require(await management.device("D0"))
            return try await management.manifest(of: device).withheld.map(\.reason)
        }
        #expect(try await withheld() == [.noValue(["device.attributes.location"])])
        let before = (try await token(0), try await token(1))
        #expect(try await set(["location": "Lobby"]) == nil)
        #expect(try await withheld().isEmpty)
        let after = (try await token(0), try await token(1))
        #expect(after.0 != before.0 && after.1 == before.1)
        #expect(try await set(["assetTag": "4711"]) == nil)
        #expect(try await token(0) == after.0, "nothing uses the asset tag")
        let both = AttributeSet(["location": "Lobby", "assetTag": "4711"])
        #expect(try await management.device("D0")?.attributes == both)
    }

    @Test func onlyTheDeviceItIsAboutIsWoken() async throws {
        try await fixture.assign(value: "in ${device.attributes.location}")
        let management = try fixture.management
        for number in 0..<2 {
            let signer = Self.signers[number]
            _ = try await fixture.document(.declarationItems, device: "D\(number)", signer: signer)
            _ = try await fixture.command(.idle, device: "D\(number)", signer: signer)
        }
        func listen(_ number: Int) async throws -> Task<Int, Never> {
            let context = try await fixture.context("D\(number)", signer: Self.signers[number])
            let stream = try await management.subscribe(context)
            return Task { await stream.reduce(into: 0) { count, _ in count += 1 } }
        }
        let (first, second) = (try await listen(0), try await listen(1))
        #expect(try await set(["location": "Lobby"]) == nil)
        #expect(try await set(["assetTag": "1"], 1) == nil)
        management.wakeHub.disconnectAll()
        #expect(await first.value >= 1)
        #expect(await second.value == 0)
    }

    @Test func aRuleMovesTheDeviceAtOnce() async throws {
        let management = try fixture.management
        let rule = try GroupRule(parsing: "device.attributes.location = Lobby")
        _ = try await management.createGroup(named: "lobby", rule: rule, author: "admin")
        func groups() async throws -> [String]? { try await management.device("D0")?.groups }
        #expect(try await groups() == ["all"])
        #expect(try await set(["location": "Lobby"]) == nil)
        #expect(try await groups() == ["all", "lobby"])
        let table = Data("device,location\nS0,Attic\nD1,Lobby\n".utf8)
        let dry = try await management.importAttributes(table, dryRun: true, author: "admin")
        #expect(dry.value?.changed == 2)
        #expect(try await groups() == ["all", "lobby"])
        #expect(try await management.importAttributes(table, dryRun: false, author: "admin").value?.changed == 2)
        #expect(try await groups() == ["all"])
        #expect(try await management.device("D1")?.groups == ["all", "lobby"])
        let again = try await management.importAttributes(table, dryRun: false, author: "admin")
        #expect(again.value?.changed == 0 && again.value?.unchanged == 2)
        let log = try await management.auditEntries(AuditFilter(action: .setDeviceAttributes), PageRequest())
        #expect(log.items.map(\.subject) == ["D1", "D0", "D0"])
        #expect(log.items.allSatisfy { $0.details == #"{"set":["location"]}"# })
    }

    /// Devices choose both texts themselves, so the server takes neither device for the other.
    ///
    /// Red if the server takes the device with the ID.
    @Test func aLineThatIsOneDevicesIDAndAnothersSerialNumberRefusesTheTable() async throws {
        try await fixture.enrol("S0", signer: Data(repeating: 23, count: 32), serial: "S9")
        let management = try fixture.management
        func bring(_ name: String, dryRun: Bool) async throws -> AdminRefusal? {
            let table = Data("device,location\nD1,Lobby\n\(name),Attic\n".utf8)
            return try await management.importAttributes(table, dryRun: dryRun, author: "admin").refusal
        }
        func locations() async throws -> [String?] {
            var found: [String?] = []
            for device in ["D0", "D1", "S0"] {
                found.append(try await management.attributes(of: device)?.values["location"])
            }
            return found
        }
        for dryRun in [true, false] {
            let reason = try await bring("S0", dryRun: dryRun)?.reason
            let rule = "The table is refused, line 3: S0 is the ID of one device and the serial number of another, D0"
            #expect(reason?.hasPrefix(rule) == true, "\(reason ?? "taken")")
        }
        #expect(try await locations() == [nil, nil, nil])
        #expect(try await bring("id:S0", dryRun: false) == nil)
        #expect(try await locations() == [nil, "Lobby", "Attic"])
        #expect(try await bring("serial:S0", dryRun: false) == nil)
        #expect(try await locations() == ["Attic", "Lobby", "Attic"])
    }
}
