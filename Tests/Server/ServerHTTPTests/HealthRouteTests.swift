import AdminMessages
import DeviceMessages
import Testing
import martlet

/// What health says of the server itself.
struct HealthRouteTests {
    /// Red where an operator does not see which version answers: in the API, on the console's page or in `martlet health`.
    @Test func itNamesTheVersion() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let health: Health = try await admin.get("/health")
                #expect(health.version == MartletRelease.version)
                let lines = HealthText(health).text.split(separator: "\n").map { line in
                    line.split(separator: " ").map(String.init)
                }
                #expect(lines.contains(["version", MartletRelease.version]), "\(lines)")
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    browser.token = admin.token
                    let page = try await browser.get("/console/health").text
                    #expect(page.contains("<dt>Version</dt><dd>\(MartletRelease.version)<p class=\"hint\">"), "\(page)")
                }
            }
        }
    }
}
