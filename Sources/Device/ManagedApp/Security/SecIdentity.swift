package import AppMessages

/// A certificate with its private key, as Apple's Security framework names it.
///
/// The key itself stays with the device's agent or in the device's TPM: what is here signs through them. When an
/// administrator has withdrawn or replaced the identity, the key signs no more: look the identity up again.
public final class SecIdentity: Sendable {
    /// The certificate, and those between it and the authority's own.
    ///
    /// Martlet's own: Apple's framework delivers the first one only.
    public let certificateChain: [SecCertificate]

    /// The private key, as a handle that signs.
    ///
    /// Martlet's own; in source that is also built for iOS, call `SecIdentityCopyPrivateKey`.
    public let privateKey: SecKey

    let certificate: SecCertificate

    /// Makes an identity of what the agent said; nil when it cannot be one.
    package init?(_ reply: IdentityReply, identifier: String, link: AgentLink) {
        let chain = reply.certificates.compactMap { SecCertificate(der: $0) }
        guard let certificate = chain.first, chain.count == reply.certificates.count,
            let publicKey = certificate.fields.publicKey
        else { return nil }
        self.certificate = certificate
        certificateChain = chain
        privateKey = SecKey(
            signingFor: identifier, reference: reply.reference, publicKey: publicKey,
            isHardwareBound: reply.hardwareBound, isAttested: reply.attested, link: link)
    }
}
