package import Foundation

/// Groups, as a store keeps them.
package protocol GroupStore: Sendable {
    /// Adds a group; the fleet is judged by its rule from then on.
    func addGroup(
        named name: String, rule: GroupRule?, author: String, now: Date
    ) async throws -> Outcome<Group, AdminRefusal>
    /// Sets or removes the rule of a group, if it is the one that is expected; the fleet is judged by it from then on.
    ///
    /// Nobody may put devices into a group with a rule by hand, nor by a way to enroll.
    func setGroupRule(
        _ rule: GroupRule?, of name: String, expected: ExpectedVersion, author: String, now: Date
    ) async throws -> Outcome<Group, AdminRefusal>
    /// Judges devices of which something changed, one or the first of all; nothing when none waits.
    func judgeDue(of device: String?, limit: Int, now: Date) async throws -> GroupMoves?
    /// Judges the next devices of the fleet by a rule that was set; nothing when all are judged.
    func judgeFleet(limit: Int, now: Date) async throws -> GroupMoves?
    /// What is known of a device, as far as rules ask.
    func ruleFacts(of device: String, for facts: Set<RuleFact>) async throws -> RuleFacts?
    /// The devices after one, in the order of their keys, with what a rule asks of them and whether they are in a group.
    func ruleCandidates(
        for facts: Set<RuleFact>, group: String?, after key: String, limit: Int
    ) async throws -> [RuleCandidate]
    /// What devices say of themselves.
    func deviceNames(of keys: [String]) async throws -> [String: DeviceFacts]
    func group(named name: String) async throws -> Group?
    func groups(_ page: PageRequest) async throws -> Page<Group>
    /// Removes a group to which nothing is assigned, and which no device is in or a rule fills; its unused codes end with
    /// it.
    ///
    /// Nobody finds it or a device in it any more. Where more devices than `limit` are in it by its rule, the others are
    /// left to `emptyRemoved`.
    func removeGroup(named name: String, limit: Int, author: String, now: Date) async throws -> AdminRefusal?
    /// Forgets the next devices of a group that was removed; whether there was any such group.
    func emptyRemoved(limit: Int) async throws -> Bool
}

extension GroupStore {
    /// Adds a group without a rule.
    package func addGroup(
        named name: String, author: String, now: Date
    ) async throws -> Outcome<Group, AdminRefusal> {
        try await addGroup(named: name, rule: nil, author: author, now: now)
    }
}
