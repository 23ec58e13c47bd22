package import DeviceMessages
package import Foundation

/// How a store fares.
package struct StoreFacts: Sendable, Equatable {
    /// Changes that wait to be written, and how many may wait.
    package let waitingWrites: Int
    package let mostWaitingWrites: Int
    package let databaseBytes: Int
    package let logBytes: Int
    /// On the disk on which the store lies; nothing where it lies on none of ours.
    package let freeBytes: Int?
    package let standing: Standing
    /// Why the disk refused a change, or a write on trial, if no trial since succeeded.
    ///
    /// A disk that is nearly full and has refused nothing is seen by its free bytes.
    package let refusing: StoreDiskRefusal.Cause?
    /// Whether a write that was tried is not answered, neither with success nor with an error.
    package let isStuck: Bool

    /// Whether what is in the store can be read.
    package enum Standing: Sendable, Equatable {
        case readable
        /// It could not be read this time.
        case unreadable
        /// Since the store was opened it met damage, here or anywhere.
        case damaged
    }

    /// A database that is this near to a full disk, in bytes, takes nothing more.
    package static let leastRoom = 16 << 20

    /// A small database's log may be this long, in bytes, before it is called too long.
    package static let leastLogBound = 256 << 20

    /// The log is longer than any work of the server makes it: somebody keeps the store from moving it into the database.
    package var isLogTooLong: Bool { logBytes > max(Self.leastLogBound, databaseBytes) }

    package init(
        waitingWrites: Int, mostWaitingWrites: Int, databaseBytes: Int, logBytes: Int, freeBytes: Int?,
        standing: Standing = .readable, refusing: StoreDiskRefusal.Cause? = nil,
        isStuck: Bool = false
    ) {
        self.isStuck = isStuck
        self.refusing = refusing
        self.standing = standing
        self.waitingWrites = waitingWrites
        self.mostWaitingWrites = mostWaitingWrites
        self.databaseBytes = databaseBytes
        self.logBytes = logBytes
        self.freeBytes = freeBytes
    }
}

/// What operators watch, as a store tells it.
package protocol WatchedStore: Sendable {
    /// The state of the store; an answer shows that the store works.
    ///
    /// It reads from what is in the store, and costs the same however much that is. Once a minute at most, and again
    /// while the disk refuses writes, it writes as well, without a change, to learn whether the disk takes what is written.
    func facts() async throws -> StoreFacts
    /// Why the disk refuses changes, as far as is known; neither the disk nor the store is asked.
    var diskRefusal: StoreDiskRefusal.Cause? { get }
    /// How much there is.
    func counts() async throws -> StoreCounts
    /// How the fleet fares, out of counts that the changes themselves keep and a bounded number of memberships.
    func fleetCounts(now: Date) async throws -> FleetCounts
}

/// How many apps on devices and how many devices an operator has to look at.
package struct FleetCounts: Sendable, Equatable {
    /// Unseen devices are counted up to this number.
    package static let mostUnseen = 20_000
    /// How many memberships of groups are read at most to count devices that have not reported an app.
    ///
    /// Metrics are read every few seconds, so it is less than the overview reads.
    package static let memberships = 20_000

    /// Apps on devices by how they fare; a state in which none is may be left out.
    package let apps: [ReportedAppState: Int]
    /// Apps on devices that get them by their groups and have not reported them, counted as the overview counts them.
    package let unreported: Int
    /// Enrolled devices that were last seen before yesterday began, in UTC.
    package let unseen: Int

    package init(apps: [ReportedAppState: Int] = [:], unreported: Int = 0, unseen: Int = 0) {
        (self.apps, self.unreported, self.unseen) = (apps, unreported, unseen)
    }
}

/// How much there is: of devices, and of what works for administrators, of each of which there is a bounded number.
package struct StoreCounts: Sendable, Equatable {
    /// Devices and users, withdrawn ones too.
    package var enrollments: Int
    package var jobs: [Job.State: Int]
    /// Requests with a key.
    package var requests: Int
    /// To webhooks, on record.
    package var deliveries: [WebhookDelivery.State: Int]

    package init(
        enrollments: Int = 0, jobs: [Job.State: Int] = [:], requests: Int = 0,
        deliveries: [WebhookDelivery.State: Int] = [:]
    ) {
        self.enrollments = enrollments
        (self.jobs, self.requests, self.deliveries) = (jobs, requests, deliveries)
    }
}

extension Management {
    /// How the store fares.
    package func storeFacts() async throws -> StoreFacts { try await store.facts() }

    /// Why the store's disk refuses changes, as far as is known without asking it.
    package var diskRefusal: StoreDiskRefusal.Cause? { store.diskRefusal }

    /// How much there is.
    package func storeCounts() async throws -> StoreCounts { try await store.counts() }

    /// How the fleet fares at this moment.
    package func fleetCounts() async throws -> FleetCounts { try await store.fleetCounts(now: moment) }
}
