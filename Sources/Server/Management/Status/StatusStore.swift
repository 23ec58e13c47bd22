package import DeviceMessages
package import Foundation
package import InputBounds

/// Device status, as a store keeps it.
package protocol StatusStore: Sendable {
    /// Merges a report into the latest values by the rules of `StatusMerge` and, for the one item that is compared with
    /// what was known, of `AtRestRecord`; keeps it in the history, and what it says of apps by `ReportedApps`. Judges
    /// the device by the rules that look at what changed. Answers what follows.
    @discardableResult
    func recordStatus(_ update: StatusUpdate, report: ReceivedReport, device: String) async throws -> ReportConsequences
    /// Latest values by name; all of them, or those named.
    func statusItems(of device: String, named names: [String]?) async throws -> [StatusItem]
    /// Latest values in the order of their names, without those larger than `StatusLimits.listedBytes`.
    func statusItems(of device: String, _ page: PageRequest) async throws -> Page<ListedStatusItem>
    /// Latest values of one item by the devices that reported it.
    func statusItem(named name: String, of devices: [String]) async throws -> [String: Data]
    /// The apps whose declarations a device reports as invalid, as its states of apps count them.
    func rejectedApps(on device: String) async throws -> Set<String>
    /// Newest first.
    func statusReports(of device: String) async throws -> [ReceivedReport]
}

/// What a report says: the items in it, flattened to their names.
package struct StatusUpdate: Sendable, Equatable {
    package let items: [String: JSONValue]
    /// A full report replaces everything.
    package let isFull: Bool
    /// What it says beyond that.
    package let leftOut: LeftOutStatus
    /// The feedback of apps, which is no state: it is kept beside the status, each life once.
    package var feedback: [AppFeedbackStatus] = []
    /// The apps whose declarations it reports as invalid; nil where it says nothing of declarations.
    package var rejectedApps: Set<String>?

    package init(items: [String: JSONValue], isFull: Bool, leftOut: LeftOutStatus = LeftOutStatus()) {
        self.items = items
        self.isFull = isFull
        self.leftOut = leftOut
    }
}
