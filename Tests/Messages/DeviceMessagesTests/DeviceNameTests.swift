import DeviceMessages
import InputBounds
import TestInputs
import Testing

/// The names by which devices and their users are kept, as they come in.
struct DeviceNameTests {
    private func message(_ entries: [String: PropertyListValue]) throws -> CheckInMessage {
        let known: [String: PropertyListValue] = [
            "MessageType": .string("Authenticate"), "Topic": .string("t"), "UDID": .string("U"),
        ]
        return try CheckInMessage(parsing: PropertyListValue.dictionary(known.merging(entries) { $1 }).xml())
    }

    /// Another text is none, and keeps nobody from enrolling.
    ///
    /// Red while any text was a serial number.
    @Test func aSerialNumberIsASCII() throws {
        func serialNumber(_ text: String) throws -> String? {
            guard case .authenticate(let message) = try message(["SerialNumber": .string(text)]) else {
                Issue.record("no Authenticate")
                return nil
            }
            return message.serialNumber
        }
        for serial in ["C02-AB 12", "To be filled by O.E.M."] { #expect(try serialNumber(serial) == serial) }
        for serial in ["\u{E9}", "e\u{301}", " a", "\u{212A}", String(repeating: "a", count: 257)] {
            #expect(try serialNumber(serial) == nil)
        }
    }

    /// Red while a name that is longer than any schema has it kept a device from enrolling.
    @Test func whatIsTooLongToShowIsCutAndSaid() throws {
        let long = String(repeating: "é", count: 200)
        let list = PropertyListValue.dictionary([
            "MessageType": .string("Authenticate"), "Topic": .string("t"), "UDID": .string("U"),
            "DeviceName": .string(long), "OSVersion": .real(15.5), "Model": .array([]),
        ])
        let reading = try CheckInMessage.read(list.xml())
        guard case .authenticate(let message) = reading.value else {
            Issue.record("no Authenticate")
            return
        }
        #expect(message.deviceName == String(repeating: "é", count: 126) + "…")
        #expect(message.osVersion == "15.5" && message.model.isEmpty)
        #expect(
            reading.oddities.first.map(\.rule) == [
                "the key DeviceName is longer than 256 bytes and was cut", "the key Model is not a string",
                "the key OSVersion is not a string",
            ])
        #expect(try CheckInMessage(parsing: reading.value.encoded()) == reading.value)
    }

    /// Devices by `UDID`, users by `UserID`, and users of shared devices by their short names.
    @Test(arguments: [UInt64(31)])
    func namesThatAreEasilyTakenForOneAreTwo(seed: UInt64) throws {
        var pairs = NamePairs(seed: seed)
        func keys(_ pair: NamePair, _ entries: (String) -> [String: PropertyListValue]) -> [String] {
            [pair.one, pair.other].compactMap { try? message(entries($0)).identifier?.key }
        }
        func expectTwo(_ keys: [String], _ pair: NamePair) {
            guard keys.count == 2 else { return }
            #expect(keys[0] != keys[1], "\(pair.shown)")
            #expect(keys[0].utf8.suffix(pair.one.utf8.count).elementsEqual(pair.one.utf8), "\(pair.shown)")
            #expect(keys[1].utf8.suffix(pair.other.utf8.count).elementsEqual(pair.other.utf8), "\(pair.shown)")
        }
        for pair in pairs.next(100, .visible) {
            let devices = keys(pair) { ["MessageType": .string("CheckOut"), "UDID": .string($0)] }
            let users = keys(pair) { ["MessageType": .string("CheckOut"), "UserID": .string($0)] }
            #expect(devices.count == 2 && users.count == 2, "\(pair.shown)")
            expectTwo(devices, pair)
            expectTwo(users, pair)
        }
        var taken = 0
        for pair in pairs.next(300, .any) {
            let users = keys(pair) {
                [
                    "MessageType": .string("CheckOut"), "UserID": .string(EnrollmentIdentifier.sharedDeviceUser),
                    "UserShortName": .string($0),
                ]
            }
            taken += users.count / 2
            expectTwo(users, pair)
        }
        #expect(taken > 50)
    }

    /// Red while a short name of any form was a part of the key under which a user's channel is kept.
    @Test func aUserOfASharedDeviceIsNamedInOneForm() throws {
        func user(_ name: String, of id: String = EnrollmentIdentifier.sharedDeviceUser) throws -> String? {
            try message([
                "MessageType": .string("CheckOut"), "UserID": .string(id), "UserShortName": .string(name),
            ]).identifier?.key
        }
        #expect(try user("ren\u{E9}@example.com") == "U:ren\u{E9}@example.com")
        #expect(throws: InputRefusal("the key UserShortName is in composed form (NFC)")) {
            try user("rene\u{301}@example.com")
        }
        #expect(try user("rene\u{301}", of: "V") == "U:V", "it names nothing there")
    }
}
