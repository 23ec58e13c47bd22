import Attestation
import Crypto
package import CryptographicMessages
import Foundation
package import NIOCore
import NIOFoundationCompat
package import NIOSSL
import Signatures
import SwiftASN1
package import TPMKeys
import X509

/// The key of an enrollment as it is kept: in software, or as what its chip needs to find it.
package struct KeptKey: Codable, Equatable, Sendable {
    /// In PEM.
    package let pem: String?
    package let chip: TPMKeyBlob?

    package init(pem: String) { self.init(pem: pem, chip: nil) }

    package init(chip: TPMKeyBlob) { self.init(pem: nil, chip: chip) }

    private init(pem: String?, chip: TPMKeyBlob?) {
        self.pem = pem
        self.chip = chip
    }

    private enum CodingKeys: String, CodingKey {
        case pem, chip
    }

    // Before keys could be in a chip the PEM stood alone.
    package init(from decoder: any Decoder) throws {
        if let pem = try? decoder.singleValueContainer().decode(String.self) {
            self.init(pem: pem)
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                pem: try container.decodeIfPresent(String.self, forKey: .pem),
                chip: try container.decodeIfPresent(TPMKeyBlob.self, forKey: .chip))
        }
    }
}

/// The private key by which a device speaks with its server.
///
/// One that a chip made signs there or not at all: no software key takes its place.
package enum DeviceKey: Sendable {
    case software(SigningKey)
    case chip(ChipKey)

    /// The key that was kept; the chip that made it must be here.
    package init(_ kept: KeptKey, tpm: TPM?) throws {
        if let pem = kept.pem {
            self = .software(try SigningKey(pem: pem))
        } else if let blob = kept.chip {
            guard let tpm else { throw EnrollmentRefusal.chipMissing }
            self = .chip(try ChipKey(blob, in: tpm))
        } else {
            throw UnusableKey.unreadable
        }
    }

    /// The signature of a message of this device, which says when it was made.
    func signature(over body: Data, certificateDER: Data, at time: Date = Date()) async throws -> Data {
        switch self {
        case .software(let key):
            return try MessageSignature.sign(body, certificateDER: certificateDER, key: key, at: time)
        case .chip(let key):
            let draft = try MessageDraft(body, certificateDER: certificateDER, kind: key.kind, at: time)
            return try draft.signed(try await key.sign(draft.toBeSigned))
        }
    }

    /// The key as TLS signs with it.
    func tlsKey() throws -> NIOSSLPrivateKey {
        switch self {
        case .software(let key): try NIOSSLPrivateKey(bytes: Array(key.pem.utf8), format: .pem)
        case .chip(let key): NIOSSLPrivateKey(customPrivateKey: key)
        }
    }
}

/// A key on a curve in the device's chip.
package struct ChipKey: Sendable, Hashable {
    private let tpm: TPM
    private let blob: TPMKeyBlob
    let kind: MessageKeyKind

    init(_ blob: TPMKeyBlob, in tpm: TPM) throws {
        guard let info = blob.publicKeyInfo, let key = try? Certificate.PublicKey(derEncoded: Array(info)) else {
            throw UnusableKey.unreadable
        }
        if P256.Signing.PublicKey(key) != nil {
            kind = .p256
        } else if P384.Signing.PublicKey(key) != nil {
            kind = .p384
        } else {
            throw UnusableKey.unreadable
        }
        self.blob = blob
        self.tpm = tpm
    }

    func sign(_ message: Data) async throws -> Data {
        let digest = kind == .p384 ? Data(SHA384.hash(data: message)) : Data(SHA256.hash(data: message))
        return try await tpm.sign(digest, with: blob, .ecdsa, kind.hash)
    }

    package static func == (left: ChipKey, right: ChipKey) -> Bool { left.blob == right.blob }
    package func hash(into hasher: inout Hasher) { hasher.combine(blob) }
}

extension ChipKey: NIOSSLCustomPrivateKey {
    package var signatureAlgorithms: [NIOSSL.SignatureAlgorithm] {
        [kind == .p384 ? .ecdsaSecp384R1Sha384 : .ecdsaSecp256R1Sha256]
    }

    package func sign(
        channel: any Channel, algorithm: NIOSSL.SignatureAlgorithm, data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        guard signatureAlgorithms.contains(algorithm) else {
            return channel.eventLoop.makeFailedFuture(KeyRefusal.kind)
        }
        let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
        promise.completeWithTask { ByteBuffer(data: try await sign(Data(buffer: data))) }
        return promise.futureResult
    }

    /// Only an exchange of keys that nobody should use any more needs it.
    package func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(KeyRefusal.kind)
    }
}
