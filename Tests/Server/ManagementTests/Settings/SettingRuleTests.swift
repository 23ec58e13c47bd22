import Foundation
import InputBounds
import Management
import Testing

/// What follows from setting, removing, assigning and taking back: as values.
struct SettingRuleTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let key = SettingKey(kind: "root-certificate", name: "corp")

    private func draft(_ payload: JSONValue) -> SettingDraft {
        SettingDraft(key: key, payload: payload, summary: "s", files: ["f": Data([1])], author: "ada")
    }

    private func setting(_ payload: JSONValue, version: Int) -> Setting {
        Setting(
            kind: key.kind, name: key.name, version: version, payload: payload, summary: "s", author: "ada",
            changed: now)
    }

    private func put(
        _ payload: JSONValue, knowing state: SettingState, expected: ExpectedVersion = .any
    ) -> Outcome<SettingChange, AdminRefusal> {
        SettingChange.put(draft(payload), knowing: state, expected: expected, keeping: 3, at: now)
    }

    @Test func aNewPayloadIsANewVersionThatConcernsItsGroups() throws {
        let state = SettingState(present: setting(.integer(1), version: 4), lastVersion: 4, groups: ["a", "b"])
        let change = try #require(put(.integer(2), knowing: state, expected: .version(4)).value)
        let made = setting(.integer(2), version: 5)
        #expect(change.setting == made && change.groups == ["a", "b"])
        #expect(change.effect == .add(made, files: ["f": Data([1])], keeping: 3))
        #expect(change.audit?.action == .setSetting && change.audit?.subject == "root-certificate/corp")
        #expect(change.audit?.details["version"] == .integer(5) && change.audit?.actor == .administrator("ada"))
    }

    @Test func thePresentPayloadAgainChangesNothing() throws {
        let state = SettingState(present: setting(.integer(1), version: 4), lastVersion: 4, groups: ["a"])
        let change = try #require(put(.integer(1), knowing: state).value)
        #expect(change.effect == .nothing && change.groups.isEmpty && change.audit == nil)
    }

    @Test func versionsAreCountedOnAfterARemoval() throws {
        let state = SettingState(present: nil, lastVersion: 7, groups: [])
        #expect(put(.integer(1), knowing: state, expected: .absent).value?.setting.version == 8)
    }

    @Test func whoSawAnotherVersionIsRefused() {
        let state = SettingState(present: setting(.integer(1), version: 4), lastVersion: 4, groups: [])
        #expect(put(.integer(2), knowing: state, expected: .version(3)).refusal == .versionMoved(current: 4))
        #expect(put(.integer(2), knowing: state, expected: .absent).refusal == .versionMoved(current: 4))
        let none = SettingState(present: nil, lastVersion: 0, groups: [])
        #expect(put(.integer(2), knowing: none, expected: .version(1)).refusal == .versionMoved(current: nil))
    }

    @Test func anAssignedSettingStaysAndTheGroupsAreNamed() {
        func refusal(_ groups: [String]) -> AdminRefusal? {
            let state = SettingState(present: setting(.integer(1), version: 1), lastVersion: 1, groups: groups)
            return SettingChange.remove(key, knowing: state, expected: .any, by: "ada", at: now).refusal
        }
        #expect(refusal([]) == nil)
        #expect(refusal(["a"]) == .inUse("the group a"))
        #expect(refusal(["a", "b"]) == .inUse("the groups a, b"))
        let many = (10..<22).map { "g\($0)" }
        #expect(refusal(many)?.reason.hasSuffix("g19 and 2 more.") == true)
        let none = SettingState(present: nil, lastVersion: 0, groups: [])
        #expect(
            SettingChange.remove(key, knowing: none, expected: .any, by: "ada", at: now).refusal == .unknownSetting)
    }

    // MARK: Assignments

    private func assign(
        _ priority: Int = 0, knowing state: SettingAssignmentState, expected: ExpectedSettingAssignment = .any
    ) -> Outcome<SettingAssignmentChange, AdminRefusal> {
        SettingAssignmentChange.assign(
            key, to: "g", priority: priority, knowing: state, expected: expected, by: "ada", at: now)
    }

    private func state(
        isGroup: Bool = true, isSetting: Bool = true, present: SettingAssignment? = nil
    ) -> SettingAssignmentState {
        SettingAssignmentState(isGroup: isGroup, isSetting: isSetting, present: present, lastOrder: 6)
    }

    @Test func whatIsAssignedIsTheLastOfAll() throws {
        let change = try #require(assign(5, knowing: state()).value)
        #expect(change.isAssigned && change.assignment.rank == AssignmentRank(priority: 5, order: 7))
        #expect(change.audit.action == .assignSetting && change.audit.subject == "g/root-certificate/corp")
    }

    @Test func onlyWhatIsThereIsAssigned() {
        #expect(assign(knowing: state(isGroup: false)).refusal == .unknownGroup)
        #expect(assign(knowing: state(isSetting: false)).refusal == .unknownSetting)
        #expect(assign(1_001, knowing: state()).refusal?.kind == .invalid)
    }

    @Test func whoSawAnotherAssignmentIsRefused() throws {
        let present = try #require(assign(knowing: state()).value?.assignment)
        #expect(assign(knowing: state(present: present), expected: .absent).refusal?.kind == .precondition)
        #expect(assign(knowing: state(present: present), expected: .present(present)).refusal == nil)
        func unassign(_ state: SettingAssignmentState, _ expected: ExpectedSettingAssignment) -> AdminRefusal? {
            SettingAssignmentChange.unassign(
                key, from: "g", knowing: state, expected: expected, by: "ada", at: now
            ).refusal
        }
        #expect(unassign(state(), .any) == .unknownSettingAssignment)
        #expect(unassign(state(present: present), .absent)?.kind == .precondition)
        #expect(unassign(state(present: present), .present(present)) == nil)
    }
}
