import Testing

@testable import Management

/// The facts of a command that the server checks before it queues it.
struct CommandRuleTests {
    private static func device(
        _ platform: DevicePlatform?, supervised: Bool, _ ownership: Ownership = .organization
    ) -> Device {
        Device(
            id: "D1", kind: .device, state: .enrolled, ownership: ownership, supervised: supervised, groups: [],
            facts: DeviceFacts(), audience: DeviceAudience(platform: platform), enrolled: Fixture.start, lastSeen: nil,
            certificateSerial: nil, certificateNotAfter: nil, toldToken: nil, openCommands: 0)
    }

    /// The permission to help devices is enough for a restart; to erase one takes that to manage them.
    @Test func toRestartIsNotToErase() {
        for type in ["RestartDevice", "ShutDownDevice"] {
            #expect(CommandRule.of(type).permission == .help && CommandRule.of(type).acts, "\(type)")
        }
        #expect(CommandRule.of("EraseDevice").permission == .manage)
    }

    /// The protocol's own condition, told where the command is sent and not by the device hours later.
    @Test(arguments: ["RestartDevice", "ShutDownDevice"])
    func whatNeedsSupervisionIsRefusedWhereThereIsNone(_ type: String) {
        let rule = CommandRule.of(type)
        for platform in DevicePlatform.allCases {
            let needs = platform == .iOS || platform == .visionOS
            let refusal = rule.refusal(of: type, to: Self.device(platform, supervised: false))
            #expect((refusal != nil) == needs, "\(platform)")
            // visionOS does not have the command: supervision changes nothing there.
            let supervised = rule.refusal(of: type, to: Self.device(platform, supervised: true))
            #expect((supervised != nil) == (platform == .visionOS), "\(platform)")
            #expect(rule.refusal(of: type, to: Self.device(platform, supervised: true, .personal)) != nil)
        }
        #expect(rule.refusal(of: type, to: Self.device(nil, supervised: false)) == nil, "what has not said what it is")
        let lock = CommandRule.of("DeviceLock")
        #expect(lock.refusal(of: "DeviceLock", to: Self.device(.iOS, supervised: false)) == nil)
    }
}
