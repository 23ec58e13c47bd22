/// Settings, as a store keeps them.
///
/// What is changed is decided by a rule on what the store loaded, in the transaction that then applies it.
package protocol SettingStore: Sendable {
    func settingState(of key: SettingKey) async throws -> SettingState
    func changeSetting(
        _ key: SettingKey, by decide: @escaping @Sendable (SettingState) -> Outcome<SettingChange, AdminRefusal>
    ) async throws -> Outcome<SettingChange, AdminRefusal>
    func changeSettingAssignment(
        of key: SettingKey, to group: String,
        by decide: @escaping @Sendable (SettingAssignmentState) -> Outcome<SettingAssignmentChange, AdminRefusal>
    ) async throws -> Outcome<SettingAssignmentChange, AdminRefusal>
    /// The present version of each setting, by kind and name.
    func settings(kind: String?, _ page: PageRequest) async throws -> Page<Setting>
    /// The kept versions, newest first.
    func settingVersions(of key: SettingKey, _ page: PageRequest) async throws -> Page<SettingVersion>
    /// By group, kind and setting.
    func settingAssignments(
        _ filter: SettingAssignmentFilter, _ page: PageRequest
    ) async throws -> Page<SettingAssignment>
}
