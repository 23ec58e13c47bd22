import ACME
import AppMessages
import Crypto
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import SwiftASN1
import TestLog
import Testing
import X509

/// Identities by ACME on a device without a chip (A09, S4-DATA-06).
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ACMEIdentityTests {
    /// What a document asks for, and what becomes of it.
    struct Wish: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: ACMEDocument.KeyType
        let size: Int
        let madeSize: Int
    }

    static let wishes = [
        Wish(testDescription: "P-256", type: .ec, size: 256, madeSize: 256),
        Wish(testDescription: "P-384", type: .ec, size: 384, madeSize: 384),
        Wish(testDescription: "RSA 2048", type: .rsa, size: 2_048, madeSize: 2_048),
        Wish(testDescription: "RSA 1024, which is no longer safe", type: .rsa, size: 1_024, madeSize: 2_048),
    ]

    /// D6, A09: the key is born here, says of itself that it is software, and renewal is at two thirds.
    @Test(arguments: wishes) func anIdentityIsIssuedByACMEForAKeyMadeHere(_ wish: Wish) async throws {
        try await EnrolledDevice.run { fixture in
            let acme = PlayedACME(fixture.server.url)
            fixture.management.issue(acme)
            fixture.management.give([Self.secret(fixture, type: wish.type, size: wish.size)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            let identity = try await fixture.identity()
            let leaf = try Certificate(derEncoded: Array(try #require(identity.certificates.first)))
            let key = try SigningKey(pkcs8: identity.key.material)
            #expect(key.certificateKey.publicKey == leaf.publicKey)
            #expect(identity.certificates.last == (try ScriptedServer.root()))
            #expect(identity.key.type == (wish.type == .ec ? .ec : .rsa) && identity.key.size == wish.madeSize)
            #expect(!identity.hardwareBound && !identity.attested)
            let renewal = try #require(fixture.device.known.nextRenewal)
            let life = leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore)
            #expect((0.58...0.67).contains(renewal.timeIntervalSince(leaf.notValidBefore) / life))
            let agent = "martlet-agent/\(MartletRelease.version)"
            #expect(acme.userAgents == [agent], "a client must send it (RFC 8555 §6.1)")
            // Nobody vouches for the key, and the device says nothing else.
            #expect(acme.answers == [Data("\u{a2}cfmtdnonegattStmt\u{a0}".unicodeScalars.map { UInt8($0.value) })])
        }
    }

    /// The request carries what the document names (protocol §13): subject, names, uses and the identifier.
    @Test func theRequestAsksForWhatTheDocumentNames() async throws {
        try await EnrolledDevice.run { fixture in
            let acme = PlayedACME(fixture.server.url)
            fixture.management.issue(acme)
            var document = Self.document(fixture)
            document.subject = [[["CN", "device"]], [["O", "Example"]]]
            document.subjectAltName = SubjectAltName(dnsName: "device.example.com", principalName: "jane@corp")
            document.usageFlags = 5
            document.extendedKeyUsage = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.4.1.311.20.2.2"]
            fixture.management.give([PlayedSecret(.acme, "mtls", document.encoded())])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
            let der = try #require(acme.request)
            let request = try CertificateSigningRequest(derEncoded: Array(der))
            #expect("\(request.subject)" == "O=Example,CN=device")
            let extensions = try #require(try request.attributes.extensionRequest).extensions
            let names = try #require(try extensions.subjectAlternativeNames)
            #expect(names.contains(.dnsName("device.example.com")) && names.count == 3)
            #expect(try ACMECertificateRequest(parsing: der).permanentIdentifiers == [PlayedACME.identifier])
            let usage = try #require(try extensions.keyUsage)
            #expect(usage.digitalSignature && usage.keyEncipherment)
            let uses = try #require(try extensions.extendedKeyUsage)
            #expect(uses.contains(.clientAuth) && uses.count == 2)
        }
    }

    /// What goes wrong, and what device and server hear about it.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let says: String
        var attest = false
        let spoil: @Sendable (inout ACMEDocument) -> Void
        var fault: PlayedManagement.Fault?
    }

    static let troubles = [
        Trouble(
            testDescription: "attestation, and no chip", code: "Deserialized",
            says: "the key must be attested, and this device has no chip for that"
        ) {
            $0.hardwareBound = true
            $0.attest = true
        },
        Trouble(
            testDescription: "a hardware bound key, and no chip", code: "Deserialized",
            says: "the key must be bound to hardware, and this device has no chip for that"
        ) { $0.hardwareBound = true },
        Trouble(
            testDescription: "an authority that demands attestation", code: "Verified",
            says: "found the order invalid (badAttestationStatement)", attest: true
        ) { _ in },
        Trouble(testDescription: "an identifier of somebody else", code: "Verified", says: "rejectedIdentifier") {
            $0.clientIdentifier = "another"
        },
        Trouble(testDescription: "a curve that is not made", code: "Deserialized", says: "521 bits") {
            $0.keySize = 521
        },
        Trouble(testDescription: "a use that is no identifier", code: "Deserialized", says: "cannot be written") {
            $0.extendedKeyUsage = ["clientAuth"]
        },
        Trouble(testDescription: "an authority out of order", code: "Downloaded", says: "authority is busy") { _ in
        } fault: {
            $0 == "acme" ? .reply(503) : nil
        },
        Trouble(testDescription: "no authority", code: "Downloaded", says: "the server cannot be reached") {
            $0.directoryURL = "https://localhost:1/acme/directory"
        },
        Trouble(testDescription: "an authority that talks nonsense", code: "Verified", says: "malformed") { _ in
        } fault: {
            $0 == "acme" ? .reply(200, body: Data("{}".utf8)) : nil
        },
        Trouble(testDescription: "an endless answer", code: "Downloaded", says: "larger than allowed") { _ in
        } fault: {
            $0 == "acme" ? .reply(200, body: Data(repeating: 0x20, count: 70_000)) : nil
        },
    ]

    /// D3, D6: no other key replaces it, the configuration arrives, and the server gets the reason without the value.
    @Test(arguments: troubles) func whatCannotBeHadIsToldAndNotReplaced(_ trouble: Trouble) async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.issue(PlayedACME(fixture.server.url, attest: trouble.attest))
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            var document = Self.document(fixture)
            trouble.spoil(&document)
            fixture.management.give([PlayedSecret(.acme, "mtls", document.encoded())])
            fixture.management.publish(3, fault: trouble.fault)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the log says “\(trouble.says)”") { fixture.log.say(trouble.says) }
            try await fixture.eventually("the server hears the reason") {
                let statuses = try fixture.management.reports.last?.declarations()
                let asset = statuses?.assets.first { $0.identifier == "secret.mtls" }
                let app = statuses?.configurations.first { $0.identifier == "app" }
                return asset?.valid == .invalid
                    && asset?.reasons.first?.code == "Error.AssetCannotBe" + trouble.code
                    && app?.reasons.first?.code == "Error.MissingAssets"
            }
            try await fixture.serves(3)
            #expect(fixture.secrets.of(.identity).isEmpty)
            for line in fixture.log.all { #expect(!line.contains(PlayedACME.identifier)) }
            // A busy authority is asked again, and then all is well.
            guard trouble.fault != nil, trouble.code == "Downloaded" else { return }
            fixture.management.publish(3)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
        }
    }

    /// D3: an authority that takes long holds nothing else up, and the identity follows when it is there.
    @Test func whileAnIdentityIsIssuedEverythingElseServes() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([Self.secret(fixture), .password("login", "one")])
            // Its answer begins and does not end.
            fixture.management.publish(2) { $0 == "acme" ? .lines("", every: .seconds(3_600)) : nil }
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            // The first attempt was still under way then; that it is now, a busy machine may outlast.
            let configuration = PlayedManagement.configuration(2).digest
            try await fixture.eventually("that is told") { fixture.told.said(before: configuration) != nil }
            let said = try #require(fixture.told.said(before: configuration))
            #expect(!said.contains { $0.contains("a secret cannot be had") })
            #expect(fixture.secrets.of(.password).count == 1 && fixture.secrets.of(.identity).isEmpty)
            fixture.management.publish(2)
            await fixture.server.dropConnections()
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
        }
    }

    /// At two thirds of its life it is issued anew, by a new order for a new key.
    @Test func anIdentityByACMEIsRenewedWhenItsTimeHasCome() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([Self.secret(fixture)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            let first = try await fixture.identity()
            let digest = try #require(fixture.secrets.digest(.identity, "mtls"))
            fixture.clock.advance(days: 21)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("another value") { fixture.secrets.digest(.identity, "mtls") != digest }
            guard case .identity(let second) = try fixture.secret(.identity, "mtls") else {
                return #expect(Bool(false), "an identity")
            }
            #expect(first.key.material != second.key.material && first.reference != second.reference)
            #expect(throws: StoreRefusal.blobMissing) { try fixture.device.secret(digest) }
        }
    }

    /// The server hears that this device can have such identities.
    @Test func theDeviceSaysThatItCanHaveThem() {
        let status = AgentCapabilities.status().declarations[.asset] ?? []
        #expect(status.contains("com.apple.asset.credential.acme"))
    }

    // MARK: help

    private static func document(
        _ fixture: EnrolledDevice, type: ACMEDocument.KeyType = .ec, size: Int = 256
    ) -> ACMEDocument {
        ACMEDocument(
            directoryURL: fixture.server.url + "/acme/directory", clientIdentifier: PlayedACME.identifier,
            keyType: type, keySize: size, subject: [[["CN", "device"]]])
    }

    private static func secret(
        _ fixture: EnrolledDevice, type: ACMEDocument.KeyType = .ec, size: Int = 256
    ) -> PlayedSecret {
        PlayedSecret(.acme, "mtls", document(fixture, type: type, size: size).encoded())
    }
}
