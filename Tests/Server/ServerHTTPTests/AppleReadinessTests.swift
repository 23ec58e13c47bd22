import AdminMessages
import Crypto
import Foundation
import Testing

/// What Apple devices need of a server, over the API and in the console.
@Suite struct AppleReadinessTests {
    /// Red if the API or the console leaves out what is missing before the first Apple device enrolls.
    @Test func theAPIAndTheConsoleShowWhatIsMissing() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    func state(of name: String) async throws -> AppleNeedState? {
                        let needs = try await admin.get("/apple-devices", AppleReadiness.self).needs
                        return needs.first { $0.name == name }?.state
                    }
                    let first = try await admin.get("/apple-devices", AppleReadiness.self)
                    #expect(first.identity == "scep" && first.topic?.hasPrefix("com.apple.mgmt.External.") == true)
                    #expect(first.capabilities.contains("com.apple.mdm.per-user-connections"))
                    #expect(try await state(of: "push-certificate") == .missing)
                    // The server of the tests issued its certificate to itself, and is reached at localhost.
                    #expect(try await state(of: "server-certificate") == .attention)
                    #expect(try await state(of: "address") == .missing)

                    #expect(
                        try await browser.get("/console/health").text.contains("href=\"/console/apple-devices\""))
                    let page = try await browser.get("/console/apple-devices")
                    #expect(page.status == 200)
                    #expect(page.text.contains("There is none, so Apple devices are not woken."))
                    #expect(page.text.contains("com.apple.mdm.per-user-connections"))
                    for sentence in first.untried {
                        #expect(page.text.contains("<li>\(sentence.replacing("'", with: "&#39;"))</li>"))
                    }

                    let token = PushCredentialRequest(
                        key: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABCDE12345", teamID: "FGHIJ67890",
                        topic: "com.apple.mgmt.External.test")
                    try #require(try await admin.send("PUT", "/push-credential", token).status == 200)
                    let second = try await admin.get("/apple-devices", AppleReadiness.self)
                    #expect(second.topic == "com.apple.mgmt.External.test")
                    #expect(try await state(of: "push-certificate") == .missing, "Apple takes no such key")
                    #expect(
                        try await browser.get("/console/apple-devices").text.contains("com.apple.mgmt.External.test"))
                }
            }
        }
    }
}
