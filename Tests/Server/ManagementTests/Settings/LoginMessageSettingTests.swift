import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Which texts an administrator may assign as login messages, and what devices are told of them.
struct LoginMessageSettingTests {
    private let kind = SettingKind.loginMessage
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// What is accepted is a declaration that a device reads; what a device would refuse is refused.
    @Test func theServersRuleIsTheDevices() throws {
        let payload = JSONValue.object(["text": .string("\n Welcome\nto the library\n")])
        #expect(kind.judge(payload, now).value?.summary == " Welcome")
        let made = try #require(kind.declarations("lobby", payload)?.configurations.first)
        #expect(made.identifier == "martlet.setting.login-message.lobby" && kind.types == [made.type])
        #expect(try LoginMessageConfiguration(payload: .object(made.payload)).text.contains("Welcome"))
        let refused: [JSONValue] = [
            .null, .object([:]), .object(["text": .integer(1)]), .object(["text": .string(" \n")]),
            .object(["text": .string("\u{1B}[2J")]),
            .object(["text": .string(String(repeating: "a", count: 4_097))]),
            .object(["text": .string("a"), "color": .string("red")]),
        ]
        for payload in refused { #expect(kind.judge(payload, now).refusal?.reason.contains("“text”") == true) }
    }
}
