import Crypto
package import Foundation

/// The detached signature of one request: the `Mdm-Signature` header, decoded.
///
/// It reads the one shape that devices send, and nothing else of CMS: strict DER, SignedData over plain data that is
/// not included, one signer named by issuer and serial number, signed attributes. Whatever it accepts OpenSSL accepts
/// too; it is stricter where CMS leaves a choice that no device makes.
package enum MessageSignature {
    /// A signature with RSA-4096 and a chain of three certificates takes about 6 KiB.
    package static let sizeLimit = 16_384
    static let certificateLimit = 8
    static let attributeLimit = 16

    /// The certificate that the message says signed it: for a sender whose enrollment is not known yet.
    ///
    /// Nothing is verified; pass it on to `verify`.
    package static func signerCertificate(in cms: Data) throws(SignatureRefusal) -> Data {
        let signature = try DetachedSignature(parsing: cms)
        return Data(signature.bytes[signature.certificate])
    }

    /// The certificate that the message says signed it, and the others it carries.
    ///
    /// Nothing is verified.
    package static func certificates(in cms: Data) throws(SignatureRefusal) -> (signer: Data, others: [Data]) {
        let signature = try DetachedSignature(parsing: cms)
        return (
            Data(signature.bytes[signature.certificate]),
            signature.otherCertificates.map { Data(signature.bytes[$0]) }
        )
    }

    /// Whether `cms` signs with SHA-1, which `verify` takes from nobody but by `CryptographyPolicy.legacy`.
    package static func usesSHA1(_ cms: Data) -> Bool { (try? DetachedSignature(parsing: cms))?.digest == .sha1 }

    /// Accepts `cms` as the signature of `signer` over exactly `body`, or says why not.
    ///
    /// Whether the time that the signer says is recent enough is for the caller to judge.
    @discardableResult
    package static func verify(
        _ cms: Data, over body: Data, by signer: PinnedSigner, policy: CryptographyPolicy = .modern
    ) throws(SignatureRefusal) -> VerifiedSignature {
        let signature = try DetachedSignature(parsing: cms)
        guard signature.digest != .sha1 || policy == .legacy else { throw .digestAlgorithm }
        guard signature.bytes[signature.signerIdentifier].elementsEqual(signer.signerIdentifier),
            signature.bytes[signature.certificate].elementsEqual(signer.certificate)
        else { throw .otherSigner }
        guard signer.key.accepts(signature.bytes[signature.signatureAlgorithm], with: signature.digest) else {
            throw .signatureAlgorithm
        }
        switch signature.digest {
        case .sha1: try check(signature, body, signer.key, Insecure.SHA1.self)
        case .sha256: try check(signature, body, signer.key, SHA256.self)
        case .sha384: try check(signature, body, signer.key, SHA384.self)
        case .sha512: try check(signature, body, signer.key, SHA512.self)
        }
        return VerifiedSignature(signingTime: signature.signingTime)
    }

    private static func check<Hash: HashFunction>(
        _ signature: DetachedSignature, _ body: Data, _ key: VerificationKey, _: Hash.Type
    ) throws(SignatureRefusal) {
        guard signature.bytes[signature.messageDigest].elementsEqual(Hash.hash(data: body)) else {
            throw .bodyDiffers
        }
        // What is signed is the attributes as a SET, though they travel under the tag [0] (RFC 5652 §5.4).
        var hash = Hash()
        hash.update(data: [DERTag.set])
        hash.update(data: signature.bytes[signature.attributes.dropFirst()])
        guard key.verifies(signature.bytes[signature.value], over: hash.finalize()) else { throw .signatureInvalid }
    }
}

/// What a signature that was accepted says beside who signed.
package struct VerifiedSignature: Sendable, Equatable {
    /// When the signer says that it signed, if it says it.
    package let signingTime: Date?
}
