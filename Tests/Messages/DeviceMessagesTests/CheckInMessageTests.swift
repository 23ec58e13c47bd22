import DeviceMessages
import Foundation
import InputBounds
import Testing

struct CheckInMessageTests {
    private static func message(_ name: String) throws -> CheckInMessage {
        try CheckInMessage(parsing: Golden.data(name))
    }

    @Test func readsAnIPhonesAuthenticateWithoutTheNamesOnlyMacsSend() throws {
        #expect(
            try Self.message("authenticate-iphone.plist")
                == .authenticate(
                    Authenticate(
                        identifier: EnrollmentIdentifier(kind: .device, id: Golden.iPhone), topic: Golden.topic,
                        osVersion: "18.4", buildVersion: "22E240", productName: "iPhone14,5", serialNumber: "F2LX30ABCD"
                    )))
    }

    @Test(arguments: ["authenticate-mac.plist", "authenticate-mac-binary.plist"])
    func readsAMacsAuthenticateInBothForms(name: String) throws {
        #expect(
            try Self.message(name)
                == .authenticate(
                    Authenticate(
                        identifier: EnrollmentIdentifier(kind: .device, id: Golden.mac), topic: Golden.topic,
                        deviceName: "Studio", modelName: "Mac Studio", model: "Mac14,13", osVersion: "15.4",
                        buildVersion: "24E248", productName: "Mac14,13", serialNumber: "H4XY12345Z")))
    }

    @Test func readsAUserEnrollmentWithoutAnyNameOfTheDevice() throws {
        let identifier = try #require(try Self.message("authenticate-user-enrollment.plist").identifier)
        #expect(identifier == EnrollmentIdentifier(kind: .user, id: "d41d8cd9-8f00-3204-a980-0998ecf8427e"))
        #expect(identifier.key == "d41d8cd9-8f00-3204-a980-0998ecf8427e")
    }

    @Test func readsATokenUpdate() throws {
        guard case .tokenUpdate(let update) = try Self.message("token-update-iphone.plist") else {
            Issue.record("no TokenUpdate")
            return
        }
        #expect(update.token == Data(0..<32))
        #expect(update.pushMagic == "7F1C6E0A-55B0-4C1E-8C0B-3E8D8B5E2D11")
        #expect(update.unlockToken?.count == 1200)
        #expect(update.awaitingConfiguration == false)
    }

    @Test func tellsUserChannelsApart() throws {
        let mac = try Self.message("token-update-mac-user.plist").identifier
        #expect(mac?.key == "\(Golden.mac):5F7C1E22-9D1B-4B3C-A0E1-7C7A9B1D2E3F")
        let shared = try Self.message("token-update-shared-ipad.plist").identifier
        #expect(shared?.key == "\(Golden.iPhone):ada@example.com")
    }

    @Test func readsWhatAClientInGoWrites() throws {
        guard case .tokenUpdate(let update) = try Self.message("token-update-go-client.plist") else {
            Issue.record("no TokenUpdate")
            return
        }
        #expect(update.topic == "com.example's topic")
        #expect(update.pushMagic == "fake\tmagic\n")
        #expect(update.awaitingConfiguration == true)
    }

    @Test func readsTheOtherMessages() throws {
        let identifier = EnrollmentIdentifier(kind: .device, id: Golden.iPhone)
        #expect(try Self.message("check-out.plist") == .checkOut(CheckOut(identifier: identifier, topic: Golden.topic)))
        #expect(
            try Self.message("ddm-declaration.plist")
                == .declarativeManagement(
                    DeclarativeManagementRequest(
                        identifier: identifier,
                        endpoint: .declaration(.configuration, identifier: "app.com.example.Landmarks"))))
        #expect(
            try Self.message("get-bootstrap-token.plist")
                == .getBootstrapToken(EnrollmentIdentifier(kind: .device, id: Golden.mac)))
    }

    @Test(arguments: [
        "authenticate-iphone.plist", "authenticate-mac.plist", "authenticate-user-enrollment.plist",
        "token-update-iphone.plist", "token-update-mac-user.plist", "token-update-shared-ipad.plist",
        "token-update-go-client.plist", "check-out.plist", "ddm-tokens.plist", "ddm-declaration-items.plist",
        "ddm-declaration.plist", "ddm-status.plist", "get-bootstrap-token.plist",
    ])
    func survivesBeingWritten(name: String) throws {
        let message = try Self.message(name)
        #expect(try CheckInMessage(parsing: message.encoded()) == message)
    }

    @Test(arguments: ["MessageType", "UDID", "Topic", "Token", "PushMagic"])
    func refusesATokenUpdateThatLacksAKey(key: String) throws {
        let golden = try PropertyListValue(parsing: Golden.data("token-update-iphone.plist"), limits: .message)
        var entries = try #require(golden.dictionary)
        entries[key] = nil
        #expect(throws: InputRefusal.self) {
            try CheckInMessage(parsing: PropertyListValue.dictionary(entries).xml())
        }
        entries[key] = .array([])
        #expect(throws: InputRefusal.self) {
            try CheckInMessage(parsing: PropertyListValue.dictionary(entries).xml())
        }
    }

    /// A colon would let one device speak for another's user; and two spellings of one letter are equal to Swift, but not to
    /// a database.
    @Test(arguments: ["", "a:b", "a b", "a\nb", "\u{E4}", "a\u{308}", "a\u{7F}", String(repeating: "a", count: 129)])
    func refusesAnIdentifierThatIsNone(id: String) {
        let list = PropertyListValue.dictionary([
            "MessageType": .string("CheckOut"), "Topic": .string("t"), "UDID": .string(id),
        ])
        #expect(throws: InputRefusal.self) { try CheckInMessage(parsing: list.xml()) }
    }

    @Test(arguments: [
        "tokens", "declaration-items", "status", "declaration/asset/a", "declaration/management/b",
    ])
    func readsEndpointsAsTheyAreWritten(text: String) throws {
        #expect(try DeclarativeEndpoint(parsing: text).text == text)
    }

    @Test(arguments: [
        "", "token", "tokens/", "declaration", "declaration/asset", "declaration/asset/", "declaration/other/a",
        "declaration/asset/a/b", "declaration/asset/a b", "declaration/asset/" + String(repeating: "a", count: 65),
    ])
    func refusesEveryOtherEndpoint(text: String) {
        #expect(throws: InputRefusal.self) { try DeclarativeEndpoint(parsing: text) }
    }
}
