import CertificateAuthority
import CryptographicMessages
import Foundation
import HTTPTypes
import Hummingbird
import Management

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
        /// When the message says that it was signed, where its signature is all that vouches for it.
        var signed: Date?
        /// The certificate itself, where it came with the request and was not known by its enrollment.
        var shown: ShownIdentity?
    }

    /// How far the time that a signature says may be from the server's.
    static let signatureSeconds: TimeInterval = 900

    private let authority: Authority
    private let grace: TimeInterval
    private let allowsLegacy: @Sendable (_ fingerprint: Data) async throws -> Bool
    private let readmit: @Sendable (_ shown: ShownIdentity, _ enrollment: String) async throws -> Void
    private let now: @Sendable () -> Date
    private let signers = SignerCache(bytes: 64 << 20)
    /// What took effect and could be sent again.
    let taken: TakenMessages

    /// Certificates that ended no longer ago than `grace` are recognized where they may fetch their renewal.
    ///
    /// `allowsLegacy` says whether a certificate's enrollment may sign with SHA-1; `readmit` pins a certificate whose record a
    /// restore lost, if it is of the enrollment that the request names.
    init(
        authority: Authority, grace: TimeInterval, now: @escaping @Sendable () -> Date,
        allowsLegacy: @escaping @Sendable (_ fingerprint: Data) async throws -> Bool,
        readmit: @escaping @Sendable (_ shown: ShownIdentity, _ enrollment: String) async throws -> Void
    ) {
        self.authority = authority
        self.allowsLegacy = allowsLegacy
        self.readmit = readmit
        self.grace = grace
        self.now = now
        // A signature may say a time up to the bound ahead, and counts until the bound after it.
        taken = TakenMessages(seconds: 2 * Self.signatureSeconds, now: now)
    }

    /// Refuses what shows no identity at all, before anything of its body is read.
    func requireCredential(_ request: Request, _ context: MartletContext) throws(DeviceProblem) {
        guard context.peer.certificate == nil, Self.signature(of: request) == nil else { return }
        throw DeviceProblem(.badRequest, rule: "a device shows a certificate or signs its message")
    }

    /// The certificate that vouches for this body.
    ///
    /// `enrollment` only says where to look first; a signature header always counts before the connection's certificate.
    func signer(
        of request: Request, _ context: MartletContext, body: Data, enrollment: String?
    ) async throws -> Signer {
        let signer = try await signerInGrace(of: request, context, body: body, enrollment: enrollment)
        guard !signer.isExpired else { throw DeviceProblem(expired: "the certificate", enrollment: enrollment) }
        return signer
    }

    /// The same for a request that a device may make whose certificate has just ended.
    func signerInGrace(
        of request: Request, _ context: MartletContext, body: Data, enrollment: String?
    ) async throws -> Signer {
        let signer = try await provenSigner(of: request, context, body: body, enrollment: enrollment)
        context.peer.standing.recognize()
        if let enrollment, let shown = signer.shown { try await readmit(shown, enrollment) }
        return signer
    }

    /// Whether the connection's certificate was issued by us and has not ended for good.
    func isOurs(_ peer: ConnectionPeer) -> Bool {
        guard let verdict = peer.verdict({ authority.judge($0, now: now(), grace: grace) }) else { return false }
        if case .issuedByUs = verdict { return true }
        return false
    }

    private func provenSigner(
        of request: Request, _ context: MartletContext, body: Data, enrollment: String?
    ) async throws -> Signer {
        guard let header = Self.signature(of: request) else { return try connectionSignerInGrace(of: context) }
        guard let message = Data(base64Encoded: header) else {
            throw DeviceProblem(.badRequest, rule: "the signature header is Base64", enrollment: enrollment)
        }
        if let enrollment, let known = signers.signer(of: enrollment), known.notAfter > now(),
            case .success(let time) = verified(message, over: body, by: known)
        {
            let signed = try requireRecent(time, by: known.signer.fingerprint, context, enrollment)
            return Signer(fingerprint: known.signer.fingerprint, isExpired: false, signed: signed)
        }
        return try await unpinnedSigner(message, body: body, context, enrollment: enrollment)
    }

    private func verified(
        _ message: Data, over body: Data, by known: SignerCache.Known
    ) -> Result<Date?, SignatureRefusal> {
        Result { () throws(SignatureRefusal) in
            try MessageSignature.verify(
                message, over: body, by: known.signer, policy: known.policy, forms: .any
            ).signingTime
        }
    }

    /// Refuses a message that was signed long ago, where the signature is all that vouches for it.
    ///
    /// A connection on which the signer proved its key is fresh by itself, whatever the device's clock says. A signature that
    /// says no time can be sent again at any time: the protocol has nothing else by which to tell.
    ///
    /// Returns the time where it is what tells the message from one that is sent again.
    private func requireRecent(
        _ time: Date?, by fingerprint: Data, _ context: MartletContext, _ enrollment: String?
    ) throws(DeviceProblem) -> Date? {
        guard let time, context.peer.certificate?.fingerprint != fingerprint else { return nil }
        guard abs(time.timeIntervalSince(now())) > Self.signatureSeconds else { return time }
        throw DeviceProblem(
            .badRequest,
            rule: """
                the message was signed more than \(Int(Self.signatureSeconds / 60)) minutes from the server's time: it is \
                sent again, or the device's clock is wrong
                """, enrollment: enrollment)
    }

    /// The fingerprint of the certificate that vouches for a request without a body: that of the connection alone.
    ///
    /// A signature over no body is the same for every such request of a device. Anyone who saw it once, such as a proxy
    /// or its log, could fetch all secrets of the device with it.
    func downloader(of request: Request, _ context: MartletContext) throws(DeviceProblem) -> Data {
        if context.peer.certificate == nil, Self.signature(of: request) != nil {
            throw DeviceProblem.certificateNeeded
        }
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
            return Signer(
                fingerprint: certificate.fingerprint, isExpired: issued.notAfter < moment,
                shown: verdict.shown(certificate.der))
        }
    }

    /// Forgets nothing by itself: a certificate that took another's place is found out by its bytes.
    private func unpinnedSigner(
        _ message: Data, body: Data, _ context: MartletContext, enrollment: String?
    ) async throws -> Signer {
        do {
            let moment = now()
            let (certificate, verdict) = try judged(MessageSignature.signerCertificates(in: message), at: moment)
            switch verdict {
            case .refused(.expired):
                throw DeviceProblem(expired: "the signature's certificate", enrollment: enrollment)
            case .refused(let reason):
                throw DeviceProblem(
                    .badRequest, rule: "the signature's certificate: \(reason)", enrollment: enrollment)
            case .issuedByUs(let issued):
                let signer = try PinnedSigner(certificateDER: certificate)
                let verified = try MessageSignature.verify(
                    message, over: body, by: signer, policy: .legacy, forms: .any)
                // Asked last, so that only a certificate of ours that signed this body costs a look into the store.
                if verified.usesSHA1, try await !allowsLegacy(signer.fingerprint) {
                    throw SignatureRefusal.legacyDigest
                }
                let signed = try requireRecent(verified.signingTime, by: signer.fingerprint, context, enrollment)
                let known = SignerCache.Known(
                    signer: signer, notAfter: issued.notAfter, policy: verified.usesSHA1 ? .legacy : .modern)
                if let enrollment {
                    // Before it is kept: a certificate that is known by its enrollment is not looked at again.
                    if let shown = verdict.shown(certificate) { try await readmit(shown, enrollment) }
                    signers.keep(known, of: enrollment)
                }
                return Signer(
                    fingerprint: signer.fingerprint, isExpired: issued.notAfter < moment, signed: signed)
            }
        } catch let problem as DeviceProblem {
            throw problem
        } catch let refusal as SignatureRefusal {
            throw DeviceProblem(.badRequest, rule: "the signature: \(refusal)", enrollment: enrollment)
        }
    }

    /// The first signer whose certificate is ours; where none is, the first, whose verdict says why not.
    private func judged(
        _ certificates: [Data], at moment: Date
    ) throws(SignatureRefusal) -> (certificate: Data, verdict: CertificateVerdict) {
        var first: (Data, CertificateVerdict)?
        for certificate in certificates {
            let verdict = authority.judge(certificate, now: moment, grace: grace)
            if case .issuedByUs = verdict { return (certificate, verdict) }
            first = first ?? (certificate, verdict)
        }
        guard let first else { throw .signerCount }
        return first
    }

    private static func signature(of request: Request) -> String? {
        request.headers[.mdmSignature]
    }
}

extension CertificateVerdict {
    /// The certificate that was judged, if it is ours.
    fileprivate func shown(_ der: Data) -> ShownIdentity? {
        guard case .issuedByUs(let issued) = self else { return nil }
        return ShownIdentity(
            der: der, fingerprint: issued.fingerprint, serial: issued.serial, name: issued.subject,
            issued: issued.notBefore + Authority.clockTolerance, notAfter: issued.notAfter,
            publicKeyDigest: issued.publicKeyDigest)
    }
}
