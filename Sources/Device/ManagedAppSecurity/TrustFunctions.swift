// Apple's names and signatures: source that calls these functions on iOS calls them here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import ManagedApp

/// Prepares an evaluation of a certificate.
///
/// - Parameters:
///   - certificates: A ``ManagedApp/SecCertificate``, or an array of at most 16 whose first one is judged. The others may
///     help to build the chain, in any order.
///   - policies: A ``SecPolicy``, or an array of them that must all be met; nil for ``SecPolicyCreateBasicX509()``.
///   - trust: Where the result is put.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else than these, or a first certificate whose key or encoding is
///   of a kind that cannot be judged.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    unsafe trust.pointee = nil
    let chain: [SecCertificate]? = oneOrSeveral(certificates)
    let rules: [SecPolicy]? = if let policies { oneOrSeveral(policies) } else { [SecPolicyCreateBasicX509()] }
    guard let chain, let rules, let made = SecTrust(chain, rules) else { return errSecParam }
    unsafe trust.pointee = made
    return errSecSuccess
}

/// Replaces the policies: one ``SecPolicy``, or an array of at most 16 that must all be met.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let rules: [SecPolicy] = oneOrSeveral(policies), (1...SecTrust.mostCertificates).contains(rules.count) else {
        return errSecParam
    }
    trust.change { $0.policies = rules }
    return errSecSuccess
}

/// Trusts these certificates, at most 128, and no longer the authorities that the system trusts; nil undoes it.
///
/// An anchor must be an authority's certificate, also when it is the very one that is judged.
///
/// - Returns: `errSecSuccess`; `errSecParam` when one of them is no certificate that can be an anchor. Nothing is changed
///   then.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let anchorCertificates else {
        trust.change { ($0.anchors, $0.usesSystemAnchors) = ([], true) }
        return errSecSuccess
    }
    guard anchorCertificates.count <= SecTrust.mostAnchors else { return errSecParam }
    let anchors = anchorCertificates.compactMap { ($0 as? SecCertificate)?.parsed }
    guard anchors.count == anchorCertificates.count else { return errSecParam }
    trust.change { ($0.anchors, $0.usesSystemAnchors) = (anchors, false) }
    return errSecSuccess
}

/// Whether only the certificates that were set are anchors; with false the authorities that the system trusts are, too.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.usesSystemAnchors = !anchorCertificatesOnly }
    return errSecSuccess
}

/// Judges as of a moment other than now.
///
/// - Returns: `errSecSuccess`; `errSecParam` for a moment before 1950 or after 9999, which no certificate can name.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    guard TrustEvaluation.canJudge(verifyDate) else { return errSecParam }
    trust.change { $0.date = verifyDate }
    return errSecSuccess
}

/// Judges the certificate, without the network.
///
/// - Parameters:
///   - trust: What to judge.
///   - error: Where to put why it is not trusted: the code of the rule that is broken, and a sentence.
/// - Returns: Whether the certificate is trusted: a chain leads from it to an anchor and meets every policy.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    switch trust.evaluate() {
    case .trusted:
        if let error = unsafe error { unsafe error.pointee = nil }
        return true
    case .untrusted(let reason):
        if let error = unsafe error { unsafe error.pointee = securityError(reason.status, reason.rule) }
        return false
    }
}

/// The chain that was found, from the certificate to the anchor; evaluates first where that was not done.
///
/// Nil when the certificate is not trusted: certificates that nobody vouches for are not handed out as a chain.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    trust.trustedChain()
}

/// The public key of the certificate; evaluates first where that was not done.
///
/// Nil when the certificate is not trusted, or its key is neither RSA nor one of the curves P-256, P-384 and P-521.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.trustedChain()?.first.flatMap { SecCertificateCopyKey($0) }
}

private func oneOrSeveral<Value>(_ value: Any) -> [Value]? {
    if let one = value as? Value { return [one] }
    return value as? [Value]
}
