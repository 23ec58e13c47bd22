package import Foundation
package import InputBounds

/// `com.apple.configuration.security.certificate`: a certificate that the device is to have.
///
/// A root among them is trusted.
package struct CertificateConfiguration: DeclarationPayload {
    package static let type = "com.apple.configuration.security.certificate"
    package static let keys: Set = ["CredentialAssetReference"]

    /// The asset with the certificate: a `com.apple.asset.credential.certificate`.
    package var asset: String

    package init(asset: String) {
        self.asset = asset
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        asset = try JSONFields(payload).string("CredentialAssetReference", limit: Declaration.longestIdentifier)
    }

    package var payload: JSONValue { .object(["CredentialAssetReference": .string(asset)]) }
}

/// One element of `security.certificate.list`.
package struct CertificateListItem: Hashable, Sendable {
    package static let name = "security.certificate.list"

    /// Names the element: the SHA-256 of the certificate in hexadecimal digits.
    package var identifier: String
    package var declarationIdentifier: String
    package var subjectSummary: String
    package var certificate: Data

    package init(identifier: String, declarationIdentifier: String, subjectSummary: String, certificate: Data) {
        self.identifier = identifier
        self.declarationIdentifier = declarationIdentifier
        self.subjectSummary = subjectSummary
        self.certificate = certificate
    }

    package var value: JSONValue {
        .object([
            "identifier": .string(identifier), "declaration-identifier": .string(declarationIdentifier),
            "subject-summary": .string(subjectSummary), "is-identity": .boolean(false),
            "data": .string(certificate.base64EncodedString()),
        ])
    }
}
