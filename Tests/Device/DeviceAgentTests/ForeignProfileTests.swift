import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import SCEP
import TestLog
import Testing

/// D1: what a profile of any server demands is done, or the profile is refused with the reason.
struct ForeignProfileTests {
    private typealias Entries = [String: PropertyListValue]

    private static let identity = "CB90E976-AD44-4B69-8108-8095E6260978"
    private static let challenge = "planted-challenge"

    private func payload(_ type: String, _ uuid: String, _ entries: Entries) -> PropertyListValue {
        .dictionary(
            entries.merging([
                "PayloadType": .string(type), "PayloadIdentifier": .string("org.example.\(type)"),
                "PayloadUUID": .string(uuid), "PayloadVersion": .integer(1),
            ]) { own, _ in own })
    }

    /// A profile with an unreachable server: an enrollment that passes the checks ends there.
    private func profile(
        scep: Entries = [:], mdm: Entries = [:], more: [PropertyListValue] = []
    ) -> Data {
        let request: Entries = [
            "URL": .string("https://127.0.0.1:1/scep"), "Challenge": .string(Self.challenge),
            "Keysize": .integer(2_048),
        ]
        let server: Entries = [
            "ServerURL": .string("https://127.0.0.1:1/mdm"), "Topic": .string("topic"), "SignMessage": .boolean(true),
            "AccessRights": .integer(8_191), "IdentityCertificateUUID": .string(Self.identity),
        ]
        return PropertyListValue.dictionary([
            "PayloadType": .string("Configuration"), "PayloadVersion": .integer(1),
            "PayloadIdentifier": .string("org.example"), "PayloadUUID": .string(UUID().uuidString),
            "PayloadContent": .array(
                [
                    payload(
                        "com.apple.security.scep", Self.identity,
                        ["PayloadContent": .dictionary(request.merging(scep) { $1 })]),
                    payload("com.apple.mdm", UUID().uuidString, server.merging(mdm) { $1 }),
                ] + more),
        ]).xml()
    }

    /// What `martlet-agent enroll --profile` says; the certificate of a code that nobody answers is never had.
    private func said(of file: Data, allowsLegacy: Bool = false) async throws -> String {
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        let device = try Device(
            directory: "/d", appDirectories: [], facts: facts, namesMachine: false, steps: MemorySteps())
        let log = LogLines()
        do {
            try await Enroll(device: device, log: log.logger()).run(
                .profile(file, allowsLegacy: allowsLegacy), trust: .system)
            return "enrolled"
        } catch {
            let text = Enroll.explanation(of: error)
            #expect(!text.contains(Self.challenge) && !log.all.contains { $0.contains(Self.challenge) })
            return text
        }
    }

    private static let unreachable = Enroll.explanation(of: ServerSilence.refused)

    @Test func aProfileThatDemandsNothingBeyondTheDeviceIsTaken() async throws {
        #expect(try await said(of: profile()) == Self.unreachable)
    }

    @Test func payloadsOfOtherKindsAreRefusedByName() async throws {
        let wifi = payload("com.apple.wifi.managed", UUID().uuidString, ["SSID_STR": .string("school")])
        let text = try await said(of: profile(more: [wifi]))
        #expect(text.contains("com.apple.wifi.managed") && text.contains("nothing of it was installed"), "\(text)")
    }

    @Test func whatTheDeviceCannotDoIsRefusedWithTheReason() async throws {
        let second = payload(
            "com.apple.security.scep", UUID().uuidString,
            ["PayloadContent": .dictionary(["URL": .string("https://127.0.0.1:1/other")])])
        let cases: [(Data, String)] = [
            (profile(more: [second]), "one identity"),
            (profile(mdm: ["PinningRevocationCheckRequired": .boolean(true)]), "revocation"),
            (profile(mdm: ["ServerURLPinningCertificateUUIDs": .array([.string("none")])]), "not in the profile"),
            (
                profile(mdm: ["EnrollmentMode": .string("BYOD"), "AssignedManagedAppleID": .string("a@example.org")]),
                "--account"
            ),
            (profile(scep: ["URL": .string("http://127.0.0.1:1/scep")]), "fingerprint"),
            (profile(scep: ["Key Type": .string("EC")]), "kind of key"),
            (profile(mdm: ["ServerURL": .string("http://127.0.0.1:1/mdm")]), "not an https URL"),
            (profile(mdm: ["IdentityCertificateUUID": .string("none")]), "names no SCEP"),
            (Data("<plist><dict/></plist>".utf8), "cannot be used"), (Data(count: 65_537), "65536 bytes"),
        ]
        for (file, reason) in cases {
            let text = try await said(of: file)
            #expect(text.contains(reason), "\(text)")
        }
        let plain = profile(
            scep: ["URL": .string("http://127.0.0.1:1/scep"), "CAFingerprint": .data(Data(count: 32))])
        #expect(try await said(of: plain) == Self.unreachable)
    }

    /// What the agent keeps of a profile once it has the certificate.
    @Test func nothingThatOnlyTheIdentityNeededIsKept() throws {
        let acme = payload(
            "com.apple.security.acme", UUID().uuidString,
            [
                "DirectoryURL": .string("https://127.0.0.1:1/acme"), "ClientIdentifier": .string("planted-client"),
                "KeyType": .string("ECSECPrimeRandom"), "KeySize": .integer(256), "HardwareBound": .boolean(false),
                "Attest": .boolean(false), "Subject": .array([]),
            ])
        let file = payload(
            "com.apple.security.pkcs12", UUID().uuidString,
            ["PayloadContent": .data(Data("planted-key".utf8)), "Password": .string("planted-password")])
        let kept = try ProfileFile.withoutSecrets(profile(more: [acme, file]))
        let text = String(decoding: kept, as: UTF8.self)
        let key = Data("planted-key".utf8).base64EncodedString()
        for secret in [Self.challenge, "planted-client", "planted-password", key] { #expect(!text.contains(secret)) }
        let parsed = try EnrollmentProfile(parsing: kept)
        #expect(parsed.scep?.challenge == nil && parsed.mdm.serverURL == "https://127.0.0.1:1/mdm")
    }

    @Test func aSignedProfileMustBeTheOneThatWasSigned() async throws {
        let key = try SigningKey.generate(.rsa2048)
        let certificate = try SCEPClient.selfSigned(subject: [[["CN", "anybody"]]], key: key, now: Date())
        let signed = try SignedMessage.sign(
            profile(), attributes: [:], certificateDER: certificate, key: LibraryKey(key))
        #expect(try await said(of: signed) == Self.unreachable)
        var changed = signed
        let place = try #require(changed.range(of: Data("127.0.0.1".utf8))).lowerBound
        changed[place] = UInt8(ascii: "2")
        #expect(try await said(of: changed).contains("signature cannot be verified"))
    }
}
