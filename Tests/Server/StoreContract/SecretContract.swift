import Foundation
import Management

/// Secrets: versions count on forever, only the present value is kept, none goes that is assigned.
package func storeContractSecrets(_ make: MakeStore) async throws {
    let store = try await make()
    let first = try accepted(try await store.putSecret(secretDraft("pin", 1), expected: .absent, keeping: 3))
    try await promise("the first version is number one") { first.value.current.number == 1 && first.groups.isEmpty }
    try await promise("a writer who expects none is refused") {
        try await store.putSecret(secretDraft("pin", 2), expected: .absent, keeping: 3).refusal
            == .versionMoved(current: 1)
    }
    try await promise("a secret keeps its kind") {
        let draft = secretDraft("pin", 2, kind: .certificate)
        guard case .invalid = try await store.putSecret(draft, expected: .any, keeping: 3).refusal else { return false }
        return true
    }
    for number in 2...5 { _ = try await store.putSecret(secretDraft("pin", number), expected: .any, keeping: 3) }
    let history = try accepted(try await store.secretVersions(of: "pin", PageRequest()))
    try await promise("the history keeps the newest") { history.items.map(\.number) == [5, 4, 3] }
    let kept = try await store.secretsToRewrap(under: "another", limit: 10)
    try await promise("of all values only the present one is kept") { kept.map(\.version) == [5] }

    try await promise("one who saw an older version does not remove it") {
        try await store.removeSecret(named: "pin", expected: .version(1), author: "a", now: time(0))
            == .versionMoved(current: 5)
    }
    try await promise("it goes") {
        try await store.removeSecret(named: "pin", expected: .version(5), author: "a", now: time(0)) == nil
    }
    try await promise("with its value") { try await store.masterKeyIDsInUse().isEmpty }
    let again = try accepted(try await store.putSecret(secretDraft("pin", 6), expected: .absent, keeping: 3))
    try await promise("and made again it counts on") { again.value.current.number == 6 }
    for name in ["a", "b"] { _ = try await store.putSecret(secretDraft(name, 1), expected: .any, keeping: 3) }
    let page = try await store.secrets(PageRequest(limit: 2))
    let rest = try await store.secrets(PageRequest(after: page.next, limit: 2))
    try await promise("they are listed in pages") {
        page.items.map(\.name) == ["a", "b"] && rest.items.map(\.name) == ["pin"]
    }
}

/// Master keys: what is sealed under a replaced one is not taken, what is kept moves to the new one.
package func storeContractMasterKeys(_ make: MakeStore) async throws {
    let store = try await make()
    try await promise("there is none at first") { try await store.masterKeyID() == nil }
    _ = try await store.putSecret(secretDraft("a", 1, key: "k1"), expected: .any, keeping: 3)
    try await promise("the first one used is the store's") { try await store.masterKeyID() == "k1" }
    try await store.setMasterKey(id: "k2")
    do {
        _ = try await store.putSecret(secretDraft("a", 2, key: "k1"), expected: .any, keeping: 3)
        throw BrokenPromise(promise: "a value under a replaced key is not taken", file: #fileID, line: #line)
    } catch is MasterKeyReplaced {}
    let stale = try await store.secretsToRewrap(under: "k2", limit: 10)
    try await promise("what is under the old key is found") { stale.map(\.secret.masterKeyID) == ["k1"] }
    _ = try await store.putSecret(secretDraft("a", 3, key: "k2"), expected: .any, keeping: 3)
    let pairs = stale.map { kept in
        var sealed = kept.secret
        sealed.masterKeyID = "k2"
        sealed.wrappedKey = Data("late".utf8)
        return (old: kept, new: sealed)
    }
    try await store.rewrap(pairs)
    let present = try await store.secretsToRewrap(under: "none", limit: 10)
    try await promise("what changed meanwhile is left alone") {
        present.map(\.version) == [2] && present.map(\.secret.wrappedKey) == [Data("key a 2".utf8)]
    }
}

/// Assignments of secrets: only for what is there, withdrawn with the app, released only while they stand.
package func storeContractSecretAssignments(_ make: MakeStore) async throws {
    let store = try await make()
    let device = try await store.enrolDevice("D1", group: "g", certificate: 1)
    try await store.addApp("com.example.app", configuration: "main", bytes: "1")
    _ = try await store.putSecret(secretDraft("pin", 1), expected: .any, keeping: 3)
    let slot = SecretSlot(group: "g", app: "com.example.app", kind: .password, identifier: "login")
    func assign(_ name: String, _ slot: SecretSlot) async throws -> Outcome<Changed<SecretAssignment>, AdminRefusal> {
        try await store.assignSecret(name, to: slot, author: "a", now: time(5))
    }
    try await promise("the app must be assigned first") {
        try await assign("pin", slot).refusal == .unknownAssignment
    }
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: nil, to: "g", now: time(1)))
    try await promise("a secret must exist") { try await assign("none", slot).refusal == .unknownSecret }
    try await promise("and be what the app asks for") {
        let other = SecretSlot(group: "g", app: "com.example.app", kind: .identity, identifier: "login")
        guard case .invalid = try await assign("pin", other).refusal else { return false }
        return true
    }
    let assigned = try accepted(try await assign("pin", slot))
    try await promise("its group is told") { assigned.groups == ["g"] }
    let snapshot = try await store.assignmentSnapshot(groups: ["g"])
    try await promise("the snapshot has it") {
        snapshot.effective.flatMap(\.secrets).map(\.secret) == ["pin"] && snapshot.changed == time(5)
    }
    try await promise("one that is assigned stays") {
        try await store.removeSecret(named: "pin", expected: .any, author: "a", now: time(6)) == .inUse("assignments")
    }
    try await promise("the device may have it") {
        let found = try await store.assignedSecret("pin", version: 1, to: device.key)
        let released = try await store.recordRelease(
            of: "pin", version: 1, owner: nil, to: device.key, now: time(6))
        return found?.kept.version == 1 && found?.device.id == device.key && released
    }
    let second = try accepted(try await store.putSecret(secretDraft("pin", 2), expected: .any, keeping: 3))
    try await promise("a new version is told to its groups") { second.groups == ["g"] }
    try await promise("and the one before is gone at once") {
        let found = try await store.assignedSecret("pin", version: 1, to: device.key)
        let released = try await store.recordRelease(
            of: "pin", version: 1, owner: nil, to: device.key, now: time(6))
        return found == nil && !released
    }
    _ = try accepted(try await store.unassign(app: "com.example.app", from: "g", now: time(7)))
    let left = try await store.secretAssignments(SecretAssignmentFilter(), PageRequest())
    try await promise("it goes with the app") { left.items.isEmpty }
    try await promise("and the device may not have it any more") {
        try await store.assignedSecret("pin", version: 2, to: device.key) == nil
    }
}

func secretDraft(_ name: String, _ number: Int, kind: Secret.Kind = .password, key: String = "k1") -> SecretDraft {
    SecretDraft(
        name: name, kind: kind, description: SecretDescription(), author: "author \(number)", now: time(3),
        seal: { version in
            SealedSecret(
                masterKeyID: key, wrappedKey: Data("key \(name) \(version)".utf8), sealed: Data("v\(version)".utf8))
        })
}
