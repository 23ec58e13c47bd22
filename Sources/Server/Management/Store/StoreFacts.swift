/// How a store fares.
package struct StoreFacts: Sendable, Equatable {
    /// Changes that wait to be written, and how many may wait.
    package let waitingWrites: Int
    package let mostWaitingWrites: Int
    package let databaseBytes: Int
    package let logBytes: Int
    /// On the disk on which the store lies; nothing where it lies on none of ours.
    package let freeBytes: Int?
    /// Enrolled devices and users, withdrawn ones too.
    package let enrollments: Int

    package init(
        waitingWrites: Int, mostWaitingWrites: Int, databaseBytes: Int, logBytes: Int, freeBytes: Int?, enrollments: Int
    ) {
        self.waitingWrites = waitingWrites
        self.mostWaitingWrites = mostWaitingWrites
        self.databaseBytes = databaseBytes
        self.logBytes = logBytes
        self.freeBytes = freeBytes
        self.enrollments = enrollments
    }
}

/// What operators watch, as a store tells it.
package protocol WatchedStore: Sendable {
    /// How the store fares; whoever gets an answer knows that it answers.
    func facts() async throws -> StoreFacts
}

extension Management {
    /// How the store fares.
    package func storeFacts() async throws -> StoreFacts { try await store.facts() }
}
