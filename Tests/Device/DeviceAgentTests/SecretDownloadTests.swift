import AppMessages
import CertificateAuthority
import Crypto
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Signatures
import SwiftASN1
import TestLog
import Testing
import X509

/// Secrets on their way from a server, also one that fails or lies, into the sealed store.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SecretDownloadTests {
    private static let planted = "planted-7f3a-\u{1F511}-value"

    /// S4-SECRET-01, D5: what an app may ask for is what the administrator set, and only the store knows the value.
    @Test func aPasswordIsHadWhenItIsNeededAndReplacedWhenItChanges() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", "one")])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the password is here") { fixture.secrets.of(.password).count == 1 }
            #expect(try fixture.secret(.password, "login") == .password("one"))
            let asked = fixture.management.asked.count { $0 == "credential" }
            #expect(asked == 1)
            let old = try #require(fixture.secrets.digest(.password, "login"))
            fixture.management.publish(3)
            fixture.doorbell.ring(.look)
            try await fixture.serves(3)
            #expect(fixture.management.asked.count { $0 == "credential" } == asked, "nothing of it has changed")
            fixture.management.give([.password("login", "two", token: "2")])
            fixture.management.publish(4)
            fixture.doorbell.ring(.look)
            try await fixture.serves(4)
            #expect(try fixture.secret(.password, "login") == .password("two"))
            #expect(throws: StoreRefusal.blobMissing) { try fixture.device.secret(old) }
        }
    }

    /// D14: what is withdrawn is forgotten, and no older generation is left to bring it back.
    @Test func aWithdrawnSecretLeavesTheDisk() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", Self.planted)])
            fixture.management.publish(2)
            try await fixture.eventually("the password is here") { fixture.secrets.of(.password).count == 1 }
            let digest = try #require(fixture.secrets.digest(.password, "login"))
            let older = try fixture.steps.list("/d/generations")
            fixture.management.give([])
            fixture.management.publish(3)
            fixture.doorbell.ring(.look)
            try await fixture.serves(3)
            #expect(fixture.secrets.entries.isEmpty)
            #expect(throws: StoreRefusal.blobMissing) { try fixture.device.secret(digest) }
            #expect(Set(older).isDisjoint(with: try fixture.steps.list("/d/generations")))
        }
    }

    @Test(arguments: [false, true]) func aCertificateIsKeptInDERWhateverItsForm(pem: Bool) async throws {
        let authority = try ScriptedServer.authority.get()
        var secret = PlayedSecret(.certificate, "pin", authority.certificateDER)
        if pem {
            secret.document = Data(authority.certificatePEM.utf8)
            secret.contentType = "application/pem"
        }
        secret.described = DataAsset(
            dataURL: "", contentType: secret.contentType, size: secret.document.count,
            sha256: Data(SHA256.hash(data: secret.document)))
        try await EnrolledDevice.run { [secret] fixture in
            fixture.management.give([secret])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the certificate is here") { fixture.secrets.of(.certificate).count == 1 }
            #expect(try fixture.secret(.certificate, "pin") == .certificate(authority.certificateDER))
        }
    }

    /// D6, A08, S4-DATA-05: the key is born here, the authority is held to its fingerprint, and the key signs.
    @Test func anIdentityIsIssuedBySCEPForAKeyMadeHere() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([try Self.scep(fixture)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            let identity = try await fixture.identity()
            let leaf = try Certificate(derEncoded: Array(try #require(identity.certificates.first)))
            let key = try SigningKey(pkcs8: identity.key.material)
            #expect(key.certificateKey.publicKey == leaf.publicKey)
            #expect(identity.key.type == .rsa && identity.key.size == 2_048 && !identity.hardwareBound)
            let renewal = try #require(fixture.device.known.nextRenewal)
            let life = leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore)
            #expect((0.58...0.67).contains(renewal.timeIntervalSince(leaf.notValidBefore) / life))
        }
    }

    /// A07, S4-DATA-04: a ready-made identity is opened, its key stays here, and it is never renewed by us.
    @Test func aReadyMadeIdentityIsOpenedAndSigns() async throws {
        let document = IdentityDocument(password: "opens it", identity: ReadyMadeIdentity.pkcs12).encoded()
        try await EnrolledDevice.run { fixture in
            fixture.management.give([PlayedSecret(.identity, "mtls", document)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            let identity = try await fixture.identity()
            let leaf = try Certificate(derEncoded: Array(try #require(identity.certificates.first)))
            #expect(String(describing: leaf.subject).contains("Ready-made"))
            #expect(identity.key.type == .ec && identity.key.size == 256)
            let signature = try SoftwareKeys().sign(
                Data("hello".utf8), SignatureAlgorithm(.ecdsa, .sha256, over: .message), with: identity.key)
            let key = try #require(P256.Signing.PublicKey(leaf.publicKey))
            #expect(
                key.isValidSignature(
                    try P256.Signing.ECDSASignature(derRepresentation: signature), for: Data("hello".utf8)))
            #expect(fixture.device.known.nextRenewal == nil)
        }
    }

    /// At two thirds of its life a certificate is replaced, and the app hears of another value.
    @Test func anIdentityIsRenewedWhenItsTimeHasCome() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([try Self.scep(fixture)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the identity is here") { fixture.secrets.of(.identity).count == 1 }
            let first = try #require(fixture.secrets.digest(.identity, "mtls"))
            fixture.doorbell.ring(.look)
            try await fixture.eventually("a report") { !fixture.management.reports.isEmpty }
            #expect(fixture.secrets.digest(.identity, "mtls") == first, "not before its time")
            // The authority is out of order when the time comes: the old one goes on serving.
            fixture.management.publish(2) { $0 == "scep" ? .reply(500) : nil }
            fixture.clock.advance(days: 300)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("the log says so") { fixture.log.say("could not be renewed yet") }
            #expect(fixture.secrets.digest(.identity, "mtls") == first)
            try await fixture.eventually("another time is set") {
                fixture.device.known.nextRenewal.map { $0 > fixture.clock.now } == true
            }
            fixture.management.publish(2)
            fixture.clock.advance(days: 8)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("another value") { fixture.secrets.digest(.identity, "mtls") != first }
            #expect(throws: StoreRefusal.blobMissing) { try fixture.device.secret(first) }
            #expect(fixture.secrets.of(.identity).map(\.identifier) == ["mtls"])
        }
    }

    /// What goes wrong, and what device and server hear about it.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let says: String
        let spoil: @Sendable (inout PlayedSecret) -> Void
        var fault: PlayedManagement.Fault?
        var kind = CredentialAsset.Kind.userNameAndPassword
    }

    static let troubles = [
        Trouble(testDescription: "gone", code: "Downloaded", says: "the server answered 404") { _ in
        } fault: {
            $0 == "credential" ? .reply(404) : nil
        },
        Trouble(testDescription: "another type", code: "Verified", says: "the media type is not the declared one") {
            $0.contentType = "text/html"
        },
        Trouble(
            testDescription: "a type that is none of a secret's", code: "Verified",
            says: "the media type is not one of such a secret"
        ) {
            $0.contentType = "text/plain"
            $0.described = DataAsset(dataURL: "", contentType: "text/plain")
        },
        Trouble(testDescription: "another size", code: "Verified", says: "the size is not the declared one") {
            $0.described = DataAsset(dataURL: "", size: 1)
        },
        Trouble(testDescription: "another hash", code: "Verified", says: "the SHA-256 is not the declared one") {
            $0.described = DataAsset(dataURL: "", sha256: Data(count: 32))
        },
        Trouble(testDescription: "too big", code: "Verified", says: "may have at most 131072 bytes") {
            $0.document = Data(repeating: 0x20, count: 131_073)
        },
        Trouble(testDescription: "no JSON", code: "Deserialized", says: "cannot be read") {
            $0.document = Data("{\"UserName\":\"jane\",\"Password\":\"\(planted)".utf8)
        },
        Trouble(testDescription: "no password in it", code: "Deserialized", says: "the document has no password") {
            $0.document = UserNameAndPassword(userName: "jane", password: nil).encoded()
        },
        Trouble(
            testDescription: "no certificate", code: "Deserialized", says: "is not a certificate", spoil: { _ in },
            kind: .certificate),
        Trouble(
            testDescription: "an identity that another password opens", code: "Deserialized",
            says: "the password of the identity does not open it",
            spoil: { $0.document = IdentityDocument(password: planted, identity: ReadyMadeIdentity.pkcs12).encoded() },
            kind: .identity),
        Trouble(
            testDescription: "an identity that is no PKCS #12", code: "Deserialized", says: "is not a PKCS #12",
            spoil: { $0.document = IdentityDocument(password: planted, identity: Data([48, 0])).encoded() },
            kind: .identity),
        Trouble(
            testDescription: "another authority", code: "Verified", says: "not the one the document names",
            spoil: { $0.document = Self.scep(fingerprint: Data(count: 32)) }, kind: .scep),
        Trouble(
            testDescription: "an authority that refuses", code: "Verified", says: "refused to issue",
            spoil: { $0.document = Self.scep(challenge: "another") }, kind: .scep),
        Trouble(
            testDescription: "SCEP without TLS and without a fingerprint", code: "Deserialized",
            says: "needs the fingerprint",
            spoil: { $0.document = SCEPDocument(SCEPPayload(url: "http://localhost:1/scep")).encoded() }, kind: .scep),
    ]

    /// D3: the rest of the update serves, log and report give the reason, and neither repeats the value.
    @Test(arguments: troubles)
    func theRestOfTheUpdateServesAndTheReasonIsTold(_ trouble: Trouble) async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", "good")])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the password is here") { fixture.secrets.of(.password).count == 1 }
            var bad = PlayedSecret.password("bad", Self.planted)
            if trouble.kind != .userNameAndPassword {
                bad = PlayedSecret(trouble.kind, "bad", Data(Self.planted.utf8))
            }
            trouble.spoil(&bad)
            bad.document = Data(
                String(decoding: bad.document, as: UTF8.self)
                    .replacing("https:\\/\\/here", with: fixture.server.url).replacing(
                        "https://here", with: fixture.server.url
                    )
                    .utf8)
            fixture.management.give([.password("login", "good"), bad])
            fixture.management.publish(3, fault: trouble.fault)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the log says “\(trouble.says)”") { fixture.log.say(trouble.says) }
            try await fixture.serves(3)
            #expect(try fixture.secret(.password, "login") == .password("good"))
            try await fixture.eventually("the server hears the reason") {
                let statuses = try fixture.management.reports.last?.declarations()
                let asset = statuses?.assets.first { $0.identifier == "secret.bad" }
                let app = statuses?.configurations.first { $0.identifier == "app" }
                return asset?.valid == .invalid
                    && asset?.reasons.first?.code == "Error.AssetCannotBe" + trouble.code
                    && app?.valid == .invalid && app?.reasons.first?.code == "Error.MissingAssets"
            }
            #expect(!fixture.log.say("planted"))
            for report in fixture.management.reports {
                #expect(!String(decoding: report.encoded(), as: UTF8.self).contains("planted"))
            }
            fixture.management.give([.password("login", "better", token: "2")])
            fixture.management.publish(4)
            fixture.doorbell.ring(.look)
            try await fixture.serves(4)
            #expect(try fixture.secret(.password, "login") == .password("better"))
        }
    }

    /// D3: while an authority cannot be reached, and its wait is long, what the server sets meanwhile arrives all the same; the
    /// authority is not asked again for that.
    @Test func anAuthorityThatIsAwayHoldsNothingElseUp() async throws {
        var pace = EnrolledDevice.pace
        pace.retry = Backoff(first: .seconds(36_000), longest: .seconds(36_000))
        try await EnrolledDevice.run(pace: pace) { fixture in
            let document = SCEPDocument(SCEPPayload(url: "https://localhost:1/scep")).encoded()
            fixture.management.give([PlayedSecret(.scep, "away", document)])
            for version in 2...3 {
                fixture.management.publish(version)
                fixture.doorbell.ring(.look)
                try await fixture.serves(version)
            }
            #expect(fixture.log.all.count { $0.contains("a secret cannot be had") } == 1)
        }
    }

    /// S4-SEC-01, D5: in the agent's directory and its log nothing of a secret is in clear.
    @Test func nothingOfASecretIsInClearOnTheDiskOrInTheLog() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", Self.planted), try Self.scep(fixture)])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("both are here") { fixture.secrets.entries.count == 2 }
            guard case .identity(let identity) = try fixture.secret(.identity, "mtls") else {
                return #expect(Bool(false), "an identity")
            }
            let needles = [
                Data(Self.planted.utf8), Data("planted".utf8), identity.key.material,
                Data(identity.key.material.base64EncodedString().utf8.prefix(40)), Data("one-time".utf8),
                Data(try #require(fixture.secrets.digest(.password, "login")).utf8),
            ]
            var searched = 0
            for directory in ["/d", "/d/generations", "/d/blobs"] {
                for name in try fixture.steps.list(directory) {
                    guard let file = try? fixture.steps.read(directory + "/" + name, limit: 1 << 20) else { continue }
                    for needle in needles { #expect(file.range(of: needle) == nil, "\(directory)/\(name)") }
                    searched += 1
                }
            }
            #expect(searched >= 4)
            for line in fixture.log.all {
                #expect(!line.contains("planted") && !line.contains("one-time") && !line.contains("jane"))
            }
        }
    }

    // MARK: help

    private static func scep(fingerprint: Data? = nil, challenge: String = "one-time") -> Data {
        SCEPDocument(
            SCEPPayload(
                url: "https://here/scep", subject: [[["CN", "device"]]], challenge: challenge, keySize: 2_048,
                caFingerprint: fingerprint, retries: 0, retryDelay: 0),
            subjectAltName: SubjectAltName(emailAddress: "a@example.com", principalName: "a@corp")
        ).encoded()
    }

    private static func scep(_ fixture: EnrolledDevice) throws -> PlayedSecret {
        let authority = try ScriptedServer.authority.get()
        var document = try SCEPDocument(parsing: scep(fingerprint: authority.fingerprint))
        document.request.url = fixture.server.url + "/scep"
        return PlayedSecret(.scep, "mtls", document.encoded())
    }
}
