import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Many devices that are expected at once (S4-PLAT-05).
struct ExpectedDeviceTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        _ = try await fixture.management.createGroup(named: "teachers", author: "admin")
        _ = try await fixture.management.createGroup(named: "lab", author: "admin")
    }

    private func bring(
        _ table: String, group: String? = "teachers", trusts: Bool = true, awaits: Bool? = nil,
        replaces: Bool = false, author: String = "admin"
    ) async throws -> Outcome<ExpectedDevicesChange, AdminRefusal> {
        try await fixture.management.importExpectedDevices(
            Data(table.utf8),
            ExpectedDeviceDefaults(
                group: group, trustsSerialNumbers: trusts, awaitsConfiguration: awaits, replaces: replaces),
            author: author)
    }

    private func expected() async throws -> [ExpectedDevice] {
        try await fixture.management.expectedDevices(PageRequest()).items
    }

    @Test(arguments: ["SN-1\nSN-2\n", "SN-1\r\nSN-2", "\u{FEFF}SN-1\nSN-2\n", "serialNumber\nSN-1\nSN-2\n"])
    func aListOfSerialNumbersNeedsNoHeader(list: String) async throws {
        #expect(try await bring(list, awaits: true).value == ExpectedDevicesChange(added: 2))
        let devices = try await expected()
        #expect(devices.map(\.serialNumber) == ["SN-1", "SN-2"])
        #expect(devices.allSatisfy { $0.group == "teachers" && $0.chip == nil && $0.awaitsConfiguration })
    }

    @Test func aTableNamesTheGroupOfEachDevice() async throws {
        #expect(try await bring("serialNumber,group\nSN-1,\nSN-2,lab\n").value?.added == 2)
        #expect(try await expected().map(\.group) == ["teachers", "lab"])
        let again = try await bring("group,serialNumber\nlab,SN-1\nlab,SN-2\nlab,SN-3\n", group: nil, replaces: true)
        #expect(again.value == ExpectedDevicesChange(added: 1, changed: 1, unchanged: 1))
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .expectDevice), PageRequest())
        #expect(entries.items.map(\.subject) == ["SN-3", "SN-1", "SN-2", "SN-1"])
    }

    /// Red: a second administrator's table put devices elsewhere, had none of them wait and forgot their chips, unasked.
    @Test func whatSomebodySaidOfADeviceIsNotReplacedUnasked() async throws {
        let fixture = try Fixture(means: .attestedACME)
        _ = try await fixture.management.createGroup(named: "teachers", author: "admin")
        _ = try await fixture.management.createGroup(named: "lab", author: "admin")
        func bring(
            _ table: String, _ group: String, awaits: Bool? = nil, replaces: Bool = false
        ) async throws -> Outcome<ExpectedDevicesChange, AdminRefusal> {
            try await fixture.management.importExpectedDevices(
                Data(table.utf8),
                ExpectedDeviceDefaults(
                    group: group, trustsSerialNumbers: true, awaitsConfiguration: awaits, replaces: replaces),
                author: "ben")
        }
        func kept() async throws -> [ExpectedDevice] {
            try await fixture.management.expectedDevices(PageRequest()).items
        }
        let first = ExpectedDevice(
            serialNumber: "SN-1", group: "teachers", chip: Data(count: 32), awaitsConfiguration: true, author: "anna",
            created: Fixture.start)
        #expect(try await fixture.management.expect([first]) == nil)
        #expect(try await bring("SN-1\n", "teachers").value == ExpectedDevicesChange(unchanged: 1))
        let moved = try await bring("SN-0\nSN-1\n", "lab").refusal
        #expect(
            moved?.reason.contains("line 2: anna expects this device otherwise, in the group teachers;") == true,
            "\(moved?.reason ?? "taken")")
        let late = try await bring("SN-1\n", "teachers", awaits: false).refusal
        #expect(late?.reason.contains("waiting in its setup") == true, "\(late?.reason ?? "taken")")
        #expect(try await kept() == [first], "none of the table is taken")
        #expect(try await bring("SN-1\n", "lab", replaces: true).value == ExpectedDevicesChange(changed: 1))
        let device = try #require(try await kept().first)
        #expect(device.group == "lab" && device.author == "ben", "what the table says")
        #expect(device.chip == first.chip && device.awaitsConfiguration, "and what it does not mention stays")
    }

    /// All or nothing, and the place is named as it stands in the file.
    @Test(arguments: [
        ("SN-1\nSN-2\nSN-1\n", "line 3, column 1: line 1 has the same serial number"),
        ("SN-1\n\nSN-2\n", "line 2, column 1: a serial number is 1 to 64 printable ASCII characters"),
        ("SN-1\nSN 2\n", "line 2, column 1: a serial number is"),
        ("SN-1\n\"SN-2\n", "line 2, column 1: the quotation"),
        ("serialNumber\nSN-1\nSN-1\n", "line 3, column 1: line 2 has the same serial number"),
        ("serialNumber,room\nSN-1,4\n", "line 1, column 2: the columns are serialNumber"),
        ("group,chip\nlab,\n", "line 1: there is no column serialNumber"),
        ("serialNumber,chip\nSN-1,abc\n", "line 2, column 2: a chip is named by 64 hexadecimal digits"),
    ])
    func aTableWithOneMistakeExpectsNobody(table: String, place: String) async throws {
        let refusal = try await bring(table).refusal
        #expect(refusal?.reason.hasPrefix("The table is refused, \(place)") == true, "\(refusal?.reason ?? "taken")")
        #expect(try await expected().isEmpty)
    }

    /// However it is named: one by one, and by the device itself.
    @Test(arguments: [
        ("S", true), ("!~", true), (String(repeating: "S", count: 64), true), ("", false),
        (String(repeating: "S", count: 65), false), ("SN 1", false), ("SN-1\n", false), ("SN\u{7F}", false),
        ("SN-\u{E9}", false), ("\u{FF33}N", false),
    ])
    func aSerialNumberIsPrintableAndNotLong(text: String, isOne: Bool) async throws {
        let refusal = try await fixture.management.expect([device(text)])
        let rule = "A serial number is 1 to 64 printable ASCII characters without spaces."
        #expect(refusal == (isOne ? nil : .invalid(rule: rule)))
        let info = MachineInfo(product: "Debian", version: "1", serialNumber: text)
        let profile = try await fixture.management.expectedProfile(for: info)
        #expect((profile.value != nil) == isOne && (profile.refusal == .noSerialNumber) == !isOne)
    }

    @Test func aChipIsNamedByADigest() async throws {
        let attested = try Fixture(means: .attestedACME)
        _ = try await attested.management.createGroup(named: "teachers", author: "admin")
        for count in [0, 31, 33] {
            let refusal = try await attested.management.expect([device("SN-1", chip: Data(count: count))])
            #expect(refusal == .invalid(rule: ExpectedDevice.chipRule), "\(count)")
        }
        #expect(try await attested.management.expect([device("SN-1", chip: Data(count: 32))]) == nil)
        let digits = String(repeating: "0a", count: 32)
        #expect(ExpectedDevice.chip(digits) == Data(repeating: 10, count: 32))
        #expect(ExpectedDevice.chip(digits.uppercased()) == Data(repeating: 10, count: 32))
        for text in [
            "", String(digits.dropLast(2)), digits + "0a", String(digits.dropLast()) + "g",
            String(digits.dropLast()) + "\u{FF10}",
        ] { #expect(ExpectedDevice.chip(text) == nil, "\(text)") }
    }

    private func device(_ serialNumber: String, chip: Data? = nil) -> ExpectedDevice {
        ExpectedDevice(
            serialNumber: serialNumber, group: "teachers", chip: chip, author: "admin", created: Fixture.start)
    }

    @Test func whatALineDoesNotSayMustBeSaidForAll() async throws {
        let groupless = try await bring("serialNumber,group\nSN-1,lab\nSN-2,\n", group: nil).refusal
        #expect(groupless?.reason.contains("line 3, column 2: the line names no group") == true)
        let untrusted = try await bring("SN-1\n", trusts: false).refusal
        #expect(untrusted?.reason.contains("line 1: the line names no chip") == true, "\(untrusted?.reason ?? "")")
        #expect(try await bring("SN-1\n", group: "unknown").refusal == .unknownGroup)
        let chip = String(repeating: "a", count: 64)
        let unasked = try await bring("serialNumber,chip\nSN-1,\(chip)\n", trusts: false).refusal
        #expect(unasked?.reason.contains("acme-attested") == true)
        let many = (0...10_000).map { "SN-\($0)" }.joined(separator: "\n")
        #expect(try await bring(many).refusal?.reason.contains("more than 10000 rows") == true)
        #expect(try await expected().isEmpty)
    }
}
