// Apple's names and signatures: source that calls these functions on iOS calls them here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AppMessages
public import Foundation
import Signatures

/// Data, where Apple's Security framework asks for Core Foundation's: `data as CFData` is no conversion here.
public typealias CFData = Data

/// Text, where Apple's Security framework answers with Core Foundation's.
public typealias CFString = String

/// An error, where Apple's Security framework answers with Core Foundation's: `takeRetainedValue()` gives it.
public typealias CFError = NSError

/// Who provides memory; here always nil.
public typealias CFAllocator = Never

/// Nobody in particular provides memory.
public let kCFAllocatorDefault: CFAllocator? = nil

/// How a function of Apple's Security framework ended.
public typealias OSStatus = Int32

/// It was done.
public let errSecSuccess: OSStatus = 0

/// A parameter is not valid, for example a message that is too long.
public let errSecParam: OSStatus = -50

/// The algorithm is none of the key's.
public let errSecUnimplemented: OSStatus = -4

/// The identity was withdrawn, or has another key now: look it up again.
public let errSecItemNotFound: OSStatus = -25300

/// The key can be used and not read, or the certificate does not have what was asked for.
public let errSecDataNotAvailable: OSStatus = -25316

/// The device could not do it.
public let errSecInternalComponent: OSStatus = -2070

/// Reads a certificate in DER; nil when the data is none.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    SecCertificate(der: data)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.derRepresentation
}

/// The name a person would call the certificate's subject by: its common name, where it has one.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.fields.summary
}

/// The subject's common name: the last one, where it has several.
///
/// - Returns: `errSecSuccess`; `errSecDataNotAvailable` when the subject has none, and then the name is nil.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    unsafe commonName.pointee = certificate.fields.commonName
    return certificate.fields.commonName == nil ? errSecDataNotAvailable : errSecSuccess
}

/// The certificate's public key; nil when it is neither RSA nor one of the curves P-256, P-384 and P-521.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    certificate.fields.publicKey.map { SecKey($0) }
}

/// The certificate of an identity.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// The private key of an identity, as a handle that signs.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.privateKey
    return errSecSuccess
}

/// The public key that belongs to a private one; a public key is its own.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    SecKey(key.publicKey)
}

/// Whether a key can do something with an algorithm: private keys sign, public ones verify signatures over messages.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let known = key.signatureAlgorithm(algorithm) else { return false }
    return switch operation {
    case .sign: key.handle != nil
    case .verify: key.handle == nil && known.input == .message
    case .encrypt, .decrypt, .keyExchange: false
    }
}

/// Signs a message, or a digest where the algorithm says so; waits for the agent.
///
/// A chip takes a tenth of a second: where a task can wait, use ``SecKey/signature(for:algorithm:)``.
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard let handle = key.handle, key.signatureAlgorithm(algorithm) != nil else {
        unsafe report(errSecUnimplemented, "the key cannot sign with this algorithm", to: error)
        return nil
    }
    guard let request = key.request(dataToSign, algorithm) else {
        unsafe report(errSecParam, "a message of at most 64 KiB or a digest of its length can be signed", to: error)
        return nil
    }
    switch handle.link.waitForSignature(request) {
    case .success(let signature):
        return signature
    case .failure(.invalidIdentifier):
        unsafe report(errSecItemNotFound, "the identity is not provisioned any more, or has another key", to: error)
    case .failure:
        unsafe report(errSecInternalComponent, "the device could not sign", to: error)
    }
    return nil
}

/// A public key in PKCS #1 (RSA) or X9.63 (elliptic curves); a private key cannot be exported.
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard key.handle == nil else {
        unsafe report(errSecDataNotAvailable, "a private key cannot be exported", to: error)
        return nil
    }
    return key.publicKey.bits
}

private func report(
    _ status: OSStatus, _ description: String, to error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) {
    guard let error = unsafe error else { return }
    let value = NSError(
        domain: "NSOSStatusErrorDomain", code: Int(status), userInfo: [NSLocalizedDescriptionKey: description])
    unsafe error.pointee = unsafe Unmanaged.passRetained(value)
}
