import Foundation
import Management

/// What devices leave: the newest of each kind, sealed under the store's master key, as long as the enrollment lives.
package func storeContractEscrow(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func sealed(_ number: UInt8, key: String = "k1") -> SealedSecret {
        SealedSecret(masterKeyID: key, wrappedKey: Data([number]), sealed: Data([number, number]))
    }
    func keep(
        _ secret: SealedSecret, _ token: EscrowedToken = .bootstrap, of device: String = "D1"
    ) async throws -> Bool {
        try await store.keepEscrowedToken(secret, as: token, of: device, now: time(2))
    }
    try await promise("nothing is kept at first") { try await store.escrowedToken(.bootstrap, of: "D1") == nil }
    try await promise("nothing is kept of a device that is not there") { try await !keep(sealed(1), of: "D9") }
    try await promise("the newest of each kind is kept") {
        let kept = [try await keep(sealed(1)), try await keep(sealed(2)), try await keep(sealed(3), .unlock)]
        let bootstrap = try await store.escrowedToken(.bootstrap, of: "D1")
        let unlock = try await store.escrowedToken(.unlock, of: "D1")
        return kept == [true, true, true] && bootstrap == sealed(2) && unlock == sealed(3)
    }
    try await promise("a TokenUpdate brings one, and another without one leaves it") {
        let push = PushDetails(
            token: Data([1]), pushMagic: "m", unlockToken: sealed(4), awaitingConfiguration: true)
        let without = PushDetails(token: Data([1]), pushMagic: "m", unlockToken: nil, awaitingConfiguration: nil)
        for details in [push, without] {
            _ = try accepted(try await store.updateToken(key: "D1", userOf: nil, push: details, now: time(3)))
        }
        let waits = try await store.device("D1")?.awaitsConfiguration
        return try await store.escrowedToken(.unlock, of: "D1") == sealed(4) && waits == true
    }
    try await promise("what is given is the kept one") {
        let older = try await store.recordGiven(sealed(1), as: .bootstrap, to: "D1", now: time(4))
        let present = try await store.recordGiven(sealed(2), as: .bootstrap, to: "D1", now: time(4))
        return !older && present
    }
    try await checkMasterKeys(of: store, keeping: sealed(2))
    try await store.removeEscrowedToken(.bootstrap, of: "D1", now: time(6))
    try await store.removeEscrowedToken(.bootstrap, of: "D1", now: time(6))
    try await promise("what is taken back is gone") { try await store.escrowedToken(.bootstrap, of: "D1") == nil }
    try await promise("all of it is in the audit log, and what changed nothing is not") {
        let entries = try await store.auditEntries(AuditFilter(subject: "D1"), PageRequest()).items
        let actions = entries.map(\.action).filter { $0.hasPrefix("device.escrow.") }
        return actions.reversed() == [
            "device.escrow.keep", "device.escrow.keep", "device.escrow.keep", "device.escrow.keep",
            "device.escrow.give", "device.escrow.remove",
        ]
    }
    try await promise("tokens go with the enrollment, and none comes afterwards") {
        _ = try await store.withdraw("D1", now: time(7))
        let late = try await keep(sealed(9, key: "k2"))
        return try await store.escrowedToken(.unlock, of: "D1") == nil && !late
    }
}

private func checkMasterKeys(of store: any Store, keeping bootstrap: SealedSecret) async throws {
    try await store.setMasterKey(id: "k2")
    do {
        _ = try await store.keepEscrowedToken(bootstrap, as: .bootstrap, of: "D1", now: time(5))
        throw BrokenPromise(promise: "a token under a replaced key is not taken", file: #fileID, line: #line)
    } catch is MasterKeyReplaced {}
    try await promise("they ask for their master key") { try await store.masterKeyIDsInUse() == ["k1"] }
    try await promise("they are what a lost key locks") {
        try await store.lockedSecrets(keys: ["k2"])
            == LockedSecrets(secrets: [], webhooks: [], pushTopic: nil, escrowedTokens: 2)
    }
    let stale = try await store.secretsToRewrap(under: "k2", limit: 10)
    try await promise("they are wrapped anew under the names of their seals") {
        Set(stale.map(\.name)) == ["bootstrap-token:D1", "unlock-token:D1"]
    }
    let pairs = stale.map { kept in
        var sealed = kept.secret
        sealed.masterKeyID = "k2"
        sealed.wrappedKey += Data("new".utf8)
        return (old: kept, new: sealed)
    }
    try await store.rewrap(pairs)
    try await promise("each once") {
        let left = try await store.secretsToRewrap(under: "k2", limit: 10)
        let inUse = try await store.masterKeyIDsInUse()
        return left.isEmpty && inUse == ["k2"]
    }
    try await promise("a wrapped key is another, what is sealed the same") {
        let kept = try await store.escrowedToken(.bootstrap, of: "D1")
        return kept?.sealed == bootstrap.sealed && kept?.masterKeyID == "k2"
    }
}

/// Tokens whose master key is lost are forgotten with everything else under it, on the record.
package func storeContractLockedEscrow(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    let sealed = SealedSecret(masterKeyID: "lost", wrappedKey: Data([1]), sealed: Data([2]))
    _ = try await store.keepEscrowedToken(sealed, as: .unlock, of: "D1", now: time(1))
    try await store.setMasterKey(id: "held")
    try await promise("it is forgotten") {
        let forgotten = try await store.forgetLockedSecrets(keys: ["held"], now: time(2))
        return try await store.escrowedToken(.unlock, of: "D1") == nil && forgotten.escrowedTokens == 1
    }
    try await promise("and that is on record") {
        let entries = try await store.auditEntries(AuditFilter(action: .forgetEscrow), PageRequest()).items
        return entries.map(\.details) == ["{\"tokens\":1}"] && entries.first?.actor == "operator"
    }
}
