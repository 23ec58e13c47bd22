import DeviceMessages
import InputBounds
import Testing

/// The names by which devices and their users are kept, as they come in.
struct DeviceNameTests {
    private func message(_ entries: [String: PropertyListValue]) throws -> CheckInMessage {
        let known: [String: PropertyListValue] = [
            "MessageType": .string("Authenticate"), "Topic": .string("t"), "UDID": .string("U"),
        ]
        return try CheckInMessage(parsing: PropertyListValue.dictionary(known.merging(entries) { $1 }).xml())
    }

    /// Red while any text was a serial number.
    @Test func aSerialNumberIsASCII() throws {
        for serial in ["C02-AB 12", "To be filled by O.E.M."] {
            guard case .authenticate(let message) = try message(["SerialNumber": .string(serial)]) else {
                Issue.record("no Authenticate")
                return
            }
            #expect(message.serialNumber == serial)
        }
        for serial in ["\u{E9}", "e\u{301}", " a", "\u{212A}", String(repeating: "a", count: 257)] {
            #expect(
                throws: InputRefusal(
                    "the key SerialNumber is 1 to 256 printable ASCII characters that neither begin nor end with a space"
                )
            ) { try message(["SerialNumber": .string(serial)]) }
        }
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
