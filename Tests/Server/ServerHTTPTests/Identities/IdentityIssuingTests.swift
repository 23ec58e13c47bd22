import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import SCEP
import StoreSQLite
import Synchronization
import TestLog
import Testing

/// Identities of apps by this server's own authority: each certificate by a right of its own, decided beforehand.
@Suite struct IdentityIssuingTests {
    private static let recipe = SecretValue.ownSCEP(
        SubjectAttribute(type: "CN", value: "${device.name}"), SubjectAttribute(type: "O", value: "Example"))

    /// S4-SECRET-01: what the certificate says is the recipe's, whatever the device asks for.
    @Test func `a device has an identity by SCEP that says what the administrator said`() async throws {
        try await IdentityFixture.with(Self.recipe) { (fixture) async throws in
            let server = fixture.server
            let document = try await fixture.document()
            #expect(document["URL"]?.string == server.baseURL + "/scep/identities")
            #expect(
                document["CAFingerprint"]?.string == server.identityAuthority.fingerprint.base64EncodedString())
            let challenge = try #require(document["Challenge"]?.string)
            var wishes = CertificateWishes()
            wishes.dnsName = "localhost"
            let reply = try await fixture.ask(
                challenge, key: DeviceKeys.second(), subject: [[["CN", "administrator"]]], wishes: wishes)
            guard case .issued(let certificate) = reply else {
                Issue.record("\(reply)")
                return
            }
            let text = try await ForeignProgram.openssl(
                ["x509", "-inform", "DER", "-noout", "-subject", "-text"], of: certificate)
            #expect(text.contains("subject=CN = Played, O = Example"))
            #expect(text.contains("URI:urn:device:\(fixture.device.identifier.key)"))
            #expect(!text.contains("DNS:") && !text.contains("administrator"))
            #expect(text.contains("TLS Web Client Authentication") && !text.contains("Server Authentication"))
            #expect(text.contains("URI:\(server.baseURL)/pki/crl"))
            #expect(text.contains("OCSP - URI:\(server.baseURL)/pki/ocsp"))
            let authority = try await fixture.client.send("GET", server.baseURL + "/pki/identities.pem")
            #expect(authority.text == server.identityAuthority.certificatePEM + "\n")

            let entry = try #require(
                await server.management.auditEntries(
                    AuditFilter(action: .issueIdentity, subject: "vpn"), PageRequest()
                ).items.first)
            #expect(entry.actor == "device:\(fixture.device.identifier.key)")
            #expect(entry.details.contains(#""places":["org.swift.landmarks/client"]"#))
            #expect(!server.log.all.contains { $0.contains(challenge) })
        }
    }

    @Test func `a challenge is good for one request, which may come again, and for an hour`() async throws {
        let clock = TestClock(stands: true)
        try await IdentityFixture.with(Self.recipe, clock: clock) { (fixture) async throws in
            let challenge = try await fixture.challenge()
            let refused = SCEPClient.Reply.failed(.badRequest)
            #expect(try await fixture.ask(nil, key: DeviceKeys.second()) == refused)
            let stranger = String(challenge.reversed())
            #expect(try await fixture.ask(stranger, key: DeviceKeys.second()) == refused)
            #expect(fixture.server.log.say("identity refused", "not one that was handed out"))
            let first = try await fixture.certificate(challenge, key: DeviceKeys.second())
            #expect(try await fixture.certificate(challenge, key: DeviceKeys.second()) == first)
            #expect(try await fixture.ask(challenge, key: DeviceKeys.first()) == refused)
            #expect(fixture.server.log.say("identity refused", "used by another request"))

            let another = try await fixture.challenge()
            #expect(another != challenge)
            #expect(try await fixture.certificate(another, key: DeviceKeys.second()) != first)

            let late = try await fixture.challenge()
            clock.advance(by: SCEPChallenge.lifetime + 1)
            #expect(try await fixture.ask(late, key: DeviceKeys.second()) == refused)
            #expect(fixture.server.log.say("identity refused", "has expired"))
            // No challenge opens the other entrance.
            let open = try await fixture.challenge()
            #expect(try await fixture.ask(open, key: DeviceKeys.second(), at: "/scep") == refused)
        }
    }

    @Test func `a challenge ends with the version it was made for, and with the assignment`() async throws {
        try await IdentityFixture.with(Self.recipe) { (fixture) async throws in
            let older = try await fixture.challenge()
            try await fixture.set(Self.recipe)
            let refused = SCEPClient.Reply.failed(.badRequest)
            #expect(try await fixture.ask(older, key: DeviceKeys.second()) == refused)
            let newer = try await fixture.challenge(version: 2)
            try await fixture.unassign()
            #expect(try await fixture.ask(newer, key: DeviceKeys.second()) == refused)
            #expect(fixture.server.log.say("identity refused", "not assigned to the device in this version"))
            let issued = try await fixture.server.management.auditEntries(
                AuditFilter(action: .issueIdentity), PageRequest())
            #expect(issued.items.isEmpty)
        }
    }

    @Test func `a key of another size than the recipe's gets nothing`() async throws {
        let recipe = SCEPRecipe(
            authority: .own, subject: [SubjectAttribute(type: "CN", value: "x")], keySize: 4_096)
        try await IdentityFixture.with(.scep(recipe)) { (fixture) async throws in
            let challenge = try await fixture.challenge()
            #expect(try await fixture.ask(challenge, key: DeviceKeys.second()) == .failed(.badRequest))
            #expect(fixture.server.log.say("identity refused", "of the kind and size demanded"))
        }
    }

    /// An app's identity opens nothing of the device's, nor the other way round: each has an authority of its own.
    @Test func `an app's identity never speaks for a device`() async throws {
        try await IdentityFixture.with(Self.recipe) { (fixture) async throws in
            let server = fixture.server
            let certificate = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            #expect(server.authority.judge(certificate, now: Date()) == .refused(.otherIssuer))
            let device = fixture.device.identity.certificate
            #expect(server.identityAuthority.judge(device, now: Date()) == .refused(.otherIssuer))
            let identity = PlayedDevice.Identity(certificate: certificate, key: try DeviceKeys.second())
            try await server.client(identity: identity).with { (client) async throws in
                let answer = try await client.send("GET", server.baseURL + "/mdm/credentials/vpn/1")
                #expect(answer.status == 400 && answer.body.isEmpty)
            }
            #expect(server.log.say("device refused", "the connection's certificate", "another authority"))
            let impostor = PlayedDevice(
                server: server, client: fixture.client, udid: fixture.device.identifier.key, identity: identity)
            #expect(try await impostor.ask(.tokens).status == 400)
            #expect(server.log.say("device refused", "the signature's certificate", "another authority"))
        }
    }

    /// S4-VPN-01 (what a VPN's gateway decides by): one of the organization's is admitted, another's is not.
    ///
    /// Nor is one that was revoked.
    @Test func `with the enrollment its identities end, for all who read the list`() async throws {
        let clock = TestClock(stands: true)
        try await IdentityFixture.with(Self.recipe, clock: clock) { (fixture) async throws in
            let server = fixture.server
            let certificate = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            let open = try await fixture.challenge()
            let key = fixture.device.identifier.key
            #expect(try await server.management.revokedIdentities().isEmpty)
            #expect(try await Self.verdict(on: certificate, fixture).contains(": OK"))
            let stranger = try SharedAuthority.namesake().issueIdentity(
                publicKeyDER: DeviceKeys.second().publicKeyInfo,
                profile: IdentityProfile(subject: [.init("CN", "Played")]), now: Date())
            #expect(try await !Self.verdict(on: stranger, fixture).contains(": OK"))
            #expect(try await fixture.admin.send("DELETE", "/devices/\(key)").status == 204)
            let revoked = try await server.management.revokedIdentities()
            let known = try await server.store.identityCertificate(serial: revoked.first?.serial ?? "")
            #expect(revoked.count == 1 && known?.issued.der == certificate)
            // Until then the list that was signed before is good.
            clock.advance(by: 61)
            let list = try await fixture.client.send("GET", server.baseURL + "/pki/crl").body
            let text = try await ForeignProgram.openssl(["crl", "-inform", "DER", "-noout", "-text"], of: list)
            #expect(text.contains("Privilege Withdrawn"))
            #expect(try await Self.verdict(on: certificate, fixture).contains("certificate revoked"))
            #expect(try await fixture.ask(open, key: DeviceKeys.second()) == .failed(.badRequest))
        }
    }

    /// OpenSSL's, who trusts the server's authority for identities and reads its list now.
    private static func verdict(on certificate: Data, _ fixture: IdentityFixture) async throws -> String {
        let list = try await fixture.client.send("GET", fixture.server.baseURL + "/pki/crl").body
        let said = Mutex("")
        try await ForeignProgram.inFolder { folder in
            let pem = Data(fixture.server.identityAuthority.certificatePEM.utf8)
            for (name, bytes) in [("ca.pem", pem), ("list.der", list), ("leaf.der", certificate)] {
                try bytes.write(to: folder.appending(path: name))
            }
            let judged = try await ForeignProgram.run(
                "/usr/bin/openssl",
                ["verify", "-purpose", "sslclient", "-crl_check", "-CAfile", folder.path + "/ca.pem"]
                    + ["-CRLfile", folder.path + "/list.der", folder.path + "/leaf.der"], in: folder)
            said.withLock { $0 = judged.output }
        }
        return said.withLock { $0 }
    }

    @Test func `what a device cannot be certified as is not handed out`() async throws {
        let long = SecretValue.ownSCEP(SubjectAttribute(type: "C", value: "${device.udid}"))
        try await IdentityFixture.with(long) { (fixture) async throws in
            let answer = try await fixture.device.download(fixture.server.baseURL + "/mdm/credentials/vpn/1")
            #expect(answer.status == 404)
            #expect(fixture.server.log.say("device refused", "neither too long nor of the wrong kind"))
        }
    }
}

extension ForeignProgram {
    /// What OpenSSL says of some bytes.
    static func openssl(_ arguments: [String], of input: Data) async throws -> String {
        let said = Mutex("")
        try await inFolder { folder in
            let file = folder.appending(path: "in")
            try input.write(to: file)
            let (status, output) = try await run("/usr/bin/openssl", arguments + ["-in", file.path], in: folder)
            try #require(status == 0, "\(output)")
            said.withLock { $0 = output }
        }
        return said.withLock { $0 }
    }
}
