import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
import X509

/// The one certificate whose signatures are accepted from an enrolled device, with its key ready for use.
///
/// Reading a certificate costs more than a verification: make it once per enrollment and keep it.
package struct PinnedSigner: Sendable {
    /// The SHA-256 digest of the certificate.
    package let fingerprint: Data

    let key: VerificationKey
    let certificate: [UInt8]
    /// The content of IssuerAndSerialNumber as CMS must state it for this certificate.
    let signerIdentifier: [UInt8]

    package init(certificateDER: Data) throws(SignatureRefusal) {
        let bytes = [UInt8](certificateDER)
        guard bytes.count <= MessageSignature.sizeLimit else { throw .tooLarge }
        do {
            let outline = try CertificateOutline(bytes, within: 0..<bytes.count)
            signerIdentifier = Array(bytes[outline.issuer] + bytes[outline.serial])
            key = try VerificationKey(Certificate(derEncoded: bytes).publicKey)
        } catch {
            throw .certificate
        }
        certificate = bytes
        fingerprint = Data(SHA256.hash(data: bytes))
    }

    package var certificateDER: Data { Data(certificate) }

    /// About how much memory it takes: the certificate, parts of it, and its key with what makes verifying it quick.
    package var memoryBytes: Int {
        certificate.count + signerIdentifier.count + fingerprint.count + key.memoryBytes
    }
}

/// The public keys that message signatures are made with.
enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)

    init(_ key: Certificate.PublicKey) throws(SignatureRefusal) {
        if let rsa = _RSA.Signing.PublicKey(key), (2048...4096).contains(rsa.keySizeInBits) {
            self = .rsa(rsa)
        } else if let p256 = P256.Signing.PublicKey(key) {
            self = .p256(p256)
        } else if let p384 = P384.Signing.PublicKey(key) {
            self = .p384(p384)
        } else if let p521 = P521.Signing.PublicKey(key) {
            self = .p521(p521)
        } else {
            throw .certificate
        }
    }

    /// An RSA key keeps its modulus in three forms.
    fileprivate var memoryBytes: Int {
        switch self {
        case .rsa(let key): 1_024 + 3 * key.keySizeInBits / 8
        case .p256, .p384, .p521: 1_024
        }
    }

    func verifies(_ signature: ArraySlice<UInt8>, over digest: some Digest) -> Bool {
        switch self {
        case .rsa(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521(let key):
            guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }

    /// Whether `identifier` names this key's signature over a digest of kind `digest`.
    ///
    /// P-521 is not of the strict form, which Martlet writes and apps are signed in.
    func accepts(_ identifier: ArraySlice<UInt8>, with digest: MessageDigest, in forms: SignatureForms) -> Bool {
        switch self {
        case .rsa:
            identifier.elementsEqual(ObjectIdentifiers.rsaEncryption) || identifier.elementsEqual(digest.withRSA)
        case .p256, .p384:
            digest.withECDSA.map { identifier.elementsEqual($0) } ?? false
        case .p521:
            forms == .any && digest.withECDSA.map { identifier.elementsEqual($0) } ?? false
        }
    }

    /// The same for a signature that OpenSSL verifies: it reads the parameters of RSA-PSS, too, and holds their digest
    /// against the signer's.
    func acceptsByLibrary(_ identifier: ArraySlice<UInt8>, with digest: MessageDigest) -> Bool {
        if case .rsa = self, identifier.elementsEqual(ObjectIdentifiers.rsaPSS) { return true }
        return accepts(identifier, with: digest, in: .any)
    }
}

/// The digests a message signature may use; SHA-1 only with an RSA key, and where the caller's policy allows it.
enum MessageDigest: CaseIterable {
    case sha1, sha256, sha384, sha512

    init?(_ identifier: ArraySlice<UInt8>) {
        guard let digest = Self.allCases.first(where: { identifier.elementsEqual($0.identifier) }) else { return nil }
        self = digest
    }

    var identifier: [UInt8] {
        switch self {
        case .sha1: ObjectIdentifiers.sha1
        case .sha256: ObjectIdentifiers.sha256
        case .sha384: ObjectIdentifiers.sha384
        case .sha512: ObjectIdentifiers.sha512
        }
    }

    var withRSA: [UInt8] {
        switch self {
        case .sha1: ObjectIdentifiers.sha1WithRSA
        case .sha256: ObjectIdentifiers.sha256WithRSA
        case .sha384: ObjectIdentifiers.sha384WithRSA
        case .sha512: ObjectIdentifiers.sha512WithRSA
        }
    }

    /// Nothing for SHA-1: no device signs so with a key on a curve.
    var withECDSA: [UInt8]? {
        switch self {
        case .sha1: nil
        case .sha256: ObjectIdentifiers.ecdsaWithSHA256
        case .sha384: ObjectIdentifiers.ecdsaWithSHA384
        case .sha512: ObjectIdentifiers.ecdsaWithSHA512
        }
    }
}

/// Where serial number and issuer lie in an encoded certificate; the rest is not read.
struct CertificateOutline {
    let serial: Range<Int>
    let issuer: Range<Int>

    init(_ bytes: [UInt8], within range: Range<Int>) throws(DERCursor.Malformed) {
        var outer = DERCursor(bytes, within: range)
        var certificate = try outer.enter(DERTag.sequence)
        try outer.finish()
        var body = try certificate.enter(DERTag.sequence)
        if body.nextTag == DERTag.context0 { _ = try body.next() }
        serial = try body.next(DERTag.integer).range
        _ = try body.next(DERTag.sequence)
        issuer = try body.next(DERTag.sequence).range
    }
}
