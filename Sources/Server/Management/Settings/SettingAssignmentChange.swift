package import Foundation
import InputBounds

/// What is known before a setting is assigned to a group, or taken from it.
package struct SettingAssignmentState: Sendable, Equatable {
    package let isGroup: Bool
    package let isSetting: Bool
    package let present: SettingAssignment?
    /// The greatest order of any assignment of a setting.
    package let lastOrder: Int

    package init(isGroup: Bool, isSetting: Bool, present: SettingAssignment?, lastOrder: Int) {
        self.isGroup = isGroup
        self.isSetting = isSetting
        self.present = present
        self.lastOrder = lastOrder
    }
}

/// What follows from assigning a setting or taking it back.
package struct SettingAssignmentChange: Sendable, Equatable {
    /// The assignment as it is then, or as it was before it was taken back.
    package let assignment: SettingAssignment
    package let isAssigned: Bool
    package let audit: AuditRecord

    package init(assignment: SettingAssignment, isAssigned: Bool, audit: AuditRecord) {
        self.assignment = assignment
        self.isAssigned = isAssigned
        self.audit = audit
    }

    /// Decides about an assignment; made again it is the last of its priority, as with apps.
    package static func assign(
        _ key: SettingKey, to group: String, priority: Int, knowing state: SettingAssignmentState,
        expected: ExpectedSettingAssignment, by author: String, at now: Date
    ) -> Outcome<SettingAssignmentChange, AdminRefusal> {
        guard Assignment.priorities.contains(priority) else {
            let (least, most) = (Assignment.priorities.lowerBound, Assignment.priorities.upperBound)
            return .refused(.invalid(rule: "A priority is a whole number from \(least) to \(most)."))
        }
        guard state.isGroup else { return .refused(.unknownGroup) }
        guard state.isSetting else { return .refused(.unknownSetting) }
        guard expected.holds(for: state.present) else { return .refused(.versionMoved(current: nil)) }
        return .accepted(
            SettingAssignmentChange(
                assignment: SettingAssignment(
                    group: group, kind: key.kind, setting: key.name, priority: priority, assigned: now,
                    order: state.lastOrder + 1),
                isAssigned: true,
                audit: AuditRecord(
                    .assignSetting, "\(group)/\(key.text)", ["priority": .integer(Int64(priority))],
                    by: .administrator(author), at: now)))
    }

    package static func unassign(
        _ key: SettingKey, from group: String, knowing state: SettingAssignmentState,
        expected: ExpectedSettingAssignment, by author: String, at now: Date
    ) -> Outcome<SettingAssignmentChange, AdminRefusal> {
        guard let present = state.present else { return .refused(.unknownSettingAssignment) }
        guard expected.holds(for: present) else { return .refused(.versionMoved(current: nil)) }
        return .accepted(
            SettingAssignmentChange(
                assignment: present, isAssigned: false,
                audit: AuditRecord(.unassignSetting, "\(group)/\(key.text)", by: .administrator(author), at: now)))
    }
}
