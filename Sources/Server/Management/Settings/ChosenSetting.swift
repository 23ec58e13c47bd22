package import InputBounds

/// An assignment of a setting with what the setting says now.
package struct AssignedSetting: Sendable, Equatable {
    package let assignment: SettingAssignment
    package let version: Int
    package let payload: JSONValue
    package let summary: String

    package init(assignment: SettingAssignment, version: Int, payload: JSONValue, summary: String) {
        self.assignment = assignment
        self.version = version
        self.payload = payload
        self.summary = summary
    }

    package var key: SettingKey { assignment.key }
}

/// A setting that counts for the devices of some groups.
package struct ChosenSetting: Sendable {
    package let kind: SettingKind
    /// Its assignments to these groups; the first has the greatest rank.
    package let assignments: [AssignedSetting]
    package let setting: AssignedSetting

    package var key: SettingKey { setting.key }

    /// Which of the assigned settings count, by how each kind combines them; in the order of kinds and names.
    package static func all(of assigned: [AssignedSetting], kinds: [SettingKind]) -> [ChosenSetting] {
        var chosen: [ChosenSetting] = []
        for kind in kinds {
            let its = assigned.filter { $0.assignment.kind == kind.name }
                .sorted { $0.assignment.rank > $1.assignment.rank }
            let counting: [AssignedSetting] =
                switch kind.combination {
                case .all: its
                case .highest: its.first.map { first in its.filter { $0.key == first.key } } ?? []
                }
            chosen += Dictionary(grouping: counting, by: \.key).values.compactMap { same in
                same.first.map { ChosenSetting(kind: kind, assignments: same, setting: $0) }
            }
        }
        return chosen.sorted { Self.precedes($0.key, $1.key) }
    }

    /// Order by bytes: the same everywhere, whatever the locale.
    private static func precedes(_ left: SettingKey, _ right: SettingKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// A setting that a device is not given, and why.
package struct WithheldSetting: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The device has told what it takes, and these types of configurations are not among it.
        case unsupported([String])
        /// The device has not told yet whether it takes these types.
        case untold([String])
        /// The kind concerns the whole machine, and the device belongs to a person.
        case ofAPerson
    }

    package let key: SettingKey
    package let reason: Reason

    package init(key: SettingKey, reason: Reason) {
        self.key = key
        self.reason = reason
    }
}

extension SettingKind {
    /// Why devices of an audience are not given settings of this kind; nothing where they are.
    package func refusal(of audience: DeviceAudience) -> WithheldSetting.Reason? {
        guard !isForOwnedDevices || !audience.isOfAPerson else { return .ofAPerson }
        guard let taken = audience.takenTypes else { return .untold(types.sorted()) }
        let missing = types.subtracting(taken)
        return missing.isEmpty ? nil : .unsupported(missing.sorted())
    }
}
