import DeviceMessages
package import InputBounds

/// How a status report changes what is known of a device.
///
/// Arrays whose elements have an `identifier` change by element: one with `_removed` goes, one without an identifier is left
/// out. Every other value is replaced. A full report replaces everything. Merging the same report twice changes nothing more.
package struct StatusMerge: Sendable {
    /// Items whose value is a dictionary: there the path of names ends.
    private static let dictionaries: Set<String> = [
        AtRestStatus.name, "content-cache.info", "content-cache.status", "device.power.battery-health",
        "device.system.health",
        "management.client-capabilities", "management.declarations", "migration-assistant.report",
        "security.lockdown-mode", "softwareupdate.failure-reason", "softwareupdate.install-reason",
        "softwareupdate.pending-version", "test.dictionary-value",
    ]
    /// The longest name known has four parts.
    private static let deepest = 6

    /// Flattens the nested items of a report to their names; those beyond the bounds are left out.
    package static func items(of report: JSONValue) -> [String: JSONValue] { update(report, isFull: false).items }

    /// What a report says, and what of it is beyond the bounds or, by its `oddities`, could be read only in part.
    package static func update(
        _ report: JSONValue, isFull: Bool, oddities: Oddities = Oddities()
    ) -> StatusUpdate {
        var items: [String: JSONValue] = [:]
        var leftOut = LeftOutStatus(oddities)
        flatten(report, path: [], isFull: isFull, &items, &leftOut)
        items[LeftOutStatus.item] = nil
        return StatusUpdate(items: items, isFull: isFull, leftOut: leftOut)
    }

    /// The new value of one item.
    package static func merged(_ old: JSONValue?, with new: JSONValue, isFull: Bool) -> JSONValue {
        guard let changes = changes(new) else { return new }
        var order: [String] = []
        var elements: [String: JSONValue] = [:]
        func put(_ element: JSONValue) {
            guard let identifier = identifier(of: element) else { return }
            if isRemoved(element) {
                elements[identifier] = nil
            } else if elements.updateValue(element, forKey: identifier) == nil {
                order.append(identifier)
            }
        }
        if !isFull, case .array(let present) = old { present.forEach(put) }
        changes.forEach(put)
        var seen: Set<String> = []
        let kept = order.filter { elements[$0] != nil && seen.insert($0).inserted }
        return .array(kept.prefix(StatusLimits.elements).compactMap { elements[$0] })
    }

    /// Whether nothing of the old value stays.
    static func replaces(_ new: JSONValue, isFull: Bool) -> Bool { isFull || changes(new) == nil }

    /// The elements of an array that changes by element.
    private static func changes(_ new: JSONValue) -> [JSONValue]? {
        guard case .array(let changes) = new, !changes.isEmpty, changes.allSatisfy({ identifier(of: $0) != nil })
        else { return nil }
        return changes
    }

    private static func flatten(
        _ value: JSONValue, path: [String], isFull: Bool, _ items: inout [String: JSONValue],
        _ leftOut: inout LeftOutStatus
    ) {
        let name = path.joined(separator: ".")
        guard case .object(let object) = value, path.count < deepest, !dictionaries.contains(name),
            path.isEmpty || !object.isEmpty
        else {
            // Feedback is no state of a device: it is kept beside it.
            guard !path.isEmpty, name != AppFeedbackStatus.name else { return }
            guard name.utf8.count <= 256, items.count < StatusLimits.items else { return leftOut.add(name) }
            items[name] = identified(value, of: name, isFull: isFull, &leftOut)
            return
        }
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            flatten(value, path: path + [key], isFull: isFull, &items, &leftOut)
        }
    }

    /// A list without the elements that do not say of what they are, where others do: each is lost alone.
    ///
    /// With them it would be taken for all there is. Nothing where none is left of what changed.
    private static func identified(
        _ value: JSONValue, of name: String, isFull: Bool, _ leftOut: inout LeftOutStatus
    ) -> JSONValue? {
        guard case .array(let elements) = value, !elements.isEmpty else { return value }
        let known = elements.filter { identifier(of: $0) != nil }
        let isOfApps = [AppStatus.name, CommandedAppStatus.name].contains(name)
        guard known.count < elements.count, !known.isEmpty || isOfApps else { return value }
        // Those of apps are among the oddities, each with its place.
        if !isOfApps { (known.count..<elements.count).forEach { _ in leftOut.add(name) } }
        return known.isEmpty && !isFull ? nil : .array(known)
    }

    private static func identifier(of element: JSONValue) -> String? {
        guard case .object(let object) = element, case .string(let identifier) = object["identifier"] else {
            return nil
        }
        return identifier
    }

    private static func isRemoved(_ element: JSONValue) -> Bool {
        guard case .object(let object) = element, case .boolean(true) = object["_removed"] else { return false }
        return true
    }
}
