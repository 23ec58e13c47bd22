import Foundation
import Management

/// A secret that is taken from many devices is taken from the first with the change, and from the others part by part.
package func storeContractManyLosses(_ make: MakeStore) async throws {
    let store = try await make()
    let first = SecretLimits.revokedAtOnce
    let devices = first + 30
    try await storeContractManyIdentities(store, devices: devices)
    _ = try accepted(try await store.unassignSecret(from: slot(in: "g"), author: "b", now: time(4)))
    try await promise("as many as an administrator waits for are revoked with the change") {
        let (count, rest) = (try await store.revoked(), try await store.isRevoking())
        return count == first && rest == true
    }
    try await promise("nobody looks for the others elsewhere") {
        let secret = try await store.revokeLost(of: .secret("other"), limit: 20, now: time(5))
        let app = try await store.revokeLost(of: .app("com.example.other"), limit: 20, now: time(5))
        let count = try await store.revoked()
        return secret == nil && app == nil && count == first
    }
    try await promise("so many more with each part") {
        _ = try await store.revokeLost(of: .secret("s"), limit: 20, now: time(5))
        let (count, rest) = (try await store.revoked(), try await store.isRevoking())
        return count == first + 20 && rest == true
    }
    try await promise("and at last all; then nothing is left to do") {
        while try await store.revokeLost(of: .anywhere, limit: 20, now: time(6)) != nil {}
        let (count, rest) = (try await store.revoked(), try await store.isRevoking())
        return count == devices && rest == false
    }
    try await promise("each is in the audit log as of whoever took the secret") {
        let log = try await store.auditEntries(
            AuditFilter(action: .revokeIdentity, subject: "s"), PageRequest(limit: devices + 1))
        return log.items.count == devices && log.items.allSatisfy { $0.actor == "administrator:b" }
    }
}

/// What became of a device while it waits decides whether it has lost the secret: nothing is revoked that it has another
/// way, and nothing is left to it because the group went.
package func storeContractManyLossesLater(_ make: MakeStore) async throws {
    let store = try await make()
    let devices = SecretLimits.revokedAtOnce + 30
    try await storeContractManyIdentities(store, devices: devices)
    // By key the last, so that it has not had its turn.
    let last = "d99"
    try await storeContractAssignElsewhere(store)
    let rule = try GroupRule(parsing: "kind = device")
    _ = try accepted(try await store.addGroup(named: "r", rule: rule, author: "a", now: time(2)))
    try await store.judgeAll()
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: nil, to: "r", now: time(2)))
    _ = try accepted(try await store.assignSecret("s", to: slot(in: "r"), author: "a", now: time(2)))
    func end() async throws -> Set<String> {
        var groups: Set<String> = []
        while let part = try await store.revokeLost(of: .anywhere, limit: 50, now: time(6)) { groups.formUnion(part) }
        return groups
    }
    _ = try accepted(try await store.unassignSecret(from: slot(in: "g"), author: "a", now: time(4)))
    try await promise("one of two ways is enough") {
        let groups = try await end()
        let count = try await store.revoked()
        return groups.isEmpty && count == 0
    }
    _ = try accepted(try await store.unassign(app: "com.example.app", from: "r", now: time(5)))
    _ = try accepted(try await store.addDevice(last, toGroup: "h", author: "a", now: time(5)))
    let refusal = try await store.removeGroup(named: "r", limit: 1_000, author: "a", now: time(5))
    try await promise("a device that was given it meanwhile has not lost it; those of the group that went have") {
        let groups = try await end()
        let count = try await store.revoked()
        return refusal == nil && groups == ["h"] && count == devices - 1
    }
    try await promise("whose loss is remembered, as the secret is assigned elsewhere") {
        let lost = try await store.valueSources(of: "d1", secrets: ["s"])?.losses
        let had = try await store.valueSources(of: last, secrets: ["s"])?.losses
        return lost == ["s": 1] && had == [:]
    }
}

private func slot(in group: String) -> SecretSlot {
    SecretSlot(group: group, app: "com.example.app", kind: .identity, identifier: "client")
}

extension Store {
    /// How many certificates are revoked.
    fileprivate func revoked() async throws -> Int { try await revokedIdentities(now: time(9)).count }

    fileprivate func isRevoking() async throws -> Bool? { try await secret(named: "s")?.isRevoking }
}
