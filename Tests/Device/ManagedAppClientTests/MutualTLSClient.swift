import Foundation
import ManagedApp

#if canImport(Security)
import Security
#endif

/// Answers a server's question for a client certificate, as an app on iOS does.
final class AssetServerDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
            return (.performDefaultHandling, nil)
        }
        let provider = ManagedAppIdentitiesProvider()
        guard let identity = try? await provider.identity(withIdentifier: "asset-server") else {
            return (.cancelAuthenticationChallenge, nil)
        }
        return (.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .none))
    }
}

/// Signs with a provisioned identity, with the functions of Apple's Security framework.
func signature(of data: Data, withIdentity identifier: String) async throws -> (Data, SecCertificate) {
    let identity = try await ManagedAppIdentitiesProvider().identity(withIdentifier: identifier)
    return try signature(of: data, with: identity)
}

struct SigningError: Error {}

func signature(of data: Data, with identity: SecIdentity) throws -> (Data, SecCertificate) {
    var privateKey: SecKey?
    guard SecIdentityCopyPrivateKey(identity, &privateKey) == errSecSuccess, let privateKey else {
        throw SigningError()
    }
    var certificate: SecCertificate?
    let status = SecIdentityCopyCertificate(identity, &certificate)
    guard status == errSecSuccess, let certificate else { throw SigningError() }

    var algorithm: SecKeyAlgorithm = .rsaSignatureMessagePKCS1v15SHA256
    if !SecKeyIsAlgorithmSupported(privateKey, .sign, algorithm) { algorithm = .ecdsaSignatureMessageX962SHA256 }
    guard SecKeyIsAlgorithmSupported(privateKey, .sign, algorithm) else { throw SigningError() }
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(privateKey, algorithm, data as CFData, &error) as Data? else {
        throw error!.takeRetainedValue() as Error
    }
    return (signature, certificate)
}

/// What cannot be had: a private key's bytes.
func exportedKey(_ identity: SecIdentity) -> (Data?, Error?) {
    var key: SecKey?
    SecIdentityCopyPrivateKey(identity, &key)
    guard let key else { return (nil, nil) }
    var error: Unmanaged<CFError>?
    let bytes = SecKeyCopyExternalRepresentation(key, &error) as Data?
    return (bytes, error?.takeRetainedValue() as Error?)
}

/// A certificate out of bytes, and back.
func roundTrip(_ data: Data) -> (Data, String?)? {
    guard let certificate = SecCertificateCreateWithData(kCFAllocatorDefault, data as CFData) else { return nil }
    return (SecCertificateCopyData(certificate) as Data, SecCertificateCopySubjectSummary(certificate) as String?)
}
