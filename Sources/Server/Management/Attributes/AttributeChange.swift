package import Foundation
import InputBounds

/// What a request makes of a device's attributes.
package enum AttributeEdit: Sendable, Equatable {
    /// These and no others.
    case all(AttributeSet)
    /// Those that are named; every other stays as it is.
    case mentioned([String: Amendment<String>])

    package func applied(to present: AttributeSet) -> AttributeSet {
        switch self {
        case .all(let attributes): return attributes
        case .mentioned(let amendments):
            var values = present.values
            for (key, amendment) in amendments { values[key] = amendment.applied(to: values[key]) }
            return AttributeSet(values)
        }
    }
}

/// What is known of a device before its attributes are changed.
package struct AttributeState: Sendable, Equatable {
    package let device: ConcernedDevice
    package let state: EnrollmentState
    package let attributes: AttributeSet

    package init(device: ConcernedDevice, state: EnrollmentState, attributes: AttributeSet) {
        self.device = device
        self.state = state
        self.attributes = attributes
    }

    var isServed: Bool { state == .pending || state == .enrolled }
}

/// What follows from a change of a device's attributes: what is written and recorded, and which values differ then.
package struct AttributeChange: Sendable, Equatable {
    package let device: ConcernedDevice
    /// The attributes as they are then.
    package let attributes: AttributeSet
    /// The variables whose values differ from before.
    package let variables: [String]
    /// Nothing where nothing changes.
    package let audit: AuditRecord?

    package var changesNothing: Bool { audit == nil }

    /// Decides about the attributes of one device.
    ///
    /// - Parameters:
    ///   - edit: What is asked for.
    ///   - state: What is known of the device; nothing where there is none.
    ///   - expected: What the author saw; nothing where they do not say.
    ///   - author: The administrator.
    ///   - now: The time of the change.
    /// - Returns: The change, or why there is none.
    package static func decide(
        _ edit: AttributeEdit, knowing state: AttributeState?, expected: AttributeSet? = nil, by author: String,
        at now: Date
    ) -> Outcome<AttributeChange, AdminRefusal> {
        guard let state else { return .refused(.unknownDevice) }
        guard expected == nil || expected == state.attributes else { return .refused(.versionMoved(current: nil)) }
        guard state.isServed else { return .refused(.deviceWithdrawn) }
        let attributes = edit.applied(to: state.attributes)
        if let rule = attributes.brokenRule {
            return .refused(.invalid(rule: rule.prefix(1).uppercased() + rule.dropFirst() + "."))
        }
        let keys = attributes.keys(changedFrom: state.attributes)
        return .accepted(
            AttributeChange(
                device: state.device, attributes: attributes, variables: keys.map(AttributeSet.variable),
                audit: keys.isEmpty ? nil : record(of: keys, attributes, state.device.key, by: author, at: now)))
    }

    /// Decides about the devices of a table: all of them, or none where a line is refused.
    ///
    /// - Parameters:
    ///   - rows: The lines of the table.
    ///   - found: For each line, the devices that answer to what it calls its device.
    ///   - author: The administrator.
    ///   - now: The time of the change.
    /// - Returns: The changes in the order of the lines, or the first line that is refused.
    package static func decide(
        _ rows: [AttributeRow], knowing found: [[AttributeState]], by author: String, at now: Date
    ) -> Outcome<[AttributeChange], AdminRefusal> {
        var changes: [AttributeChange] = []
        var lines: [String: Int] = [:]
        for (row, states) in zip(rows, found) {
            func refused(_ rule: String) -> Outcome<[AttributeChange], AdminRefusal> {
                .refused(.table(CSVRefusal(line: row.line, rule: rule)))
            }
            guard states.count < 2 else { return refused(ambiguity(of: row.device, states.map(\.device.key))) }
            guard let state = states.first, state.isServed else {
                return refused("no device that is enrolled has this ID or serial number")
            }
            if let other = lines.updateValue(row.line, forKey: state.device.key) {
                return refused("line \(other) is about the same device")
            }
            let edit = AttributeEdit.mentioned(row.attributes)
            if let rule = edit.applied(to: state.attributes).brokenRule { return refused(rule) }
            switch decide(edit, knowing: state, by: author, at: now) {
            case .accepted(let change): changes.append(change)
            case .refused(let refusal): return .refused(refusal)
            }
        }
        return .accepted(changes)
    }

    /// The reason to refuse a line that matches several devices: the server does not choose one of them.
    private static func ambiguity(of name: String, _ devices: [String]) -> String {
        let way = "write “\(DeviceReference.idPrefix)” and the ID of the device that you mean"
        guard devices.first == name, let other = devices.last else {
            return "several devices have this serial number, \(devices.joined(separator: " and ")) among them: \(way)"
        }
        return "\(name) is the ID of one device and the serial number of another, \(other): \(way)"
    }

    /// The log says which attributes changed; what they say may be about people, and stays out of it.
    private static func record(
        of keys: [String], _ attributes: AttributeSet, _ device: String, by author: String, at now: Date
    ) -> AuditRecord {
        var details: [String: JSONValue] = [:]
        let set = keys.filter { attributes.values[$0] != nil }
        let removed = keys.filter { attributes.values[$0] == nil }
        if !set.isEmpty { details["set"] = .array(set.map { .string($0) }) }
        if !removed.isEmpty { details["removed"] = .array(removed.map { .string($0) }) }
        return AuditRecord(.setDeviceAttributes, device, details, by: .administrator(author), at: now)
    }
}
