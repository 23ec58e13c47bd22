import Crypto
package import Foundation
package import TPMKeys

/// Has the TPM hold the key of a store, and count.
///
/// Calls wait for the chip, so make them on a thread that may block.
package struct ChipGuard: StoreGuard {
    /// Others wait for a commit that waits for the chip; a counter takes no chip so long.
    private static let countLimit = Duration.seconds(5)

    // TPM_RC_INTEGRITY for the first parameter: the chip did not seal this.
    private static let integrity: UInt32 = 0x1df

    private let tpm: TPM
    private let counter: TPMCounter

    /// The counter follows from the directory, so that two stores on one machine rarely share one.
    package init(_ tpm: TPM, directory: String) {
        self.tpm = tpm
        let first = SHA256.hash(data: Data(directory.utf8)).first(where: { _ in true }) ?? 0
        counter = TPMCounter(index: 0x0180_4d00 | UInt32(first))
    }

    package func seal(_ key: Data) throws -> Data { try JSONEncoder().encode(try tpm.waiting().seal(key)) }

    package func unseal(_ sealed: Data) throws -> Data {
        guard let blob = try? JSONDecoder().decode(TPMKeyBlob.self, from: sealed) else {
            throw StoreRefusal.keyUnusable
        }
        do {
            return try tpm.waiting().unseal(blob)
        } catch .refused(Self.integrity) {
            // Another chip, or one that was cleared.
            throw StoreRefusal.otherGuard
        }
    }

    package func count() throws -> UInt64? { try tpm.waiting(at: Self.countLimit).value(of: counter) }

    package func raise() throws -> UInt64 { try tpm.waiting(at: Self.countLimit).increment(counter) }
}
