import Crypto
package import Foundation
package import InputBounds

extension Management {
    /// Sets what a setting is from now on; devices of the groups that it is assigned to are given it.
    ///
    /// The payload that is there already changes nothing. A dry run sets nothing, and answers the version that would be.
    package func setSetting(
        kind: String, name: String, payload: JSONValue, isDryRun: Bool = false, expected: ExpectedVersion = .any,
        author: String
    ) async throws -> Outcome<MadeSetting, AdminRefusal> {
        guard let found = SettingKind.named(kind) else { return .refused(.unknownSettingKind) }
        let now = moment
        let draft: SettingDraft
        let warnings: [String]
        switch SettingDraft.judge(name: name, payload, of: found, by: author, at: now) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged):
            draft = judged.draft
            warnings = judged.facts.warnings
        }
        let decide: @Sendable (SettingState) -> Outcome<SettingChange, AdminRefusal> = { state in
            SettingChange.put(draft, knowing: state, expected: expected, at: now)
        }
        if isDryRun {
            let state = try await store.settingState(of: draft.key)
            return decide(state).map { MadeSetting($0, warnings: warnings) }
        }
        return try await store.changeSetting(draft.key, by: decide).map { change in
            announceOutcomes(in: change.groups)
            return MadeSetting(change, warnings: warnings)
        }
    }

    package func setting(kind: String, name: String) async throws -> Setting? {
        try await store.settingState(of: SettingKey(kind: kind, name: name)).present
    }

    /// What there is to say of a setting now, such as that the certificate in it ends soon, or has ended.
    package func warnings(of setting: Setting) -> [String] {
        switch SettingKind.named(setting.kind)?.judge(setting.payload, moment) {
        case .accepted(let facts)?: facts.warnings
        case .refused(.invalid(let rule))?: [rule]
        case .refused?, nil: []
        }
    }

    /// The present version of each setting, by kind and name.
    package func settings(kind: String? = nil, _ page: PageRequest) async throws -> Page<Setting> {
        try await store.settings(kind: kind, page)
    }

    /// The kept versions, newest first; none of a setting that is not there.
    package func settingVersions(
        kind: String, name: String, _ page: PageRequest
    ) async throws -> Page<SettingVersion> {
        try await store.settingVersions(of: SettingKey(kind: kind, name: name), page)
    }

    /// Removes a setting that no group is assigned.
    package func removeSetting(
        kind: String, name: String, expected: ExpectedVersion = .any, author: String
    ) async throws -> Outcome<Setting, AdminRefusal> {
        let (key, now) = (SettingKey(kind: kind, name: name), moment)
        return try await store.changeSetting(key) { state in
            SettingChange.remove(key, knowing: state, expected: expected, by: author, at: now)
        }.map(\.setting)
    }

    /// Gives the devices of a group a setting.
    package func assignSetting(
        kind: String, name: String, to group: String, priority: Int = 0, expected: ExpectedSettingAssignment = .any,
        author: String
    ) async throws -> Outcome<SettingAssignment, AdminRefusal> {
        let (key, now) = (SettingKey(kind: kind, name: name), moment)
        return try await store.changeSettingAssignment(of: key, to: group) { state in
            SettingAssignmentChange.assign(
                key, to: group, priority: priority, knowing: state, expected: expected, by: author, at: now)
        }.map(told)
    }

    /// Takes a setting back from the devices of a group.
    package func unassignSetting(
        kind: String, name: String, from group: String, expected: ExpectedSettingAssignment = .any, author: String
    ) async throws -> Outcome<SettingAssignment, AdminRefusal> {
        let (key, now) = (SettingKey(kind: kind, name: name), moment)
        return try await store.changeSettingAssignment(of: key, to: group) { state in
            SettingAssignmentChange.unassign(
                key, from: group, knowing: state, expected: expected, by: author, at: now)
        }.map(told)
    }

    /// By group, kind and setting.
    package func settingAssignments(
        group: String? = nil, kind: String? = nil, name: String? = nil, _ page: PageRequest
    ) async throws -> Page<SettingAssignment> {
        try await store.settingAssignments(SettingAssignmentFilter(group: group, kind: kind, name: name), page)
    }

    /// One assignment; nothing where there is none.
    package func settingAssignment(kind: String, name: String, group: String) async throws -> SettingAssignment? {
        try await settingAssignments(group: group, kind: kind, name: name, PageRequest(limit: 1)).items.first
    }

    private func told(_ change: SettingAssignmentChange) -> SettingAssignment {
        announceOutcomes(in: [change.assignment.group])
        return change.assignment
    }
}

extension MadeSetting {
    fileprivate init(_ change: SettingChange, warnings: [String]) {
        self.init(setting: change.setting, warnings: warnings, isUnchanged: change.effect == .nothing)
    }
}

extension SettingDraft {
    /// Judges a payload by the rules of every setting and those of its kind.
    package static func judge(
        name: String, _ payload: JSONValue, of kind: SettingKind, by author: String, at now: Date
    ) -> Outcome<(draft: SettingDraft, facts: SettingFacts), AdminRefusal> {
        guard Names.isSuitable(name) else {
            return .refused(
                .invalid(rule: "A setting's name is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        guard payload.encoded().count <= SettingLimits.bytes else {
            return .refused(.tooLarge(limit: SettingLimits.bytes))
        }
        let facts: SettingFacts
        switch kind.judge(payload, now) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let found): facts = found
        }
        guard let told = kind.declarations(name, payload) else {
            return .refused(.invalid(rule: "No declaration can be made from this payload."))
        }
        let files = told.assets.map { ($0.sha256, $0.bytes) }
        let draft = SettingDraft(
            key: SettingKey(kind: kind.name, name: name), payload: payload, summary: facts.summary,
            files: Dictionary(files) { first, _ in first }, author: author)
        return .accepted((draft, facts))
    }
}

extension SettingDeclarations.Asset {
    /// Of its bytes, in lowercase hexadecimal digits.
    var sha256: String { Hexadecimal.text(SHA256.hash(data: bytes)) }
}
