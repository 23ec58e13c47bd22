import DeviceMessages
import Foundation
import InputBounds
import MadeRoots
import Management
import SwiftASN1
import Testing
import X509

/// Which certificates an administrator may assign as roots, and what devices are told of them.
struct RootCertificateSettingTests {
    private let kind = SettingKind.rootCertificate

    private func refusal(_ payload: JSONValue) -> String? { kind.judge(payload, MadeRoot.now).refusal?.reason }

    @Test func aRootIsTakenAndSaidInALine() throws {
        let facts = try #require(kind.judge(MadeRoot.payload(MadeRoot.pem("Example Root")), MadeRoot.now).value)
        #expect(facts.summary.hasPrefix("CN=Example Root, until 2049-"))
        #expect(facts.warnings.isEmpty)
        #expect(try refusal(MadeRoot.payload(MadeRoot.pem(usage: nil))) == nil, "a key usage may be absent")
    }

    @Test func whoAssignsOneThatEndsSoonIsTold() throws {
        let pem = try MadeRoot.pem(until: MadeRoot.now + 3 * 86_400)
        let facts = try #require(kind.judge(MadeRoot.payload(pem), MadeRoot.now).value)
        #expect(facts.warnings.count == 1 && facts.warnings[0].contains("in 3 days"))
    }

    /// No laxer than the agent's rule: what a device would refuse is refused here, with the reason.
    @Test func whatIsNoRootIsRefusedWithItsReason() throws {
        let now = MadeRoot.now
        let refused: [(String, String)] = [
            (try MadeRoot.pem(until: now - 1), "expired at"),
            (try MadeRoot.pem(from: now + 60), "not valid before"),
            (try MadeRoot.pem(isAuthority: false), "basic constraints"),
            (try MadeRoot.pem(usage: KeyUsage(digitalSignature: true)), "keyCertSign"),
            (try MadeRoot.pem(issuer: "Another"), "another authority issued it"),
            (try MadeRoot.pem(signsItself: false), "its own key"),
            (try MadeRoot.pem() + MadeRoot.pem(), "exactly one certificate"),
            ("no certificate", "exactly one certificate"), ("", "exactly one certificate"),
            (PEMDocument(type: "PRIVATE KEY", derBytes: [1]).pemString, "exactly one certificate"),
            (PEMDocument(type: "CERTIFICATE", derBytes: [1, 2, 3]).pemString, "cannot be read"),
            (PEMDocument(type: "CERTIFICATE", derBytes: Array(repeating: 0, count: 16_385)).pemString, "16384 bytes"),
            (String(repeating: "a", count: 40_000), "at most 32768 bytes"),
        ]
        for (pem, reason) in refused {
            let said = refusal(MadeRoot.payload(pem))
            #expect(said?.contains(reason) == true, "\(said ?? "nothing"), not \(reason)")
        }
    }

    @Test func aPayloadHasTheCertificateAndNothingElse() throws {
        let pem = try MadeRoot.pem()
        let payloads: [JSONValue] = [
            .null, .string(pem), .object([:]), .object(["certificate": .integer(1)]),
            .object(["certificate": .string(pem), "trust": .boolean(true)]),
        ]
        for payload in payloads { #expect(refusal(payload)?.contains("“certificate”") == true) }
    }

    /// The device's own type reads what it is told.
    @Test func devicesAreToldOfTheCertificateAndWhereItIs() throws {
        let pem = try MadeRoot.pem()
        let told = try #require(kind.declarations("corp", MadeRoot.payload(pem)))
        let (configuration, asset) = (try #require(told.configurations.first), try #require(told.assets.first))
        #expect(told.configurations.count == 1 && told.assets.count == 1)
        #expect(configuration.identifier == "martlet.setting.root-certificate.corp")
        #expect(try CertificateConfiguration(payload: .object(configuration.payload)).asset == asset.identifier)
        #expect(asset.type == CredentialAsset.Kind.certificate.rawValue)
        #expect(CredentialAsset.Kind.certificate.mediaTypes.contains(asset.mediaType))
        #expect(try asset.bytes == MadeRoot.der(of: pem))
        #expect(kind.types == [configuration.type])
    }

    @Test func identifiersFitTheProtocolAndStayApart() {
        let long = String(repeating: "x", count: 60)
        let identifiers = ["corp", "corp.a", long + "1", long + "2"].flatMap { name in
            let key = SettingKey(kind: "root-certificate", name: name)
            return [key.identifier(), key.identifier(of: "certificate")]
        }
        #expect(Set(identifiers).count == 8)
        #expect(identifiers.allSatisfy { $0.utf8.count <= 64 })
    }
}
