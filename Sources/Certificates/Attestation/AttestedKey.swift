import Crypto
package import Foundation

/// A key of which trusted hardware says that it holds it.
package struct AttestedKey: Sendable, Hashable {
    package enum Format: String, Sendable {
        case tpm, apple
    }

    package let format: Format
    /// As SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: Data
    /// The name of the device, where the one who vouches gives one.
    package let permanentIdentifier: String?
    package let facts: HardwareFacts

    /// Whether a certificate request is for this very key.
    package func checkRequest(publicKeyInfo: Data) throws(AttestationRefusal) {
        guard publicKeyInfo == self.publicKeyInfo else { throw .otherKey }
    }

    /// Whether the hardware is this device's: what is vouched for names it, and names no other.
    package func checkDevice(udid: String, serialNumber: String?) throws(AttestationRefusal) {
        switch format {
        case .tpm:
            guard permanentIdentifier == udid else { throw .otherDevice }
        case .apple:
            guard facts.udid != nil || facts.serialNumber != nil, facts.udid.map({ $0 == udid }) ?? true,
                facts.serialNumber.map({ $0 == serialNumber }) ?? true
            else { throw .otherDevice }
        }
    }
}

/// What an attestation must answer, so that it is no older than the question: a challenge of `device-attest-01`.
package struct AttestationQuestion: Sendable, Hashable {
    package let token: String
    /// The token and the thumbprint of the account's key, with a dot between (RFC 8555, 8.1).
    package let keyAuthorization: String

    package init(token: String, keyAuthorization: String) {
        self.token = token
        self.keyAuthorization = keyAuthorization
    }

    /// The qualifying data of a TPM's certification, which is SHA-256 of the key authorization; the freshness of Apple's
    /// certificate, which is SHA-256 of the token alone.
    package func nonce(for format: AttestedKey.Format) -> Data {
        switch format {
        case .tpm: Data(SHA256.hash(data: Data(keyAuthorization.utf8)))
        case .apple: Data(SHA256.hash(data: Data(token.utf8)))
        }
    }
}

/// What the hardware, or its maker, says of the device; nothing is there that nobody vouches for.
package struct HardwareFacts: Sendable, Hashable {
    package var serialNumber: String?
    package var udid: String?
    package var systemVersion: String?
    /// Of the chip.
    package var firmwareVersion: UInt64?

    package init() {}
}

/// Whom the operator trusts to vouch for keys: certificates in DER.
package struct AttestationTrust: Sendable {
    package var tpmRoots: [Data]
    package var appleRoots: [Data]

    package init(tpmRoots: [Data] = [], appleRoots: [Data] = []) {
        self.tpmRoots = tpmRoots
        self.appleRoots = appleRoots
    }
}

/// Why a key is not taken for one in trusted hardware; nothing of the statement is repeated.
package enum AttestationRefusal: String, Error, Sendable, CaseIterable {
    case malformed
    case noStatement
    case format
    case algorithm
    case untrustedRoot
    case expired
    case certificate
    case signature
    case otherKey
    case stale
    case attributes
    case key
    case otherDevice
}

extension AttestationRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "the attestation is not of the form it must have"
        case .noStatement: "there is no attestation: the key may be a software key"
        case .format: "the attestation is neither of a TPM nor of Apple"
        case .algorithm: "the attestation is signed with an algorithm that is not accepted"
        case .untrustedRoot: "no trusted root vouches for the attestation"
        case .expired: "a certificate of the attestation is not valid now"
        case .certificate: "a certificate of the attestation is not for that use"
        case .signature: "the attestation's signature does not verify"
        case .otherKey: "the attestation is about another key"
        case .stale: "the attestation does not answer this challenge"
        case .attributes: "the key could leave the chip, was not made in it, or is not for signing"
        case .key: "the attested key is not RSA of 2048 to 4096 bits, P-256 or P-384"
        case .otherDevice: "the attestation is of another device, or names none"
        }
    }
}
