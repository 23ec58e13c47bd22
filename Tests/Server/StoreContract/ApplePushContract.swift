import Foundation
import Management

/// The push credential is one, sealed; targets are enrolled devices with a token that counts.
package func storeContractApplePush(_ make: MakeStore) async throws {
    let store = try await make()
    func credential(_ topic: String, key: String = "k") -> KeptPushCredential {
        KeptPushCredential(
            topic: topic, isCertificate: true, expires: time(100), author: "admin", uploaded: time(0),
            sealed: SealedSecret(masterKeyID: key, wrappedKey: Data([1]), sealed: Data([2])))
    }
    try await promise("there is none at first") { try await store.pushCredential() == nil }
    try await store.setPushCredential(credential("a"), now: time(1))
    try await store.setPushCredential(credential("b"), now: time(2))
    try await promise("the newest takes the place of the one before") {
        try await store.pushCredential() == credential("b")
    }
    try await promise("its master key is in use") { try await store.masterKeyIDsInUse() == ["k"] }
    try await promise("it is wrapped anew under another master key") {
        try await store.setMasterKey(id: "l", now: time(3))
        let kept = try await store.secretsToRewrap(under: "l", limit: 9)
        try await store.rewrap(
            kept.map { ($0, SealedSecret(masterKeyID: "l", wrappedKey: Data([9]), sealed: $0.secret.sealed)) })
        return try await store.pushCredential()?.sealed.wrappedKey == Data([9])
            && kept.map(\.name) == ["push:credential"]
    }
    try await promise("each warning is noted once, a later one after an earlier one") {
        let first = try await store.notePushWarning(topic: "b", days: 60, now: time(4))
        let again = try await store.notePushWarning(topic: "b", days: 60, now: time(5))
        let later = try await store.notePushWarning(topic: "b", days: 7, now: time(6))
        let other = try await store.notePushWarning(topic: "a", days: 0, now: time(7))
        return first && !again && later && !other
    }
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", group: "some", certificate: 2)
    func target(_ key: String, _ token: UInt8 = 1) -> PushTarget {
        PushTarget(key: key, token: Data([token]), pushMagic: "magic")
    }
    try await promise("targets are found by key, by group and all, part by part") {
        let byKey = try await store.pushTargets(["D2", "D9"])
        let byGroup = try await store.pushTargets(inGroup: "some", after: "", limit: 9)
        let first = try await store.pushTargets(inGroup: nil, after: "", limit: 1)
        let rest = try await store.pushTargets(inGroup: nil, after: "D1", limit: 9)
        return byKey == [target("D2")] && byGroup == [target("D2")] && first == [target("D1")] && rest == [target("D2")]
    }
    try await promise("only the token that was refused is retired, once") {
        let other = try await store.retirePushToken(target("D1", 7), reason: "Unregistered", now: time(8))
        let first = try await store.retirePushToken(target("D1"), reason: "Unregistered", now: time(8))
        let again = try await store.retirePushToken(target("D1"), reason: "Unregistered", now: time(8))
        let counts = try await store.pushCounts()
        let left = try await store.pushTargets(["D1"])
        return !other && first && !again && counts == PushCounts(reachable: 1, retired: 1) && left.isEmpty
    }
    func update(_ token: UInt8) async throws {
        let push = PushDetails(token: Data([token]), pushMagic: "magic", unlockToken: nil, awaitingConfiguration: false)
        _ = try accepted(try await store.updateToken(key: "D1", userOf: nil, push: push, now: time(9)))
    }
    try await promise("the same token stays retired, a newer one counts") {
        try await update(1)
        let same = try await store.pushTargets(["D1"])
        try await update(2)
        let newer = try await store.pushTargets(["D1"])
        return same.isEmpty && newer == [target("D1", 2)]
    }
    _ = try await store.withdraw("D1", author: "admin", now: time(10))
    try await promise("a withdrawn device is no target") { try await store.pushTargets(["D1"]).isEmpty }
    try await promise("it is removed once") {
        let first = try await store.removePushCredential(author: "admin", now: time(11))
        let again = try await store.removePushCredential(author: "admin", now: time(11))
        let left = try await store.pushCredential()
        return first && !again && left == nil
    }
}
