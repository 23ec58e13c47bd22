import AdminMessages
import DeviceMessages
import Testing

/// What health says of the server itself.
struct HealthRouteTests {
    /// Red where an operator does not see which version answers.
    @Test func itNamesTheVersion() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let health: Health = try await admin.get("/health")
                #expect(health.version == MartletRelease.version)
            }
        }
    }
}
