import AdminMessages
import Foundation
import Management
import ServerHTTP
import StoreContract
import StoreSQLite
import Testing

/// A secret that is being taken from many devices.
@Suite struct SecretLossTests {
    @Test("says so over the API and in the console, until all have lost it")
    func saysThatCertificatesAreStillToBeRevoked() async throws {
        // The devices' certificates are of that time.
        let clock = TestClock()
        clock.advance(by: Date(timeIntervalSince1970: 1_800_000_010).timeIntervalSince(Date()))
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    func isRevoking() async throws -> [Bool] {
                        let secret = try await admin.get("/secrets/s", AdminMessages.Secret.self)
                        return [
                            secret.revoking == true,
                            try await browser.get("/console/secrets/s").text.contains("Being revoked"),
                        ]
                    }
                    try await storeContractManyIdentities(server.store, devices: SecretLimits.revokedAtOnce + 1)
                    #expect(try await isRevoking() == [false, false])
                    // At the store, so that nobody is called who would do the rest, nor does it when a minute is over.
                    let slot = SecretSlot(group: "g", app: "com.example.app", kind: .identity, identifier: "client")
                    _ = try await server.store.unassignSecret(from: slot, author: "admin", now: clock.now)
                    let state = try await HeldWriter.of(server.store) { _ in try await isRevoking() }
                    #expect(state == [true, true])
                    let assigned = try await admin.send(
                        "PUT", "/secret-assignments/g/com.example.app/identity/client",
                        SecretAssignmentRequest(secret: "s"))
                    #expect(assigned.status == 200, "\(assigned.text)")
                    #expect(try await isRevoking() == [false, false])
                }
            }
        }
    }
}
