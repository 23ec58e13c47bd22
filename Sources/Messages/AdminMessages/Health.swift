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
    /// Servers of before say nothing of it.
    package var clock: ServerClock?
    /// Of the server; servers of before say nothing of it.
    package var version: String?

    package init(
        ready: Bool, fault: String? = nil, certificates: [ServerCertificate], databaseBytes: Int, logBytes: Int,
        freeBytes: Int? = nil, waitingWrites: Int, wakeStreams: Int, webhooks: WebhookCounts,
        clock: ServerClock? = nil, version: String? = nil
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
        self.clock = clock
        self.version = version
    }
}

/// How the server's clock goes.
package struct ServerClock: Codable, Hashable, Sendable {
    /// By how many seconds it was set forward, or back if less than 0, lately; 0 once that has settled.
    package var stepSeconds: Int
    /// Whether what has had its time is deleted.
    package var deletesByAge: Bool
    /// Whether certificates are issued.
    package var certifies: Bool

    package init(stepSeconds: Int, deletesByAge: Bool, certifies: Bool) {
        self.stepSeconds = stepSeconds
        self.deletesByAge = deletesByAge
        self.certifies = certifies
    }
}

/// A certificate of the server's own.
package struct ServerCertificate: Codable, Hashable, Sendable {
    /// What it is for: `devices`, `identities`, `server` or `push`.
    package var name: String
    package var expires: Date
    /// The smallest warning threshold, in days, that its end has crossed; 0 after its end, nil before any warning.
    package var endsWithinDays: Int?

    package init(name: String, expires: Date, endsWithinDays: Int? = nil) {
        self.name = name
        self.expires = expires
        self.endsWithinDays = endsWithinDays
    }
}
