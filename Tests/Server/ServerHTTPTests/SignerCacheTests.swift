import CertificateAuthority
import CryptographicMessages
import Foundation
import Testing

@testable import ServerHTTP

/// A13: what is remembered of devices that sign is bounded by the memory it takes, whatever their certificates look like.
struct SignerCacheTests {
    private static func known(commonName: String) throws -> SignerCache.Known {
        let certificate = try SharedAuthority.authority().issueDevice(
            publicKeyDER: DeviceKeys.first().publicKeyInfo, commonName: commonName, notBefore: Date(),
            notAfter: Date() + 3_600)
        return SignerCache.Known(
            signer: try PinnedSigner(certificateDER: certificate), notAfter: Date() + 3_600, policy: .modern)
    }

    @Test(arguments: [1, 500])
    func theMemoryIsBounded(nameLength: Int) throws {
        let bytes = 200_000
        let known = try Self.known(commonName: "device")
        #expect(known.signer.memoryBytes > 1_500)
        let cache = SignerCache(bytes: bytes)
        func name(_ number: Int) -> String { String(repeating: "x", count: nameLength) + "\(number)" }
        for number in 0..<500 { cache.keep(known, of: name(number)) }
        #expect(cache.signer(of: name(499)) != nil)
        let held = (0..<500).count { cache.signer(of: name($0)) != nil }
        #expect(held > 10 && held * (known.signer.memoryBytes + nameLength) <= bytes, "\(held)")
    }

    /// A device that signs again takes no more memory than once.
    @Test func anotherCertificateReplacesTheOneBefore() throws {
        let known = try Self.known(commonName: "device")
        let cache = SignerCache(bytes: 40_000)
        cache.keep(known, of: "other")
        for _ in 0..<1_000 { cache.keep(known, of: "device") }
        #expect(cache.signer(of: "other") != nil && cache.signer(of: "device") != nil)
    }
}
