import CertificateAuthority
import DeviceMessages
import Foundation
import Management
import SoftwareTPM
import TPMKeys
import TestLog
import Testing

/// How a device's chip comes by the certificate with which it vouches for keys.
@Suite(.enabled(if: SoftwareTPM.isThere)) struct AttestationKeyRouteTests {
    private static let pinning = EndorsementTrust(pinsFirstChip: true)

    @Test func `a chip that proves itself is certified for its device, on the record`() async throws {
        let chip = try SoftwareTPM(certified: true)
        let maker = try chip.maker()
        try await with(EndorsementTrust(roots: [maker.root])) { (server, _, device) async throws in
            let owner = try await TPMDevice(device, chip)
            let certificate = try await owner.certificate(issuer: maker.issuer)
            let text = try await ForeignProgram.openssl(["x509", "-inform", "DER", "-noout", "-text"], of: certificate)
            #expect(text.contains("CN = \(device.identifier.key)") && text.contains("2.23.133.8.3"))
            #expect(server.authority.judge(certificate, now: Date()) == .refused(.notForClients))
            let entry = try #require(await audit(server).first)
            #expect(entry.actor == "device:\(device.identifier.key)")
            #expect(entry.details.hasSuffix(#","vouched":true}"#))
            // Again, as when an answer was lost or the certificate nears its end.
            _ = try await owner.certificate(issuer: maker.issuer)
        }
    }

    @Test func `where the operator says so the first chip is the device's, vouched for or not`() async throws {
        let chip = try SoftwareTPM()
        let other = try SoftwareTPM()
        try await with(Self.pinning) { (server, admin, device) async throws in
            let owner = try await TPMDevice(device, chip)
            _ = try await owner.certificate()
            #expect(try await audit(server).first?.details.hasSuffix(#","vouched":false}"#) == true)
            let changed = try await TPMDevice(device, other)
            try refused(await changed.ask(), "otherChip")
            #expect(server.log.say("attestation key refused", "a device keeps its chip"))

            try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (second) async throws in
                let thief = try await TPMDevice(second, chip)
                try refused(await thief.ask(), "chipOfAnotherDevice")
                // The chip is free once the device it served has gone.
                #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
                _ = try await thief.certificate()
            }
        }
    }

    @Test func `a challenge is answered once, in time, and with what the chip alone knows`() async throws {
        let chip = try SoftwareTPM()
        let clock = TestClock(stands: true)
        try await with(Self.pinning, clock: clock) { (server, _, device) async throws in
            let owner = try await TPMDevice(device, chip)
            try refused(await owner.activate(Data(count: 32)), "noChallenge")
            let secret = try await owner.secret(of: await owner.ask())
            try refused(await owner.activate(Data(count: 32)), "wrongSecret")
            try refused(await owner.activate(secret), "noChallenge")
            let late = try await owner.secret(of: await owner.ask())
            clock.advance(by: AttestationKeyChallenge.validSeconds + 1)
            try refused(await owner.activate(late), "noChallenge")
            #expect(try await audit(server).isEmpty)
        }
    }

    @Test func `who is no device, or sends what is no such message, gets nothing`() async throws {
        let chip = try SoftwareTPM()
        try await with(Self.pinning) { (server, _, device) async throws in
            let owner = try await TPMDevice(device, chip)
            let body = AttestationKeyActivation(secret: Data(count: 32)).encoded()
            for path in [AttestationKeyRequest.path, AttestationKeyActivation.path] {
                #expect(try await device.client.send("POST", server.baseURL + path, body: body).status == 400)
                #expect(try await owner.post(path, Data("{}".utf8)).status == 400)
                #expect(try await owner.post(path, Data(count: 200_000)).status == 413)
            }
            let garbage = AttestationKeyRequest(
                endorsementCertificates: [], endorsementKey: Data([1]), attestationKey: Data([1]))
            try refused(await owner.post(AttestationKeyRequest.path, garbage.encoded()), "malformed")
            // A key that signs whatever it is given vouches for nothing.
            let key = try await owner.tpm.createKey(.p256)
            let endorsement = try await owner.tpm.endorsement().publicArea
            let plain = AttestationKeyRequest(
                endorsementCertificates: [], endorsementKey: endorsement, attestationKey: key.publicArea)
            try refused(await owner.post(AttestationKeyRequest.path, plain.encoded()), "attributes")
        }
    }

    private func refused(_ answer: Answer, _ code: String) throws {
        #expect(answer.status == 422)
        #expect(try DeviceErrorDocument(parsing: answer.body).code == "dev.martlet.attestation.\(code)")
    }

    private func audit(_ server: TestServer) async throws -> [AuditEntry] {
        try await server.management.auditEntries(AuditFilter(action: .attestDevice), PageRequest()).items
    }

    private func with(
        _ endorsement: EndorsementTrust, clock: TestClock = TestClock(),
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run(clock: clock, endorsement: endorsement) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }
}
