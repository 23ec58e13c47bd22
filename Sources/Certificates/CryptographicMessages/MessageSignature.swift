import Crypto
package import Foundation

/// The signature of one request: the `Mdm-Signature` header, decoded.
///
/// Whatever it accepts OpenSSL accepts too. The strict form is read here without a tree and costs little more than its
/// verification; every other form is left to OpenSSL.
package enum MessageSignature {
    /// A signature with RSA-4096 and a chain of three certificates takes about 6 KiB.
    package static let sizeLimit = 16_384
    static let certificateLimit = 8
    static let signerLimit = 4
    static let attributeLimit = 16
    /// Elements within elements: the deepest in use, a name in a certificate, has 10.
    static let depthLimit = 24

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

    /// The certificates of all who the message says signed it, in any form; at least one.
    ///
    /// Nothing is verified: choose one and pass it on to `verify`.
    package static func signerCertificates(in cms: Data) throws(SignatureRefusal) -> [Data] {
        do throws(SignatureRefusal) {
            return [try signerCertificate(in: cms)]
        } catch {
            guard error != .tooLarge else { throw error }
            return try GeneralSignature.signerCertificates(in: cms)
        }
    }

    /// Accepts `cms` as the signature of `signer` over exactly `body`, or says why not.
    ///
    /// Where others signed too, their signatures must verify as well. Whether the time that the signer says is recent
    /// enough is for the caller to judge.
    @discardableResult
    package static func verify(
        _ cms: Data, over body: Data, by signer: PinnedSigner, policy: CryptographyPolicy = .modern,
        forms: SignatureForms = .strict
    ) throws(SignatureRefusal) -> VerifiedSignature {
        let signature: DetachedSignature
        do throws(SignatureRefusal) {
            signature = try DetachedSignature(parsing: cms)
        } catch {
            guard forms == .any, error != .tooLarge else { throw error }
            return try GeneralSignature.verify(cms, over: body, by: signer, policy: policy)
        }
        guard signature.digest != .sha1 || policy == .legacy else { throw .digestAlgorithm }
        guard signature.bytes[signature.signerIdentifier].elementsEqual(signer.signerIdentifier),
            signature.bytes[signature.certificate].elementsEqual(signer.certificate)
        else { throw .otherSigner }
        guard signer.key.accepts(signature.bytes[signature.signatureAlgorithm], with: signature.digest, in: forms)
        else { throw .signatureAlgorithm }
        switch signature.digest {
        case .sha1: try check(signature, body, signer.key, Insecure.SHA1.self)
        case .sha256: try check(signature, body, signer.key, SHA256.self)
        case .sha384: try check(signature, body, signer.key, SHA384.self)
        case .sha512: try check(signature, body, signer.key, SHA512.self)
        }
        return VerifiedSignature(signingTime: signature.signingTime, usesSHA1: signature.digest == .sha1)
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

/// The forms of CMS SignedData that a reader takes.
package enum SignatureForms: Sendable {
    /// The one that Martlet writes: strict DER over plain data that is not included, one signer named by issuer and
    /// serial number, signed attributes.
    case strict
    /// Every form that OpenSSL reads, within bounds: what devices of any maker send. Apple's write BER with indefinite
    /// lengths and no signed attributes.
    case any
}

/// What a signature that was accepted says beside who signed.
package struct VerifiedSignature: Sendable, Equatable {
    /// When the signer says that it signed, if it says it.
    package let signingTime: Date?
    /// Only where the caller's policy is `CryptographyPolicy.legacy`.
    package let usesSHA1: Bool
}
