import Foundation
import ManagedApp

#if canImport(Security)
import Security
#else
import ManagedAppSecurity
#endif

// Apple-style code, compiled without any of our settings. That it compiles is half of the test.

/// What was to be judged is no chain.
public struct NoChain: Error {}

/// The key of a server whose certificate one of these authorities vouches for, as source for iOS asks for it.
public func trustedKey(
    of chain: [SecCertificate], host: String, authorities: [SecCertificate], at date: Date
) throws -> SecKey? {
    let policy = SecPolicyCreateSSL(true, host as CFString)
    var trust: SecTrust?
    guard SecTrustCreateWithCertificates(chain as CFArray, policy, &trust) == errSecSuccess, let trust else {
        throw NoChain()
    }
    SecTrustSetAnchorCertificates(trust, authorities as CFArray)
    SecTrustSetAnchorCertificatesOnly(trust, true)
    SecTrustSetVerifyDate(trust, date as CFDate)
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else { throw error! as Error }
    guard let found = SecTrustCopyCertificateChain(trust) as? [SecCertificate], found.first == chain.first else {
        return nil
    }
    return SecTrustCopyKey(trust)
}

/// Whether a certificate's owner signed a message.
public func isSigned(
    _ message: Data, by certificate: SecCertificate, _ signature: Data, _ algorithm: SecKeyAlgorithm
) throws -> Bool {
    guard let key = SecCertificateCopyKey(certificate), SecKeyIsAlgorithmSupported(key, .verify, algorithm) else {
        return false
    }
    var error: Unmanaged<CFError>?
    guard SecKeyVerifySignature(key, algorithm, message as CFData, signature as CFData, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    return true
}

/// The common name of a certificate's subject.
public func commonName(of certificate: SecCertificate) -> String? {
    var name: CFString?
    guard SecCertificateCopyCommonName(certificate, &name) == errSecSuccess else { return nil }
    return name as String?
}

/// The type of each function, as Apple's headers have it.
struct SecurityDeclarations {
    let create: (CFTypeRef, CFTypeRef?, UnsafeMutablePointer<SecTrust?>) -> OSStatus =
        SecTrustCreateWithCertificates
    let policies: (SecTrust, CFTypeRef) -> OSStatus = SecTrustSetPolicies
    let anchors: (SecTrust, CFArray?) -> OSStatus = SecTrustSetAnchorCertificates
    let anchorsOnly: (SecTrust, Bool) -> OSStatus = SecTrustSetAnchorCertificatesOnly
    let date: (SecTrust, CFDate) -> OSStatus = SecTrustSetVerifyDate
    let evaluate: (SecTrust, UnsafeMutablePointer<CFError?>?) -> Bool = SecTrustEvaluateWithError
    let chain: (SecTrust) -> CFArray? = SecTrustCopyCertificateChain
    let key: (SecTrust) -> SecKey? = SecTrustCopyKey
    let basic: () -> SecPolicy = SecPolicyCreateBasicX509
    let server: (Bool, CFString?) -> SecPolicy = SecPolicyCreateSSL
    let verify: (SecKey, SecKeyAlgorithm, CFData, CFData, UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Bool =
        SecKeyVerifySignature
    let name: (SecCertificate, UnsafeMutablePointer<CFString?>) -> OSStatus = SecCertificateCopyCommonName
}
