import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import Testing

/// Certificates of identities and the list of revoked ones, as OpenSSL reads them.
struct IdentityTests {
    private func issue(_ authority: Authority, serial: CertificateSerial = .random()) throws -> Data {
        try authority.issueIdentity(
            publicKeyDER: P256.Signing.PrivateKey().publicKey.derRepresentation,
            profile: IdentityProfile(subject: [.init("CN", "one")], permanentIdentifier: "device-1"), now: Date(),
            serial: serial)
    }

    @Test(.enabled(if: OpenSSLTool.isThere)) func `an identity is for clients and names its device for good`() throws {
        let authority = try Authority.create(commonName: "Test CA", now: Date())
        let tool = try OpenSSLTool()
        try tool.write(issue(authority), "leaf.der")
        try tool.write(authority.certificatePEM, "ca.pem")
        try tool.run("x509 -inform DER -in leaf.der -out leaf.pem")
        try tool.run("verify -CAfile ca.pem -purpose sslclient leaf.pem")
        #expect(throws: OpenSSLTool.Failure.self) { try tool.run("verify -CAfile ca.pem -purpose sslserver leaf.pem") }
        let text = try tool.run("asn1parse -in leaf.pem -i")
        #expect(text.contains("X509v3 Subject Alternative Name"))
        // The identifier in its otherName: id-on-permanentIdentifier, then a UTF8String in a sequence.
        let names = Data([
            0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x08, 0x03, 0xA0, 0x0C, 0x30, 0x0A, 0x0C, 0x08,
        ])
        #expect(try tool.read("leaf.der").range(of: names + Data("device-1".utf8)) != nil)
    }

    @Test(.enabled(if: OpenSSLTool.isThere)) func `a list names what is revoked and nothing else`() throws {
        let authority = try Authority.create(commonName: "Test CA", now: Date())
        let (revoked, other) = (CertificateSerial.random(), CertificateSerial.random())
        let tool = try OpenSSLTool()
        try tool.write(authority.certificatePEM, "ca.pem")
        for (name, serial) in [("revoked", revoked), ("other", other)] {
            try tool.write(issue(authority, serial: serial), "\(name).der")
            try tool.run("x509 -inform DER -in \(name).der -out \(name).pem")
        }
        for entries in [[], [RevokedCertificate(serial: Data(revoked.bytes), revoked: Date(), reason: 1)]] {
            let list = try authority.revocationList(
                entries, number: 1_800_000_000, now: Date() - 60, nextUpdate: Date() + 3_600)
            try tool.write(list, "list.der")
            try tool.run("crl -inform DER -in list.der -CAfile ca.pem -out list.pem")
            try tool.run("verify -CAfile ca.pem -crl_check -CRLfile list.pem other.pem")
            let judge = { try tool.run("verify -CAfile ca.pem -crl_check -CRLfile list.pem revoked.pem") }
            if entries.isEmpty {
                _ = try judge()
            } else {
                #expect(throws: OpenSSLTool.Failure.self) { try judge() }
                let text = try tool.run("crl -in list.pem -noout -text")
                #expect(text.contains("Key Compromise"))
                #expect(text.contains("1800000000") || text.contains("0x6B49D200"))
            }
        }
    }
}
