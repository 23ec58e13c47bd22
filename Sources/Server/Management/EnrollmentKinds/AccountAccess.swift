package import Foundation

/// What is known of the sign-in of the person whose device this is, where the device came by an account.
///
/// A device shows with each request what its person's sign-in gave it. When that does not count any more, the device is not
/// served until its person has signed in again; it stays enrolled meanwhile.
package struct AccountAccess: Sendable, Equatable {
    /// The SHA-256 of what is shown; nothing where the device enrolled before it was compared, and anything will do.
    package let digest: Data?
    /// When the person signed in.
    package let since: Date
    /// An administrator wants the person to sign in again.
    package let isEnded: Bool

    package init(digest: Data?, since: Date, isEnded: Bool = false) {
        self.digest = digest
        self.since = since
        self.isEnded = isEnded
    }

    /// Whether the sign-in counts, whatever is shown.
    package func counts(at moment: Date, lifetime: TimeInterval?) -> Bool {
        !isEnded && lifetime.map { moment < since + $0 } ?? true
    }

    func admits(_ shown: Data?, at moment: Date, lifetime: TimeInterval?) -> Bool {
        counts(at: moment, lifetime: lifetime) && (digest == nil || digest == shown)
    }
}

/// Sign-ins of enrolled devices, as a store keeps them.
package protocol AccountAccessStore: Sendable {
    /// Takes what a sign-in by the device's own account gave, instead of what counted before, and spends it.
    ///
    /// Answers false when it is no such right, or one that was used.
    func renewAccess(of device: String, digest: Data, now: Date) async throws -> Bool
    /// Has the person of a device that came by an account sign in again.
    func endAccess(of device: String, author: String, now: Date) async throws -> AdminRefusal?
}
