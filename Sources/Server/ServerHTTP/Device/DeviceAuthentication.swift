import CertificateAuthority
import CryptographicMessages
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Finds the certificate behind a device's request: the signature header's, or the connection's.
///
/// What it answers is proved and issued by us. To whom it belongs is for the rules to say.
struct DeviceAuthentication: Sendable {
    /// The certificate that vouches for a request.
    struct Signer {
        /// SHA-256 of the certificate.
        let fingerprint: Data
        /// It ended a short while ago, and is good for fetching its renewal alone.
        let isExpired: Bool
    }

    static let signatureHeader = HTTPField.Name("Mdm-Signature")

    private let authority: Authority
    private let grace: TimeInterval
    private let now: @Sendable () -> Date
    private let signers = SignerCache(capacity: 32_768)

    /// Certificates that ended no longer ago than `grace` are recognised where they may fetch their renewal.
    init(authority: Authority, grace: TimeInterval, now: @escaping @Sendable () -> Date) {
        self.authority = authority
        self.grace = grace
        self.now = now
    }

    /// Refuses what shows no identity at all, before anything of its body is read.
    func requireCredential(_ request: Request, _ context: MartletContext) throws(DeviceProblem) {
        guard context.peer.certificate == nil, Self.signature(of: request) == nil else { return }
        throw DeviceProblem(.badRequest, rule: "a device shows a certificate or signs its message")
    }

    /// The fingerprint of the certificate that vouches for this body.
    ///
    /// `enrollment` only says where to look first; a signature header always counts before the connection's certificate.
    func signer(
        of request: Request, _ context: MartletContext, body: Data, enrollment: String?
    ) throws(DeviceProblem) -> Data {
        let signer = try signerInGrace(of: request, context, body: body, enrollment: enrollment)
        guard !signer.isExpired else { throw DeviceProblem(expired: "the certificate", enrollment: enrollment) }
        return signer.fingerprint
    }

    /// The same for a request that a device may make whose certificate has just ended.
    func signerInGrace(
        of request: Request, _ context: MartletContext, body: Data, enrollment: String?
    ) throws(DeviceProblem) -> Signer {
        guard let header = Self.signature(of: request) else { return try connectionSignerInGrace(of: context) }
        guard let message = Data(base64Encoded: header) else {
            throw DeviceProblem(.badRequest, rule: "the signature header is Base64", enrollment: enrollment)
        }
        if let enrollment, let known = signers.signer(of: enrollment), known.notAfter > now(),
            (try? MessageSignature.verify(message, over: body, by: known.signer)) != nil
        {
            return Signer(fingerprint: known.signer.fingerprint, isExpired: false)
        }
        return try unpinnedSigner(message, body: body, enrollment: enrollment)
    }

    /// The fingerprint of the certificate of the connection.
    func connectionSigner(of context: MartletContext) throws(DeviceProblem) -> Data {
        let signer = try connectionSignerInGrace(of: context)
        guard !signer.isExpired else { throw DeviceProblem(expired: "the connection's certificate", enrollment: nil) }
        return signer.fingerprint
    }

    private func connectionSignerInGrace(of context: MartletContext) throws(DeviceProblem) -> Signer {
        guard let certificate = context.peer.certificate,
            let verdict = context.peer.verdict({ authority.judge($0, now: now(), grace: grace) })
        else {
            throw DeviceProblem(.badRequest, rule: "a device shows a certificate or signs its message")
        }
        switch verdict {
        case .refused(.expired): throw DeviceProblem(expired: "the connection's certificate", enrollment: nil)
        case .refused(let reason):
            throw DeviceProblem(.badRequest, rule: "the connection's certificate: \(reason)")
        case .issuedByUs(let issued):
            let moment = now()
            // The verdict is as old as the connection.
            guard issued.notAfter + grace >= moment else {
                throw DeviceProblem(expired: "the connection's certificate", enrollment: nil)
            }
            return Signer(fingerprint: certificate.fingerprint, isExpired: issued.notAfter < moment)
        }
    }

    /// Forgets nothing by itself: a certificate that took another's place is found out by its bytes.
    private func unpinnedSigner(
        _ message: Data, body: Data, enrollment: String?
    ) throws(DeviceProblem) -> Signer {
        do {
            let certificate = try MessageSignature.signerCertificate(in: message)
            let moment = now()
            switch authority.judge(certificate, now: moment, grace: grace) {
            case .refused(.expired):
                throw DeviceProblem(expired: "the signature's certificate", enrollment: enrollment)
            case .refused(let reason):
                throw DeviceProblem(
                    .badRequest, rule: "the signature's certificate: \(reason)", enrollment: enrollment)
            case .issuedByUs(let issued):
                let signer = try PinnedSigner(certificateDER: certificate)
                try MessageSignature.verify(message, over: body, by: signer)
                if let enrollment { signers.keep(.init(signer: signer, notAfter: issued.notAfter), of: enrollment) }
                return Signer(fingerprint: signer.fingerprint, isExpired: issued.notAfter < moment)
            }
        } catch let problem as DeviceProblem {
            throw problem
        } catch {
            throw DeviceProblem(.badRequest, rule: "the signature: \(error)", enrollment: enrollment)
        }
    }

    private static func signature(of request: Request) -> String? {
        signatureHeader.flatMap { request.headers[$0] }
    }
}

/// The verification keys of the enrollments that signed lately, so that a certificate is not parsed per request.
///
/// Two generations: when the young one is full the old one goes, and what is still used moves back.
final class SignerCache: Sendable {
    struct Known: Sendable {
        let signer: PinnedSigner
        let notAfter: Date
    }

    private struct Generations {
        var young: [String: Known] = [:]
        var old: [String: Known] = [:]
    }

    private let generations = Mutex(Generations())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity / 2
    }

    func signer(of enrollment: String) -> Known? {
        generations.withLock { generations in
            if let known = generations.young[enrollment] { return known }
            guard let known = generations.old[enrollment] else { return nil }
            insert(known, enrollment, &generations)
            return known
        }
    }

    func keep(_ known: Known, of enrollment: String) {
        guard enrollment.utf8.count <= 512 else { return }
        generations.withLock { insert(known, enrollment, &$0) }
    }

    private func insert(_ known: Known, _ enrollment: String, _ generations: inout Generations) {
        if generations.young.count >= capacity {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[enrollment] = known
    }
}
