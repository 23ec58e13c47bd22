import AppMessages
import CryptographicMessages
package import DeviceMessages
package import Foundation
import InputBounds
import SwiftASN1
import X509

/// Has an identity issued by a certificate authority, as a document says: the key is made here.
package protocol IdentityIssuer: Sendable {
    func issue(_ document: Data) async throws(AssetRefusal) -> StoredIdentity
}

/// Turns the document of a secret into the secret that it holds or describes.
package struct SecretProvisioner: Sendable {
    /// A secret, and how long it lives if it was issued to this device.
    package struct Provisioned: Equatable, Sendable {
        package let content: SecretContent
        package var begins: Date?
        package var expires: Date?
    }

    /// The most bytes of a certificate; its document is the certificate itself.
    package static let largestCertificate = 65_536

    private let issuers: [CredentialAsset.Kind: any IdentityIssuer]

    package init(issuers: [CredentialAsset.Kind: any IdentityIssuer]) { self.issuers = issuers }

    /// Reads a document; no refusal says what is in it.
    package func provision(
        _ kind: CredentialAsset.Kind, _ document: Data
    ) async throws(AssetRefusal) -> Provisioned {
        if let issuer = issuers[kind] {
            let identity = try await issuer.issue(document)
            guard let leaf = identity.certificates.first.flatMap({ try? Certificate(derEncoded: Array($0)) }) else {
                throw .verification("the issued certificate cannot be read")
            }
            return Provisioned(
                content: .identity(identity), begins: leaf.notValidBefore, expires: leaf.notValidAfter)
        }
        switch kind {
        case .userNameAndPassword: return Provisioned(content: .password(try Self.password(document)))
        case .certificate: return Provisioned(content: .certificate(try Self.certificate(document)))
        case .identity: return Provisioned(content: .identity(try Self.identity(document)))
        case .scep, .acme: throw .content("this device cannot have such an identity")
        }
    }

    private static func password(_ document: Data) throws(AssetRefusal) -> String {
        let found: UserNameAndPassword
        do {
            found = try UserNameAndPassword(parsing: document)
        } catch {
            throw .content("the document of the password cannot be read: \(error.rule)")
        }
        guard let password = found.password else { throw .content("the document has no password") }
        return password
    }

    /// A ready-made identity: its key is in the document, and from now on here.
    private static func identity(_ document: Data) throws(AssetRefusal) -> StoredIdentity {
        let found: IdentityDocument
        do {
            found = try IdentityDocument(parsing: document)
        } catch {
            throw .content("the document of the identity cannot be read: \(error.rule)")
        }
        defer { found.identity.wipe() }
        return try identity(pkcs12: found.identity, password: found.password)
    }

    /// What a PKCS #12 holds.
    package static func identity(pkcs12 file: Data, password: String) throws(AssetRefusal) -> StoredIdentity {
        let contents: PKCS12Contents
        do {
            contents = try PKCS12.open(file, password: password)
        } catch .password {
            throw .content("the password of the identity does not open it")
        } catch {
            throw .content("the identity is not a PKCS #12 that can be used")
        }
        let chain = Array(contents.certificates.prefix(IdentityReply.mostCertificates))
        guard !chain.isEmpty, chain.allSatisfy({ $0.count <= IdentityReply.largestCertificate }) else {
            throw .content("the identity is not a PKCS #12 that can be used")
        }
        return StoredIdentity(certificates: chain, key: SoftwareKeys.stored(contents.key))
    }

    /// One certificate, in DER or in PEM.
    package static func certificate(_ document: Data) throws(AssetRefusal) -> Data {
        guard document.count <= largestCertificate else {
            throw .verification("a certificate may have at most \(largestCertificate) bytes")
        }
        var der = document
        if document.starts(with: Data("-----BEGIN".utf8)) {
            let parts = (try? PEMDocument.parseMultiple(pemString: String(decoding: document, as: UTF8.self))) ?? []
            guard parts.count == 1, let part = parts.first, part.discriminator == "CERTIFICATE" else {
                throw .content("the document does not hold exactly one certificate")
            }
            der = Data(part.derBytes)
        }
        guard (try? Certificate(derEncoded: Array(der))) != nil else {
            throw .content("the document is not a certificate")
        }
        return der
    }
}
