import Crypto
package import Foundation
package import InputBounds

/// What is known of a setting before it is changed.
package struct SettingState: Sendable, Equatable {
    package let present: Setting?
    /// The last version that the name had, also before it was removed: versions are counted on, so that what is made
    /// again is never taken for what was removed.
    package let lastVersion: Int
    /// The groups that it is assigned to, in the order of their names.
    package let groups: [String]

    package init(present: Setting?, lastVersion: Int, groups: [String]) {
        self.present = present
        self.lastVersion = lastVersion
        self.groups = groups
    }
}

/// What a setting is to be, already judged by its kind.
package struct SettingDraft: Sendable, Equatable {
    package let key: SettingKey
    package let payload: JSONValue
    package let summary: String
    /// What devices download of it, by SHA-256 in lowercase hexadecimal digits.
    package let files: [String: Data]
    package let author: String

    package init(key: SettingKey, payload: JSONValue, summary: String, files: [String: Data], author: String) {
        self.key = key
        self.payload = payload
        self.summary = summary
        self.files = files
        self.author = author
    }
}

/// What follows from setting or removing one: what is written, what is recorded, whose devices hear of it.
package struct SettingChange: Sendable, Equatable {
    package enum Effect: Sendable, Equatable {
        /// It is so already.
        case nothing
        /// A version is added and the present one from then on; of the kept ones the newest stay, so many.
        case add(Setting, files: [String: Data], keeping: Int)
        case remove(SettingKey)
    }

    /// The setting as it is then, or as it was before it was removed.
    package let setting: Setting
    package let effect: Effect
    /// The groups whose devices are given something else.
    package let groups: [String]
    package let audit: AuditRecord?

    package init(setting: Setting, effect: Effect, groups: [String], audit: AuditRecord?) {
        self.setting = setting
        self.effect = effect
        self.groups = groups
        self.audit = audit
    }

    /// Decides about a new payload: the present one again changes nothing.
    package static func put(
        _ draft: SettingDraft, knowing state: SettingState, expected: ExpectedVersion,
        keeping: Int = SettingLimits.versions, at now: Date
    ) -> Outcome<SettingChange, AdminRefusal> {
        guard expected.holds(for: state.present?.version) else {
            return .refused(.versionMoved(current: state.present?.version))
        }
        if let present = state.present, present.payload == draft.payload {
            return .accepted(SettingChange(setting: present, effect: .nothing, groups: [], audit: nil))
        }
        let setting = Setting(
            kind: draft.key.kind, name: draft.key.name, version: state.lastVersion + 1, payload: draft.payload,
            summary: draft.summary, author: draft.author, changed: now)
        return .accepted(
            SettingChange(
                setting: setting, effect: .add(setting, files: draft.files, keeping: keeping), groups: state.groups,
                audit: AuditRecord(
                    .setSetting, draft.key.text,
                    [
                        "version": .integer(Int64(setting.version)),
                        "sha256": .string(Hexadecimal.text(SHA256.hash(data: draft.payload.encoded()))),
                    ], by: .administrator(draft.author), at: now)))
    }

    /// Decides about a removal: one that is assigned stays, and the groups are named.
    package static func remove(
        _ key: SettingKey, knowing state: SettingState, expected: ExpectedVersion, by author: String, at now: Date
    ) -> Outcome<SettingChange, AdminRefusal> {
        guard let present = state.present else { return .refused(.unknownSetting) }
        guard expected.holds(for: present.version) else { return .refused(.versionMoved(current: present.version)) }
        guard state.groups.isEmpty else { return .refused(.inUse(Self.named(state.groups))) }
        return .accepted(
            SettingChange(
                setting: present, effect: .remove(key), groups: [],
                audit: AuditRecord(.removeSetting, key.text, by: .administrator(author), at: now)))
    }

    private static let mostNamed = 10

    /// The groups for people: of many, the first.
    private static func named(_ groups: [String]) -> String {
        let rest = groups.count - mostNamed
        return (groups.count == 1 ? "the group " : "the groups ") + groups.prefix(mostNamed).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}
