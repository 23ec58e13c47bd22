import CryptographicMessages
import DeviceMessages
package import Foundation
import InputBounds
package import Logging
import SCEP

/// Has identities issued by SCEP.
package struct SCEPIssuer: IdentityIssuer {
    /// However patient a document is: a sync waits for it, and what is pending is asked for again later.
    private static let timeLimit = Duration.seconds(60)

    private let home: HomeServer
    private let defaultName: String
    private let log: Logger

    /// Asks the authority of the device's own server, or any other that a document names.
    package init(home: HomeServer, defaultName: String, log: Logger) {
        self.home = home
        self.defaultName = defaultName
        self.log = log
    }

    package func issue(_ document: Data) async throws(AssetRefusal) -> StoredIdentity {
        let scep: SCEPDocument
        do {
            scep = try SCEPDocument(parsing: document)
        } catch {
            throw .content("the SCEP document cannot be read: \(error.rule)")
        }
        let request = scep.request
        let isPlain = request.url.lowercased().hasPrefix("http://")
        // Over plain HTTP anybody could be the authority: only a fingerprint tells.
        guard !isPlain || request.caFingerprint != nil else {
            throw .content("SCEP without TLS needs the fingerprint of the authority")
        }
        do {
            // The protocol's default of 1024 bits is no longer safe: never less than 2048.
            let key = try SigningKey.generate(request.keySize <= 2_048 ? .rsa2048 : .rsa4096)
            let connection = try ServerConnection(
                roots: home.roots(for: request.url), identity: nil, allowsPlainHTTP: isPlain)
            defer { connection.close() }
            let identityRequest = IdentityRequest(
                connection: connection, payload: request, wishes: scep.wishes, log: log)
            let name = defaultName
            let certificate = try await withTimeLimit(Self.timeLimit) {
                try await identityRequest.certificate(for: key, defaultName: name)
            }
            return StoredIdentity(certificates: [certificate], key: SoftwareKeys.stored(key))
        } catch {
            throw Self.refusal(of: error)
        }
    }

    private static func refusal(of error: any Error) -> AssetRefusal {
        switch error {
        case let silence as ServerSilence: .download("the certificate authority: \(silence.explanation)")
        case is TimeLimitReached, EnrollmentRefusal.certificatePending:
            .download("the certificate authority has not decided yet")
        case EnrollmentRefusal.serverBusy: .download("the certificate authority is busy")
        case EnrollmentRefusal.authorityStatus(let status):
            .download("the certificate authority answered \(status)")
        case EnrollmentRefusal.authorityFingerprintDiffers:
            .verification("the certificate authority is not the one the document names")
        case EnrollmentRefusal.certificateRefused:
            .verification("the certificate authority refused to issue a certificate")
        case is CancellationError: .download("interrupted")
        default: .verification("the certificate authority did not answer as it should")
        }
    }
}

extension SCEPDocument {
    fileprivate var wishes: CertificateWishes {
        var wishes = CertificateWishes()
        wishes.emailAddress = subjectAltName?.emailAddress
        wishes.dnsName = subjectAltName?.dnsName
        wishes.uri = subjectAltName?.uri
        wishes.principalName = subjectAltName?.principalName
        wishes.signs = request.keyUsage & 1 != 0
        wishes.encrypts = request.keyUsage & 4 != 0
        return wishes
    }
}
