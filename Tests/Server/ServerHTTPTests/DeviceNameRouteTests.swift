import AdminMessages
import DeviceMessages
import Testing

@testable import martlet

/// What the commands about a device find on a server by what people write: `DeviceArgumentTests` has the commands.
@Suite struct DeviceNameRouteTests {
    /// Red where one of two devices of a name is taken for the other.
    @Test func aNameFindsItsDeviceAndTwoOfANameAreListed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (first) async throws in
                    try await admin.withCommandLine(server) { (tool) async throws in
                        let list: [DeviceSummary] = try await tool.list("devices")
                        let name = try #require(list.first?.name)
                        let key = first.identifier.key
                        let found = try await tool.device(named: name)
                        #expect(found == key)
                        try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (second) async throws in
                            let refusal = try await Self.refusal(of: name, tool)
                            let failure = try #require(refusal)
                            #expect(failure.status == .refused && failure.reason.contains(name), "\(failure.text)")
                            let advice = try #require(failure.advice)
                            for device in [first, second] {
                                #expect(advice.contains("  \(device.identifier.key) (\(name), "), "\(advice)")
                                for text in [device.identifier.key, "id:" + device.identifier.key] {
                                    let one = try await tool.device(named: text)
                                    #expect(one == device.identifier.key, "\(text)")
                                }
                            }
                        }
                        let unknown = try await Self.refusal(of: "nobody's", tool)
                        #expect(unknown?.status == .notFound)
                    }
                }
            }
        }
    }

    private static func refusal(of name: String, _ tool: Server) async throws -> Failure? {
        do {
            _ = try await tool.device(named: name)
            return nil
        } catch let failure as Failure {
            return failure
        }
    }
}
