package import Foundation

/// How the server itself fares. `GET /health`
package struct Health: Codable, Hashable, Sendable {
    package var ready: Bool
    /// Why it cannot do what it is asked for.
    package var fault: String?
    /// Those on which everything depends, that which ends first before the others.
    package var certificates: [ServerCertificate]
    package var databaseBytes: Int
    package var logBytes: Int
    /// What is free on the disk of the database; nothing where that cannot be said.
    package var freeBytes: Int?
    /// Changes that are not on the disk yet.
    package var waitingWrites: Int
    /// Devices that wait to be woken.
    package var wakeStreams: Int
    package var webhooks: WebhookCounts

    package init(
        ready: Bool, fault: String? = nil, certificates: [ServerCertificate], databaseBytes: Int, logBytes: Int,
        freeBytes: Int? = nil, waitingWrites: Int, wakeStreams: Int, webhooks: WebhookCounts
    ) {
        self.ready = ready
        self.fault = fault
        self.certificates = certificates
        self.databaseBytes = databaseBytes
        self.logBytes = logBytes
        self.freeBytes = freeBytes
        self.waitingWrites = waitingWrites
        self.wakeStreams = wakeStreams
        self.webhooks = webhooks
    }
}

/// A certificate of the server's own.
package struct ServerCertificate: Codable, Hashable, Sendable {
    /// What it is for: `devices`, `identities`, `server` or `push`.
    package var name: String
    package var expires: Date
    /// The least number of days, of those at which it is said, within which it ends; 0 after its end, nothing earlier.
    package var endsWithinDays: Int?

    package init(name: String, expires: Date, endsWithinDays: Int? = nil) {
        self.name = name
        self.expires = expires
        self.endsWithinDays = endsWithinDays
    }
}
