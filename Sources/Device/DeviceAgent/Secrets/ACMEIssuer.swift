import ACME
import AppMessages
import CryptographicMessages
import DeviceMessages
package import Foundation
import InputBounds
import SCEP
import TPMKeys
import X509

/// Has identities issued by ACME, for keys that are made here.
package struct ACMEIssuer: IdentityIssuer {
    /// However patient an authority is: a sync waits for it, and what is undecided is asked for again later.
    private static let timeLimit = Duration.seconds(60)

    private let home: HomeServer
    private let chip: ChipKeys?
    private let attestation: ChipAttestation?

    /// Asks the authority of the device's own server, or any other that a document names.
    ///
    /// Where there is a chip, it makes every key of a kind that it makes.
    package init(home: HomeServer, chip: ChipKeys? = nil, attestation: ChipAttestation? = nil) {
        self.home = home
        self.chip = chip
        self.attestation = attestation
    }

    package func issue(_ document: Data) async throws(AssetRefusal) -> StoredIdentity {
        let acme: ACMEDocument
        do {
            acme = try ACMEDocument(parsing: document)
        } catch {
            throw .content("the ACME document cannot be read: \(error.rule)")
        }
        guard (1...255).contains(acme.clientIdentifier.utf8.count) else {
            throw .content("the client identifier of the ACME document is longer than 255 bytes")
        }
        let (maker, kind) = try keys(for: acme)
        do {
            return try await withTimeLimit(Self.timeLimit) { try await obtain(acme, maker, kind) }
        } catch {
            throw Self.refusal(of: error)
        }
    }

    /// Where the key is made; what is demanded of it is had, or the identity is not.
    private func keys(
        for acme: ACMEDocument
    ) throws(AssetRefusal) -> (maker: any KeyMaker, kind: SigningKey.Algorithm) {
        guard !acme.attest || attestation != nil else {
            throw .content("the key must be attested, and this device has no chip for that")
        }
        guard !acme.hardwareBound || chip != nil else {
            throw .content("the key must be bound to hardware, and this device has no chip for that")
        }
        guard let kind = acme.kind else { throw .content("this device makes no keys on a curve of 521 bits") }
        if let chip, ChipKeys.makes(kind) { return (chip, kind) }
        return (SoftwareKeys(), kind)
    }

    private func obtain(
        _ acme: ACMEDocument, _ maker: any KeyMaker, _ kind: SigningKey.Algorithm
    ) async throws -> StoredIdentity {
        let key = try await maker.make(kind)
        let request = try await CertificateRequest.make(
            subject: acme.subject, key: key.requester, algorithm: kind.signatureAlgorithm, wishes: acme.wishes)
        let connection = try ServerConnection(roots: home.roots(for: acme.directoryURL), identity: nil)
        defer { connection.close() }
        let chain = try await ACMEOrdering(connection: connection).chain(acme, request: request) {
            token, authorization in
            try await statement(acme, key.stored, token, authorization)
        }
        let certificates = Array(chain.prefix(IdentityReply.mostCertificates))
        guard certificates.allSatisfy({ $0.count <= IdentityReply.largestCertificate }) else {
            throw ACMERefusal.certificate
        }
        return StoredIdentity(
            certificates: certificates, key: key.stored, hardwareBound: maker.isHardware,
            attested: acme.attest)
    }

    /// What proves where the key lives, if that is asked for.
    private func statement(
        _ acme: ACMEDocument, _ key: StoredKey, _ token: String, _ keyAuthorization: String
    ) async throws -> Data {
        guard acme.attest, let attestation else { return ACMEOrdering.noStatement }
        return try await attestation.statement(for: key, token: token, keyAuthorization: keyAuthorization)
    }

    private static func refusal(of error: any Error) -> AssetRefusal {
        switch error {
        case let silence as ServerSilence: .download("the certificate authority: \(silence.explanation)")
        case is TimeLimitReached, ACMERefusal.patience: .download("the certificate authority has not decided yet")
        case ACMERefusal.status(429, _), ACMERefusal.status(500...599, _):
            .download("the certificate authority is busy")
        case let refusal as ACMERefusal: .verification("\(refusal)")
        case KeyRefusal.kind: .content("this device makes no keys of that kind")
        case is KeyRefusal: .download("the key could not be made yet")
        case let failure as TPMFailure: .download("the key could not be attested yet: \(failure)")
        case ChipRefusal.busy: .download("the server is busy")
        case is ChipRefusal: .verification("the server does not certify the attestation key of this device's TPM")
        case is CertificateRequestRefusal: .content("the ACME document asks for a name or use that cannot be written")
        case is CancellationError: .download("interrupted")
        default: .verification("the certificate authority did not answer as it should")
        }
    }
}

extension ACMEDocument {
    /// The key it asks for; never less than 2048 bits of RSA, whatever it says.
    fileprivate var kind: SigningKey.Algorithm? {
        switch (keyType, keySize) {
        case (.ec, 256): .p256
        case (.ec, 384): .p384
        case (.ec, _): nil
        case (.rsa, ...2_048): .rsa2048
        case (.rsa, ...3_072): .rsa3072
        case (.rsa, _): .rsa4096
        }
    }

    var wishes: CertificateWishes {
        var wishes = CertificateWishes()
        wishes.emailAddress = subjectAltName?.emailAddress
        wishes.dnsName = subjectAltName?.dnsName
        wishes.uri = subjectAltName?.uri
        wishes.principalName = subjectAltName?.principalName
        wishes.permanentIdentifier = clientIdentifier
        wishes.extendedKeyUsage = extendedKeyUsage
        wishes.signs = (usageFlags ?? 1) & 1 != 0
        wishes.encrypts = (usageFlags ?? 1) & 4 != 0
        return wishes
    }
}

extension SigningKey.Algorithm {
    fileprivate var signatureAlgorithm: Certificate.SignatureAlgorithm {
        switch self {
        case .rsa2048, .rsa3072, .rsa4096: .sha256WithRSAEncryption
        case .p256: .ecdsaWithSHA256
        case .p384: .ecdsaWithSHA384
        }
    }
}
