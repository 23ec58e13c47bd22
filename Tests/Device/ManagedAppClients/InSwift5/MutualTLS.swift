import Foundation
import ManagedApp

/// What the talk's delegate does at a challenge, in the language mode of Swift 5.
final class AssetServerIdentity {
    func identity() async -> SecIdentity? {
        let provider = ManagedAppIdentitiesProvider()
        return try? await provider.identity(withIdentifier: "asset-server")
    }

    /// The certificate and a signature, as Apple's functions make them.
    func proof(of data: Data) async -> (SecCertificate, Data)? {
        guard let identity = await identity() else { return nil }
        var key: SecKey?
        var certificate: SecCertificate?
        guard SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess, let key,
            SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate,
            let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data as CFData, nil)
        else { return nil }
        return (certificate, signature as Data)
    }
}
