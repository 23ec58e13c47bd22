import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What a device says of its bootstrap token, and of users that are to be managed.
struct BootstrapTokenTests {
    private static let identifier = EnrollmentIdentifier(kind: .device, id: Golden.mac)

    private func message(_ type: String, _ entries: [String: PropertyListValue] = [:]) throws -> CheckInMessage {
        let known: [String: PropertyListValue] = ["MessageType": .string(type), "UDID": .string(Golden.mac)]
        return try CheckInMessage(parsing: PropertyListValue.dictionary(known.merging(entries) { $1 }).xml())
    }

    @Test func aTokenIsLeft() throws {
        let token = Data([1, 2, 3])
        let left = CheckInMessage.setBootstrapToken(SetBootstrapToken(identifier: Self.identifier, token: token))
        #expect(try message("SetBootstrapToken", ["BootstrapToken": .data(token)]) == left)
        #expect(try CheckInMessage(parsing: left.encoded()) == left)
    }

    /// A missing token and an empty one take back what was left.
    @Test(arguments: [[:], ["BootstrapToken": .data(Data())]] as [[String: PropertyListValue]])
    func aTokenIsTakenBack(entries: [String: PropertyListValue]) throws {
        let back = CheckInMessage.setBootstrapToken(SetBootstrapToken(identifier: Self.identifier, token: nil))
        #expect(try message("SetBootstrapToken", entries) == back)
    }

    /// What cannot be read must not pass for a token that is taken back.
    @Test func aTokenThatIsNoneIsRefused() {
        for value in [PropertyListValue.string("t"), .data(Data(count: 65_537))] {
            #expect(throws: InputRefusal.self) { try message("SetBootstrapToken", ["BootstrapToken": value]) }
        }
    }

    @Test func anAnswerSaysTheTokenOrNothing() throws {
        for token in [Data([7]), nil] {
            let answer = BootstrapTokenAnswer(token: token)
            #expect(try BootstrapTokenAnswer(parsing: answer.encoded()) == answer)
        }
    }

    @Test func aMacAsksForAUser() throws {
        let user = EnrollmentIdentifier(kind: .device, id: Golden.mac, userID: "U1")
        #expect(try message("UserAuthenticate", ["UserID": .string("U1")]) == .userAuthenticate(user))
    }

    /// Red before: a key that a device leaves out was read as false, and a device in its setup was taken for one that is out.
    @Test func aDeviceThatDoesNotSayWhetherItWaitsIsNotTakenAtFalse() throws {
        let entries: [String: PropertyListValue] = [
            "Topic": .string("t"), "Token": .data(Data([1])), "PushMagic": .string("m"),
        ]
        guard case .tokenUpdate(let update) = try message("TokenUpdate", entries) else {
            Issue.record("it is a TokenUpdate")
            return
        }
        #expect(update.awaitingConfiguration == nil)
        #expect(try CheckInMessage(parsing: CheckInMessage.tokenUpdate(update).encoded()) == .tokenUpdate(update))
    }
}
