package import Foundation

/// An unlock token that an earlier version of the server kept as it came.
package struct BareUnlockToken: Sendable, Equatable {
    package let device: String
    package let token: Data

    package init(device: String, token: Data) {
        self.device = device
        self.token = token
    }
}

/// The tokens that devices left, as a store keeps them; they go with the enrollment.
package protocol EscrowStore: Sendable {
    func escrowedToken(_ token: EscrowedToken, of device: String) async throws -> SealedSecret?
    /// Keeps the token of an enrollment that is alive in place of the one before, and notes that in the audit log.
    ///
    /// Answers whether the enrollment is alive. Throws `MasterKeyReplaced` if the token comes sealed under another master
    /// key than the store's.
    func keepEscrowedToken(
        _ sealed: SealedSecret, as token: EscrowedToken, of device: String, now: Date
    ) async throws -> Bool
    /// Forgets the token, as its device asks, and notes that in the audit log if there was one.
    func removeEscrowedToken(_ token: EscrowedToken, of device: String, now: Date) async throws
    /// Notes in the audit log that the device is given its token; false, and nothing noted, if this is not the kept one.
    func recordGiven(
        _ sealed: SealedSecret, as token: EscrowedToken, to device: String, now: Date
    ) async throws -> Bool

    /// Some of the unlock tokens that are kept as they came.
    func bareUnlockTokens(limit: Int) async throws -> [BareUnlockToken]
    /// Keeps sealed what was kept as it came, each if it is still the same; of that nothing is left.
    func sealUnlockTokens(_ tokens: [(bare: BareUnlockToken, sealed: SealedSecret)], now: Date) async throws
}
