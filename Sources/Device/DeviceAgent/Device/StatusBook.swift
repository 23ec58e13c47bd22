import DeviceMessages
package import Foundation
package import InputBounds

/// Remembers what the server has been told, and says what it has not been told yet.
///
/// A change counts as told only once the server has answered 200; until then every report carries it again. Lists whose
/// elements have an identifier are reported element by element, a vanished one as removed; everything else as a whole.
package struct StatusBook: Codable, Equatable, Sendable {
    /// What goes to the server, and what the server knows once it has accepted it.
    package struct Report: Equatable, Sendable {
        package let items: [String: JSONValue]
        package let unavailable: [String]
        package let isFull: Bool
        fileprivate let snapshot: [String: JSONValue]
    }

    /// Items whose value is a list of elements, each with its identifier.
    private static let elementwise: Set<String> = [
        AppStatus.name, CommandedAppStatus.name, CertificateListItem.name,
    ]

    /// A full report replaces all the server knows; one a day mends whatever went wrong on its side.
    package static let fullReportInterval: TimeInterval = 86_400

    private var told: [String: JSONValue] = [:]
    private var toldUnavailable: [String] = []
    private var lastFull: Date?

    /// Begins with a server that knows nothing.
    package init() {}

    /// What is to be told now, if anything; `unavailable` names subscribed items that this device does not have.
    ///
    /// With `isDoubtful`, everything: the server may have heard more than it is known to have.
    package func report(
        of current: [String: JSONValue], unavailable: [String] = [], isDoubtful: Bool = false, now: Date
    ) -> Report? {
        if isDoubtful || isFullDue(now: now) {
            return Report(items: current, unavailable: unavailable, isFull: true, snapshot: current)
        }
        var items: [String: JSONValue] = [:]
        for (name, value) in current where told[name] != value {
            items[name] = Self.elementwise.contains(name) ? Self.difference(from: told[name], to: value) : value
        }
        guard !items.isEmpty || unavailable != toldUnavailable else { return nil }
        return Report(items: items, unavailable: unavailable, isFull: false, snapshot: current)
    }

    /// The server has accepted a report.
    package mutating func accepted(_ report: Report, now: Date) {
        // An item that is no longer reported is forgotten: told anew if it is subscribed again.
        told = report.snapshot
        toldUnavailable = report.unavailable
        if report.isFull { lastFull = now }
    }

    /// An app's status in the reports that the server accepted, by its bundle identifier; nil if it is in none.
    func reportedStatus(of app: String) -> AppStatus? {
        Self.elements(told[AppStatus.name])[app].flatMap { try? AppStatus($0) }
    }

    /// A clock that was set back counts as a day gone by: a report too many does no harm.
    private func isFullDue(now: Date) -> Bool {
        guard let lastFull else { return true }
        let age = now.timeIntervalSince(lastFull)
        return age >= Self.fullReportInterval || age < 0
    }

    private static func difference(from old: JSONValue?, to new: JSONValue) -> JSONValue {
        let known = elements(old)
        let present = elements(new)
        let changed = present.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }.map(\.value)
        let removed = known.keys.filter { present[$0] == nil }.sorted().map { identifier in
            JSONValue.object(["identifier": .string(identifier), "_removed": .boolean(true)])
        }
        return .array(changed + removed)
    }

    private static func elements(_ list: JSONValue?) -> [String: JSONValue] {
        guard case .array(let values) = list else { return [:] }
        var elements: [String: JSONValue] = [:]
        for value in values {
            if case .object(let members) = value, case .string(let identifier) = members["identifier"] {
                elements[identifier] = value
            }
        }
        return elements
    }
}
