package import Foundation

/// A setting that groups may be given, in its newest version. `GET /settings/{kind}/{name}`, and the answer of setting one
package struct Setting: Codable, Hashable, Sendable {
    /// The kind's name, such as `root-certificate`.
    package var kind: String
    package var name: String
    package var version: Int
    /// What the kind's schema describes; left out in lists.
    package var payload: JSON?
    /// What is in it, for people.
    package var summary: String
    package var author: String?
    package var changed: Date
    /// What there is to say about it, when it is set and when it is looked at; left out in lists.
    package var warnings: [String]?
    /// Nothing was written, because the payload was the present one; said when it is set.
    package var unchanged: Bool?

    package init(
        kind: String, name: String, version: Int, payload: JSON? = nil, summary: String, author: String? = nil,
        changed: Date, warnings: [String]? = nil, unchanged: Bool? = nil
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.payload = payload
        self.summary = summary
        self.author = author
        self.changed = changed
        self.warnings = warnings
        self.unchanged = unchanged
    }
}

/// Says what a setting is from now on. `PUT /settings/{kind}/{name}`
package struct SettingRequest: Codable, Hashable, Sendable {
    package var payload: JSON

    package init(payload: JSON) { self.payload = payload }
}

/// One version in a setting's history, newest first. `GET /settings/{kind}/{name}/versions`
package struct SettingVersion: Codable, Hashable, Sendable {
    package var version: Int
    package var payload: JSON
    package var author: String?
    package var created: Date

    package init(version: Int, payload: JSON, author: String? = nil, created: Date) {
        self.version = version
        self.payload = payload
        self.author = author
        self.created = created
    }
}

/// A kind of setting that this server knows. `GET /setting-kinds`
package struct SettingKind: Codable, Hashable, Sendable {
    package var name: String
    package var title: String
    /// What devices do with it, in a sentence for people.
    package var purpose: String
    /// The JSON Schema of a payload.
    package var schema: JSON
    /// What becomes of settings from several groups: `all` add up, or of the `highest` priority one counts.
    package var combination: String

    package init(name: String, title: String, purpose: String, schema: JSON, combination: String) {
        self.name = name
        self.title = title
        self.purpose = purpose
        self.schema = schema
        self.combination = combination
    }

    /// The payload's one member, where the schema has a text and nothing else: people write that text as it is.
    package var textMember: String? {
        guard case .object(let properties)? = schema["properties"], properties.count == 1,
            let (name, property) = properties.first, property["type"]?.text == "string"
        else { return nil }
        return name
    }
}

/// A setting given to a group. `GET /setting-assignments`
package struct SettingAssignment: Codable, Hashable, Sendable {
    package var group: String
    package var kind: String
    package var setting: String
    /// Where only one setting of its kind counts, the one with the highest does.
    package var priority: Int
    package var assigned: Date

    package init(group: String, kind: String, setting: String, priority: Int, assigned: Date) {
        self.group = group
        self.kind = kind
        self.setting = setting
        self.priority = priority
        self.assigned = assigned
    }
}

/// Gives a group a setting. `PUT /setting-assignments/{group}/{kind}/{name}`
package struct SettingAssignmentRequest: Codable, Hashable, Sendable {
    /// 0 if left out.
    package var priority: Int?

    package init(priority: Int? = nil) { self.priority = priority }
}

/// A setting that is assigned to a device's groups, and whether the device gets it. A part of `DeviceEffective`
package struct EffectiveSetting: Codable, Hashable, Sendable {
    package var kind: String
    package var name: String
    package var version: Int
    package var summary: String
    /// Not when the setting is kept from the device; `withheld` says why.
    package var given: Bool
    /// All assignments of it to the device's groups, the one that counts first.
    package var assignments: [EffectiveSettingAssignment]
    /// Why the device is not given it.
    package var withheld: [Reason]

    package init(
        kind: String, name: String, version: Int, summary: String, given: Bool,
        assignments: [EffectiveSettingAssignment], withheld: [Reason] = []
    ) {
        self.kind = kind
        self.name = name
        self.version = version
        self.summary = summary
        self.given = given
        self.assignments = assignments
        self.withheld = withheld
    }
}

/// A group that gives a device a setting.
package struct EffectiveSettingAssignment: Codable, Hashable, Sendable {
    package var group: String
    package var priority: Int
    package var assigned: Date

    package init(group: String, priority: Int, assigned: Date) {
        self.group = group
        self.priority = priority
        self.assigned = assigned
    }
}
