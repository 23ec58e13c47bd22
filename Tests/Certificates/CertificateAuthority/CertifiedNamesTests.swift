import CertificateAuthority
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// The names for which a server's certificate is.
struct CertifiedNamesTests {
    private func names(_ names: GeneralName...) throws -> CertifiedNames {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName("server") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Identity.now, notValidAfter: Identity.now + 86_400, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions { SubjectAlternativeNames(names) }, issuerPrivateKey: key)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return CertifiedNames(certificateDER: Data(serializer.serializedBytes))
    }

    private func ours() throws -> CertifiedNames {
        try names(
            .dnsName("mdm.example"), .dnsName("*.wild.example"),
            .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
            .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])))
    }

    /// Red where a name was compared by its case, an address as a text, or a wildcard as a name.
    @Test(arguments: ["mdm.example", "MDM.Example", "a.wild.example", "127.0.0.1", "::1", "0:0:0:0:0:0:0:1"])
    func aNameOfTheCertificateIsCovered(name: String) throws {
        #expect(try ours().cover(name))
    }

    /// Red where a wildcard stood for no label or for two.
    @Test(arguments: ["example", "other.example", "a.mdm.example", "wild.example", "a.b.wild.example", "127.0.0.2", ""])
    func anotherNameIsNot(name: String) throws {
        #expect(try !ours().cover(name))
    }

    @Test func whatIsNoCertificateCoversNothing() {
        #expect(!CertifiedNames(certificateDER: Data([0x30, 0])).cover("mdm.example"))
    }
}
