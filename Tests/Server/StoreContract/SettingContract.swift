import Foundation
import InputBounds
import Management

/// Settings are kept version by version; the newest stay, and what devices download with them.
package func storeContractSettings(_ make: MakeStore) async throws {
    let store = try await make()
    let key = SettingKey(kind: "k", name: "n")
    try await promise("of a setting that is not there nothing is known") {
        try await store.settingState(of: key) == SettingState(present: nil, lastVersion: 0, groups: [])
    }
    for number in 1...4 {
        let change = try accepted(try await store.put(key, number))
        try await promise("what was decided is what is there, version \(number)") {
            let state = try await store.settingState(of: key)
            return state.present == change.setting && state.lastVersion == number
        }
    }
    try await promise("the history keeps the newest, newest first, in pages") {
        let first = try await store.settingVersions(of: key, PageRequest(limit: 2))
        let rest = try await store.settingVersions(of: key, PageRequest(after: first.next, limit: 2))
        return first.items.map(\.version) == [4, 3] && rest.items.map(\.payload) == [.integer(2)]
            && rest.next == nil
    }
    try await store.prune(Retention(), now: time(10))
    try await promise("files of kept versions stay, and no others") {
        let kept = try await store.assetBytes(sha256: store.sha256("2"))
        let dropped = try await store.assetBytes(sha256: store.sha256("1"))
        return kept == Data("2".utf8) && dropped == nil
    }
    try await promise("a refusal changes nothing") {
        let refused = try await store.changeSetting(key) { _ in .refused(.unknownSetting) }
        let state = try await store.settingState(of: key)
        return refused.refusal == .unknownSetting && state.present?.version == 4
    }
    _ = try accepted(try await store.put(SettingKey(kind: "k", name: "m"), 1))
    _ = try accepted(try await store.put(SettingKey(kind: "j", name: "z"), 1))
    try await promise("they are listed by kind and name, in pages") {
        let first = try await store.settings(kind: nil, PageRequest(limit: 2))
        let rest = try await store.settings(kind: nil, PageRequest(after: first.next, limit: 2))
        let ofKind = try await store.settings(kind: "k", PageRequest())
        return first.items.map(\.key.text) == ["j/z", "k/m"] && rest.items.map(\.key.text) == ["k/n"]
            && ofKind.items.map(\.name) == ["m", "n"]
    }
    _ = try accepted(
        try await store.changeSetting(key) { state in
            SettingChange.remove(key, knowing: state, expected: .version(4), by: "admin", at: time(11))
        })
    try await promise("one that is removed leaves its number alone") {
        let versions = try await store.settingVersions(of: key, PageRequest())
        return try await store.settingState(of: key) == SettingState(present: nil, lastVersion: 4, groups: [])
            && versions.items.isEmpty
    }
    let entries = try await store.auditEntries(after: 0, limit: 100).map(\.action)
    try await promise("what was decided to be recorded is in the log") {
        entries == Array(repeating: "setting.set", count: 6) + ["setting.remove"]
    }
}

/// Which groups have which settings, and what devices of these groups are given by them now.
package func storeContractSettingAssignments(_ make: MakeStore) async throws {
    let store = try await make()
    let (first, second) = (SettingKey(kind: "k", name: "m"), SettingKey(kind: "k", name: "n"))
    for group in ["a", "b"] { _ = try await store.addGroup(named: group, now: time(0)) }
    for key in [first, second] { _ = try accepted(try await store.put(key, 1)) }
    func assign(
        _ key: SettingKey, to group: String, priority: Int = 0, _ moment: Double
    ) async throws -> Outcome<SettingAssignmentChange, AdminRefusal> {
        try await store.changeSettingAssignment(of: key, to: group) { state in
            SettingAssignmentChange.assign(
                key, to: group, priority: priority, knowing: state, expected: .any, by: "admin", at: time(moment))
        }
    }
    try await promise("group and setting must exist") {
        let group = try await assign(first, to: "none", 1).refusal
        let setting = try await assign(SettingKey(kind: "k", name: "none"), to: "a", 1).refusal
        return group == .unknownGroup && setting == .unknownSetting
    }
    let made = try accepted(try await assign(first, to: "a", priority: 3, 1)).assignment
    _ = try accepted(try await assign(second, to: "b", 2))
    _ = try accepted(try await assign(first, to: "b", 3))
    try await promise("what was decided is what is there") {
        let page = try await store.settingAssignments(SettingAssignmentFilter(group: "a"), PageRequest())
        let state = try await store.settingState(of: first)
        return page.items == [made] && made.order == 1 && state.groups == ["a", "b"]
    }
    try await promise("they are listed by group, kind and setting, in pages") {
        let head = try await store.settingAssignments(SettingAssignmentFilter(), PageRequest(limit: 2))
        let rest = try await store.settingAssignments(
            SettingAssignmentFilter(), PageRequest(after: head.next, limit: 2))
        let ofName = try await store.settingAssignments(
            SettingAssignmentFilter(kind: "k", name: "n"), PageRequest())
        return head.items.map(\.setting) == ["m", "m"] && rest.items.map(\.setting) == ["n"]
            && ofName.items.map(\.group) == ["b"]
    }
    _ = try accepted(try await store.put(second, 2, at: 4))
    try await promise("the snapshot has them with what they say now, and when that changed") {
        let snapshot = try await store.assignmentSnapshot(groups: ["b"])
        let settings = snapshot.settings.sorted { $0.key.text < $1.key.text }
        return settings.map(\.key) == [first, second] && settings.map(\.payload) == [.integer(1), .integer(2)]
            && settings.map(\.version) == [1, 2] && snapshot.changed == time(4)
    }
    try await promise("a group with settings stays") {
        try await store.removeGroup(named: "a") == .inUse("assignments")
    }
    _ = try accepted(
        try await store.changeSettingAssignment(of: first, to: "a") { state in
            SettingAssignmentChange.unassign(
                first, from: "a", knowing: state, expected: .present(made), by: "admin", at: time(5))
        })
    try await promise("what is taken back is gone, and the group is free") {
        let snapshot = try await store.assignmentSnapshot(groups: ["a"])
        let refusal = try await store.removeGroup(named: "a")
        return snapshot.settings.isEmpty && refusal == nil
    }
}

extension Store {
    /// Sets a setting to a number, with a file of its digits.
    fileprivate func put(
        _ key: SettingKey, _ number: Int, at moment: Double = 0
    ) async throws -> Outcome<SettingChange, AdminRefusal> {
        let text = "\(number)"
        let draft = SettingDraft(
            key: key, payload: .integer(Int64(number)), summary: text, files: [sha256(text): Data(text.utf8)],
            author: "admin")
        return try await changeSetting(key) { state in
            SettingChange.put(draft, knowing: state, expected: .any, keeping: 3, at: time(moment))
        }
    }
}
