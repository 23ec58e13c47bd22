import Crypto
package import Foundation
package import InputBounds

/// Names a setting: by its kind and, among those of the kind, by its name.
package struct SettingKey: Sendable, Hashable {
    package let kind: String
    package let name: String

    package init(kind: String, name: String) {
        self.kind = kind
        self.name = name
    }

    /// As it stands in the audit log.
    package var text: String { "\(kind)/\(name)" }

    /// Reads `text`.
    package init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(kind: String(parts[0]), name: String(parts[1]))
    }
}

/// Something that devices are given beside apps, such as a root that they trust; groups are assigned it by its name.
package struct Setting: Sendable, Equatable {
    package let kind: String
    package let name: String
    package let version: Int
    package let payload: JSONValue
    /// What is in it, for people.
    package let summary: String
    package let author: String
    package let changed: Date

    package init(
        kind: String, name: String, version: Int, payload: JSONValue, summary: String, author: String, changed: Date
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.payload = payload
        self.summary = summary
        self.author = author
        self.changed = changed
    }

    package var key: SettingKey { SettingKey(kind: kind, name: name) }
}

/// One of the kept versions of a setting.
package struct SettingVersion: Sendable, Equatable {
    package let version: Int
    package let payload: JSONValue
    package let author: String
    package let created: Date

    package init(version: Int, payload: JSONValue, author: String, created: Date) {
        self.version = version
        self.payload = payload
        self.author = author
        self.created = created
    }
}

/// A setting that the devices of a group are given.
///
/// Where only one setting of a kind counts, it is the one with the highest priority, and of several with the same the
/// one assigned last.
package struct SettingAssignment: Sendable, Equatable {
    package let group: String
    package let kind: String
    package let setting: String
    package let priority: Int
    package let assigned: Date
    /// Grows with every assignment made: the order that decides where the priority does not.
    package let order: Int

    package init(group: String, kind: String, setting: String, priority: Int, assigned: Date, order: Int) {
        self.group = group
        self.kind = kind
        self.setting = setting
        self.priority = priority
        self.assigned = assigned
        self.order = order
    }

    package var key: SettingKey { SettingKey(kind: kind, name: setting) }

    /// What decides between several: the greatest counts.
    package var rank: AssignmentRank { AssignmentRank(priority: priority, order: order) }
}

/// What came of setting one.
package struct MadeSetting: Sendable, Equatable {
    package let setting: Setting
    package let warnings: [String]
    /// The payload was the present one: nothing was written.
    package let isUnchanged: Bool

    package init(setting: Setting, warnings: [String], isUnchanged: Bool) {
        self.setting = setting
        self.warnings = warnings
        self.isUnchanged = isUnchanged
    }
}

/// Which assignment of a setting an administrator believes to be there.
package enum ExpectedSettingAssignment: Sendable, Equatable {
    case any
    case absent
    case present(SettingAssignment)

    /// Whether the belief holds.
    package func holds(for current: SettingAssignment?) -> Bool {
        switch self {
        case .any: true
        case .absent: current == nil
        case .present(let assignment): current == assignment
        }
    }
}

/// Which assignments of settings are asked for.
package struct SettingAssignmentFilter: Sendable {
    package let group: String?
    package let kind: String?
    package let name: String?

    package init(group: String? = nil, kind: String? = nil, name: String? = nil) {
        self.group = group
        self.kind = kind
        self.name = name
    }
}

/// The bounds of a setting.
package enum SettingLimits {
    /// Of a payload, in bytes of JSON without white space.
    package static let bytes = 65_536
    /// Versions kept of each setting.
    package static let versions = 100
}

extension SettingKey {
    /// Longer ones the protocol does not take.
    private static let longestIdentifier = 64

    /// The identifier of the declaration that gives devices the setting, or of a part of it, such as `certificate`.
    ///
    /// It follows from the key alone, so that a new version changes only tokens. A long one is cut to a digest.
    package func identifier(of part: String? = nil) -> String {
        let prefix = part.map { "martlet.setting-\($0)." } ?? "martlet.setting."
        let plain = "\(prefix)\(kind).\(name)"
        guard plain.utf8.count > Self.longestIdentifier else { return plain }
        var hash = SHA256()
        ManifestCompiler.update(&hash, with: [Data(kind.utf8), Data(name.utf8)])
        let digest = Hexadecimal.text(hash.finalize())
        return prefix + String(digest.prefix(max(0, Self.longestIdentifier - prefix.utf8.count)))
    }
}
