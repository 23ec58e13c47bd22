package import Foundation

/// A secret that is here: what is known of it while its value stays sealed.
package struct ProvisionedSecret: Codable, Equatable, Sendable {
    /// Of the asset that described it.
    package let serverToken: String

    /// The SHA-256 of the content in the sealed store.
    package let digest: String

    /// When to ask for a new one; only what was issued to this device is renewed.
    package var renewal: Renewal?

    package init(serverToken: String, digest: String, renewal: Renewal? = nil) {
        self.serverToken = serverToken
        self.digest = digest
        self.renewal = renewal
    }
}

/// When an issued certificate is to be replaced.
package struct Renewal: Codable, Equatable, Sendable {
    package let expires: Date
    package private(set) var due: Date

    /// Due at two thirds of the certificate's life, or up to a twelfth of it before.
    ///
    /// So devices that enrolled together do not come back together; `jitter` is drawn from 0 up to 1. Where our clock or
    /// theirs is wrong, an authority is still left in peace for a tenth of the life, and for a minute.
    package init(from begins: Date, until expires: Date, now: Date, jitter: Double) {
        self.expires = expires
        let life = max(0, expires.timeIntervalSince(begins))
        due = max(begins + life * (2.0 / 3 - min(max(jitter, 0), 1) / 12), now + max(life / 10, 60))
    }

    /// After a failure: again when a tenth of what is left has passed, at least a minute and at most six hours later.
    package mutating func failed(at now: Date) {
        due = now + min(max(expires.timeIntervalSince(now) / 10, 60), 6 * 3_600)
    }
}
