import AdminMessages
import CertificateAuthority
import Foundation
import Management
import SCEP
import TestLog
import Testing

@testable import ServerHTTP

/// C7: what peers and operators see of a clock that was set forward.
@Suite struct ClockLeapRouteTests {
    /// Red while a device was given a certificate that began hours or years later, and its code was used up for it.
    @Test func nothingIsCertifiedUntilTheClockIsBack() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                let scep = server.baseURL + "/scep?operation="
                let capabilities = SCEPCapabilities(
                    parsing: try await admin.client.send("GET", scep + "GetCACaps&message=martlet").text)
                let (message, exchange) = try SCEPClient.makeRequest(
                    subject: [[["CN", "device"]]], challenge: code.code, key: DeviceKeys.first(),
                    caCertificate: server.authority.certificateDER, capabilities: capabilities, now: Date())
                func ask() async throws -> Answer {
                    try await admin.client.send(
                        "POST", scep + "PKIOperation", headers: ["Content-Type": "application/x-pki-message"],
                        body: message)
                }
                clock.leap(by: 7_200)
                let refused = try await ask()
                #expect(refused.status == 503 && refused.headers["retry-after"] == "300")
                #expect(refused.text.contains("urn:martlet:problem:clock"))
                let ahead: Health = try await admin.get("/health")
                #expect(ahead.clock == ServerClock(stepSeconds: 7_200, deletesByAge: false, certifies: false))

                clock.leap(by: -7_200)
                let steady: Health = try await admin.get("/health")
                #expect(steady.clock == ServerClock(stepSeconds: 0, deletesByAge: true, certifies: true))
                let answer = try await ask()
                #expect(answer.status == 200)
                guard case .issued = try SCEPClient.readReply(answer.body, exchange) else {
                    Issue.record("the same request is served when the clock is back")
                    return
                }
            }
        }
    }

    @Test func theLogNamesTheDirectionAndWhatToLookAt() {
        let log = LogLines()
        let notes = ClockNotes(log.logger())
        notes.say(.stepped(.init(seconds: 126_144_000, noticed: 60)))
        #expect(log.say("warning", "set forward", "seconds=126144000"))
        #expect(log.say("chronyc", "timedatectl"))
        notes.say(.stepped(.init(seconds: -300, noticed: 60)))
        #expect(log.say("warning", "set back", "seconds=-300"))
        notes.say(.returned(.init(seconds: -300, noticed: 60)))
        #expect(log.say("notice", "is back"))
        notes.say(.settled(.init(seconds: -300, noticed: 60)))
        #expect(log.say("notice", "it is believed"))
    }
}
