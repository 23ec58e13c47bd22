package import Foundation
package import InputBounds

/// The latest value of one status item of a device.
package struct StatusItem: Sendable, Equatable {
    package let name: String
    /// JSON; array items hold their present elements.
    package let value: Data
    package let updated: Date

    package init(name: String, value: Data, updated: Date) {
        self.name = name
        self.value = value
        self.updated = updated
    }
}

/// A status item in a list: a large value is left out, and shown when the item is asked for by its name.
package struct ListedStatusItem: Sendable, Equatable {
    package let name: String
    package let value: Data?
    package let size: Int
    package let updated: Date

    package init(name: String, value: Data?, size: Int, updated: Date) {
        self.name = name
        self.value = value
        self.size = size
        self.updated = updated
    }
}

/// A report as it came, kept for a while.
package struct ReceivedReport: Sendable, Equatable {
    package let received: Date
    package let sha256: Data
    package let size: Int
    package let isFull: Bool
    /// The report itself; nothing when it is larger than the bound.
    package let document: Data?

    package init(received: Date, sha256: Data, size: Int, isFull: Bool, document: Data?) {
        self.received = received
        self.sha256 = sha256
        self.size = size
        self.isFull = isFull
        self.document = document
    }
}

/// The bounds of what is kept of status reports.
package enum StatusLimits {
    /// Reports kept of each device.
    package static let reports = 20
    /// A kept report.
    package static let reportBytes = 65_536
    /// Different items of one device; the protocol knows fewer than a hundred.
    package static let items = 256
    /// Elements of one item.
    package static let elements = 5_000
    /// The value of one item.
    package static let valueBytes = 1_048_576
    /// What reading a kept value back may take: no value of that size holds more, however it was merged.
    package static let kept = InputLimits(bytes: 2 * valueBytes, objects: valueBytes)
    /// All values of one device; beyond it those go that were reported longest ago.
    package static let deviceBytes = 4_194_304
    /// Larger values are shown one at a time.
    package static let listedBytes = 65_536
    /// Apps of one device whose versions and refusals are counted in the fleet.
    package static let apps = 512
    /// Of these, how many one report changes.
    package static let appChanges = 512
}
