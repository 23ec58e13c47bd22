import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import SCEP
import TestLog
import Testing

/// What is refused is said in the server's log, by its rule and without its content.
///
/// Every message here carries a text that must not be found in any line, nor its Base64 form.
@Suite struct RefusalLogTests {
    private let secret = "text-that-nobody-may-log"

    @Test func aCertificateUsedFromAnotherEnrollmentIsLogged() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
                let imposter = PlayedDevice(
                    server: server, client: device.client, udid: device.identifier.id, identity: other.identity)
                for body in [report(of: device), status(of: device)] {
                    let path = body == report(of: device) ? "/mdm/command" : "/mdm/checkin"
                    #expect(try await imposter.send(path, body).status == 400)
                }
                expectLog(
                    server, times: 2, "device refused", "the certificate is not the one pinned to the enrollment",
                    device.identifier.id, "status=400")
                // Over TLS it is the connection that shows it.
                try await server.client(identity: other.identity).with { (client) async throws in
                    let answer = try await client.send("PUT", server.baseURL + "/mdm/command", body: report(of: device))
                    #expect(answer.status == 400)
                    expectLog(server, times: 3, "the certificate is not the one pinned to the enrollment")
                }
                // Nor may it take the enrollment over.
                #expect(try await imposter.authenticate().status == 400)
                expectLog(server, times: 1, "Authenticate with a certificate that is pinned to another enrollment")
                #expect(try await device.ask(.tokens).status == 200)
            }
        }
    }

    @Test func aWithdrawnDeviceIsLogged() async throws {
        try await withDevice { (server, admin, device) async throws in
            #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
            #expect(try await device.send("/mdm/command", report(of: device)).status == 403)
            #expect(try await device.send("/mdm/checkin", status(of: device)).status == 403)
            try await server.client(identity: device.identity).with { (client) async throws in
                #expect(try await client.send("GET", server.baseURL + "/mdm/wake").status == 403)
            }
            expectLog(server, times: 3, "device refused", "withdrawn by an administrator", "status=403")
        }
    }

    @Test func anExpiredEnrollmentCodeIsLogged() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code(validSeconds: 60)
                clock.advance(by: 61)
                #expect(try await admin.client.send("GET", code.enrollmentURL).status == 404)
                expectLog(server, times: 1, "enrollment refused", "has expired")
                let reply = try await PlayedDevice.certificate(
                    code: code.code, server, admin.client, key: DeviceKeys.first())
                #expect(reply == .failed(.badRequest))
                expectLog(server, times: 2, "enrollment refused", "has expired")
                expectNothing(of: code.code, in: server)
            }
        }
    }

    @Test func aReusedEnrollmentCodeIsLogged() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code().code
                let identity = try await PlayedDevice.identity(
                    code: code, server, admin.client, key: DeviceKeys.first())
                // Another key, while the first one may still repeat its request.
                let other = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.second())
                #expect(other == .failed(.badRequest))
                expectLog(server, times: 1, "enrollment refused", "belongs to another key")
                let device = PlayedDevice(server: server, client: admin.client, udid: "once", identity: identity)
                #expect(try await device.authenticate().status == 200)
                // The same key, once its device is in.
                let again = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.first())
                #expect(again == .failed(.badRequest))
                #expect(try await admin.client.send("GET", "\(server.baseURL)/enroll/\(code)").status == 404)
                expectLog(server, times: 2, "enrollment refused", "was already used")
                expectNothing(of: code, in: server)
            }
        }
    }

    @Test func aCertificateOfTheWrongAuthorityIsLogged() async throws {
        try await withDevice { (server, _, device) async throws in
            // The same name, the same device key: only the authority's key is another.
            let stranger = try SharedAuthority.namesake()
            let certificate = try stranger.issueDevice(
                publicKeyDER: device.identity.key.publicKeyInfo, commonName: "device", notBefore: Date() - 60,
                notAfter: Date() + 3_600)
            let identity = PlayedDevice.Identity(certificate: certificate, key: device.identity.key)
            try await server.client(identity: identity).with { (client) async throws in
                let imposter = PlayedDevice(
                    server: server, client: client, udid: device.identifier.id, identity: identity)
                #expect(try await imposter.send("/mdm/command", report(of: device)).status == 400)
                expectLog(server, times: 1, "device refused", "the signature's certificate", "is not ours")
                #expect(try await imposter.send("/mdm/command", report(of: device), signature: nil).status == 400)
                expectLog(server, times: 1, "device refused", "the connection's certificate", "is not ours")
                expectNothing(of: certificate.base64EncodedString(), in: server)
            }
        }
    }

    /// A request that was sealed for another authority than this server's.
    @Test func aCertificateRequestForTheWrongAuthorityIsLogged() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code().code
                let stranger = try SharedAuthority.namesake()
                let (message, _) = try SCEPClient.makeRequest(
                    subject: [[["CN", secret]]], challenge: code, key: DeviceKeys.first(),
                    caCertificate: stranger.certificateDER, capabilities: [.aes, .sha256], now: Date())
                _ = try await admin.client.send(
                    "POST", server.baseURL + "/scep?operation=PKIOperation", body: message)
                expectLog(server, times: 1, "enrollment refused", "SCEP envelope")
                expectNothing(of: code, in: server)
                // The code was not used up by it.
                _ = try await PlayedDevice.identity(code: code, server, admin.client, key: DeviceKeys.first())
            }
        }
    }

    @Test func aReplayedSignatureWithAnotherBodyIsLogged() async throws {
        try await withDevice { (server, _, device) async throws in
            let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
            let signature = try device.sign(body)
            #expect(try await device.send("/mdm/command", body, signature: signature).status == 200)
            #expect(try await device.send("/mdm/command", report(of: device), signature: signature).status == 400)
            #expect(try await device.send("/mdm/checkin", status(of: device), signature: signature).status == 400)
            expectLog(
                server, times: 2, "device refused", "the body is not the one that was signed", device.identifier.id)
            expectNothing(of: String(signature.suffix(64)), in: server)
        }
    }

    // MARK: Support

    private func report(of device: PlayedDevice) -> Data {
        CommandReport(
            identifier: device.identifier, status: .acknowledged, commandUUID: secret,
            contents: .dictionary(["Answer": .string(secret)])
        ).encoded()
    }

    private func status(of device: PlayedDevice) -> Data {
        let report = StatusReport(items: .object(["test": .object(["string-value": .string(secret)])]))
        return CheckInMessage.declarativeManagement(
            DeclarativeManagementRequest(identifier: device.identifier, endpoint: .status, data: report.encoded())
        ).encoded()
    }

    private func expectLog(
        _ server: TestServer, times: Int, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = server.log.all.filter { line in parts.allSatisfy(line.contains) }
        #expect(lines.count == times, "\(parts)", sourceLocation: sourceLocation)
        expectNothing(of: secret, in: server, sourceLocation: sourceLocation)
    }

    private func expectNothing(
        of text: String, in server: TestServer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        // The text, and the three ways in which Base64 of a larger text holds it.
        let forms =
            [text]
            + (0..<3).map { skipped in
                let whole = Data(text.utf8.dropFirst(skipped))
                return whole.prefix(whole.count / 3 * 3).base64EncodedString()
            }
        for form in forms where form.count >= 8 {
            #expect(!server.log.all.contains { $0.contains(form) }, sourceLocation: sourceLocation)
        }
    }

    private func withDevice(
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }
}
