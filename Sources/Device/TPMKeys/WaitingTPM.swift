package import Foundation
package import Signatures

/// A TPM for callers whose thread waits until the chip has answered, or its time is over.
package struct WaitingTPM: Sendable {
    fileprivate let tpm: TPM
    fileprivate let limit: Duration

    /// Signs a digest; an ECDSA signature is DER.
    package func sign(
        _ digest: Data, with key: TPMKeyBlob, _ scheme: SignatureAlgorithm.Scheme, _ hash: SignatureAlgorithm.Hash
    ) throws(TPMFailure) -> Data {
        try tpm.performWaiting(limit) { connection throws(TPMFailure) in
            try connection.sign(digest, with: key, scheme, hash)
        }
    }

    /// Encrypts a few bytes, 128 at most, so that only this chip can decrypt them.
    package func seal(_ secret: Data) throws(TPMFailure) -> TPMKeyBlob {
        try tpm.performWaiting(limit) { connection throws(TPMFailure) in try connection.seal(secret) }
    }

    package func unseal(_ sealed: TPMKeyBlob) throws(TPMFailure) -> Data {
        try tpm.performWaiting(limit) { connection throws(TPMFailure) in try connection.unseal(sealed) }
    }

    /// Raises the counter, which is made where there is none, and returns its new value.
    package func increment(_ counter: TPMCounter) throws(TPMFailure) -> UInt64 {
        try tpm.performWaiting(limit) { connection throws(TPMFailure) in try connection.increment(counter) }
    }

    /// The counter's value; `nil` where there is none.
    package func value(of counter: TPMCounter) throws(TPMFailure) -> UInt64? {
        try tpm.performWaiting(limit) { connection throws(TPMFailure) in try connection.valueIfThere(of: counter) }
    }
}

extension TPM {
    /// A view of the chip whose calls wait for as long as the chip may take, or for a shorter time.
    package func waiting(at most: Duration? = nil) -> WaitingTPM { WaitingTPM(tpm: self, limit: most ?? timeout) }
}
