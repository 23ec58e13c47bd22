import CryptographicMessages
import Foundation
import Testing

struct MessageSignatureTests {
    private let body = Data("<plist><dict><key>MessageType</key><string>Authenticate</string></dict></plist>".utf8)

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384])
    func `a signature of ours is accepted by us and by OpenSSL`(_ algorithm: SigningKey.Algorithm) throws {
        let identity = try Identity.of(algorithm)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let signature = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        try MessageSignature.verify(signature, over: body, by: signer)
        #expect(OpenSSLReference.accepts(signature, over: body))
        #expect(try MessageSignature.signerCertificate(in: signature) == identity.certificateDER)
    }

    @Test(arguments: [SigningKey.Algorithm.rsa2048, .p256, .p384])
    func `a signature says when it was made, and OpenSSL reads it as well`(_ algorithm: SigningKey.Algorithm) throws {
        let identity = try Identity.of(algorithm)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        // 1950 to 2049 have two digits in ASN.1; the last is beyond.
        for seconds in [0, 951_782_399, 1_764_000_000, 2_524_607_999, 2_524_608_000] {
            let time = Date(timeIntervalSince1970: TimeInterval(seconds))
            let signature = try MessageSignature.sign(
                body, certificateDER: identity.certificateDER, key: identity.key, at: time + 0.75)
            #expect(try MessageSignature.verify(signature, over: body, by: signer).signingTime == time)
            #expect(OpenSSLReference.accepts(signature, over: body))
        }
        let silent = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        #expect(try MessageSignature.verify(silent, over: body, by: signer).signingTime == nil)
    }

    @Test func `a signature over an empty body is accepted`() throws {
        let identity = try Identity.rsa
        let signature = try MessageSignature.sign(Data(), certificateDER: identity.certificateDER, key: identity.key)
        try MessageSignature.verify(signature, over: Data(), by: PinnedSigner(certificateDER: identity.certificateDER))
    }

    /// A replayed signature with another body: refused.
    @Test func `another body is refused`() throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let signature = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        for other in [body + [0x0a], body.dropLast(), Data(), Data(body.reversed())] {
            #expect(throws: SignatureRefusal.bodyDiffers) {
                try MessageSignature.verify(signature, over: other, by: signer)
            }
        }
    }

    @Test func `another device's signature is refused`() throws {
        let identity = try Identity.rsa
        let other = try PinnedSigner(certificateDER: Identity.otherRSA.certificateDER)
        let signature = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        #expect(throws: SignatureRefusal.otherSigner) { try MessageSignature.verify(signature, over: body, by: other) }
    }

    @Test func `a stranger's key under the device's certificate is refused`() throws {
        let identity = try Identity.rsa
        let signature = try MessageSignature.sign(
            body, certificateDER: identity.certificateDER, key: Identity.otherRSA.key)
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        #expect(throws: SignatureRefusal.signatureInvalid) {
            try MessageSignature.verify(signature, over: body, by: signer)
        }
    }

    @Test func `a slice with its own indices is read like any data`() throws {
        let identity = try Identity.rsa
        let signature = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        let padded = Data([1, 2, 3]) + signature
        let signer = try PinnedSigner(certificateDER: (Data([9]) + identity.certificateDER).dropFirst())
        try MessageSignature.verify(padded.dropFirst(3), over: (Data([7]) + body).dropFirst(), by: signer)
    }

    @Test func `every proper prefix and any extension is refused`() throws {
        let identity = try Identity.rsa
        let signer = try PinnedSigner(certificateDER: identity.certificateDER)
        let signature = try MessageSignature.sign(body, certificateDER: identity.certificateDER, key: identity.key)
        for count in 0..<signature.count {
            #expect(throws: SignatureRefusal.self) {
                try MessageSignature.verify(signature.prefix(count), over: body, by: signer)
            }
        }
        #expect(throws: SignatureRefusal.malformed) {
            try MessageSignature.verify(signature + [0], over: body, by: signer)
        }
    }

    @Test func `more than 16 KiB is refused before it is read`() throws {
        let signer = try PinnedSigner(certificateDER: Identity.rsa.certificateDER)
        #expect(throws: SignatureRefusal.tooLarge) {
            try MessageSignature.verify(Data(count: MessageSignature.sizeLimit + 1), over: body, by: signer)
        }
    }

    @Test func `what is no certificate cannot be pinned`() throws {
        let certificate = try Identity.rsa.certificateDER
        for bad in [Data(), Data([0x30, 0]), certificate.dropLast(), certificate + [0]] {
            #expect(throws: SignatureRefusal.certificate) { try PinnedSigner(certificateDER: bad) }
        }
    }
}
