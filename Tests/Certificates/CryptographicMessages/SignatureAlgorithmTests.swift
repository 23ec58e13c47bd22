import Crypto
import CryptographicMessages
import Foundation
import Signatures
import Testing

/// Signatures in every form that apps may ask for, verified by the `openssl` command.
@Suite(.enabled(if: OpenSSLTool.isThere))
struct SignatureAlgorithmTests {
    private static let message = Data("sign this".utf8)

    @Test(arguments: SignatureAlgorithm.all)
    func `OpenSSL verifies a signature of each algorithm`(_ algorithm: SignatureAlgorithm) throws {
        let keys: [SigningKey.Algorithm] = algorithm.scheme == .ecdsa ? [.p256, .p384] : [.rsa2048]
        for kind in keys {
            let key = try Identity.of(kind).key
            let data = algorithm.input == .message ? Self.message : Self.digest(algorithm.hash)
            let tool = try OpenSSLTool()
            try tool.write(key.pem, "key")
            try tool.run("pkey -in key -pubout -out public")
            try tool.write(Self.message, "message")
            try tool.write(try key.signature(over: data, with: algorithm), "signature")
            let padding =
                algorithm.scheme == .rsaPSS
                ? "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest" : ""
            let hash = algorithm.hash.rawValue
            try tool.run("dgst -\(hash) \(padding) -verify public -signature signature message")
        }
    }

    @Test func `a name reads back and no other name is read`() {
        for algorithm in SignatureAlgorithm.all { #expect(SignatureAlgorithm(name: algorithm.name) == algorithm) }
        #expect(SignatureAlgorithm.all.count == 18)
        #expect(
            SignatureAlgorithm(name: "rsa-pss-sha256-message") == SignatureAlgorithm(.rsaPSS, .sha256, over: .message))
        for name in ["", "ecdsa", "ecdsa-sha1-message", "rsa-sha256-digest", "ECDSA-sha256-digest"] {
            #expect(SignatureAlgorithm(name: name) == nil)
        }
    }

    @Test func `a key signs with algorithms of its own family only, and digests of the right length only`() throws {
        let elliptic = try Identity.of(.p256).key
        let rsa = try Identity.rsa.key
        #expect(throws: SigningRefusal.algorithm) {
            try elliptic.signature(over: Self.message, with: SignatureAlgorithm(.rsaPSS, .sha256, over: .message))
        }
        #expect(throws: SigningRefusal.algorithm) {
            try rsa.signature(over: Self.digest(.sha256), with: SignatureAlgorithm(.ecdsa, .sha256, over: .digest))
        }
        for wrong in [Data(), Data(count: 31), Data(count: 48)] {
            #expect(throws: SigningRefusal.digestLength) {
                try rsa.signature(over: wrong, with: SignatureAlgorithm(.rsaPKCS1, .sha256, over: .digest))
            }
        }
    }

    private static func digest(_ hash: SignatureAlgorithm.Hash) -> Data {
        switch hash {
        case .sha256: Data(SHA256.hash(data: message))
        case .sha384: Data(SHA384.hash(data: message))
        case .sha512: Data(SHA512.hash(data: message))
        }
    }
}
