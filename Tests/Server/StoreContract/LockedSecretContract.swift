import Foundation
import Management

/// A lost master key: what it locked is named, and forgotten all at once and on the record; the rest stays.
package func storeContractLockedSecrets(_ make: MakeStore) async throws {
    let store = try await make()
    try await promise("nothing is on record at first") { try await store.masterKeyIDsOnRecord().isEmpty }
    try await store.setMasterKey(id: "lost")
    try await promise("a key is on record before anything is under it") {
        let inUse = try await store.masterKeyIDsInUse()
        return try await store.masterKeyIDsOnRecord() == ["lost"] && inUse.isEmpty
    }
    _ = try await store.putSecret(secretDraft("a", 1, key: "lost"), expected: .any, keeping: 3)
    let sealed = SealedSecret(masterKeyID: "lost", wrappedKey: Data([1]), sealed: Data([2]))
    let draft = WebhookDraft(name: "w", author: "admin", now: time(1)) { _, _ in sealed }
    let webhook = try accepted(
        try await store.addWebhook(
            draft, WebhookSettings(url: "https://example.com/a", events: WebhookEvents(kept: ["group.*"])), limit: 9))
    try await store.setPushCredential(
        KeptPushCredential(
            topic: "t", isCertificate: true, expires: time(100), author: "admin", uploaded: time(0), sealed: sealed),
        now: time(1))
    try await store.setMasterKey(id: "held")
    _ = try await store.putSecret(secretDraft("b", 1, key: "held"), expected: .any, keeping: 3)

    let all = LockedSecrets(secrets: ["a"], webhooks: ["w"], pushTopic: "t")
    try await promise("what is under another key is named") { try await store.lockedSecrets(keys: ["held"]) == all }
    try await promise("nothing is locked with all keys") {
        try await store.lockedSecrets(keys: ["held", "lost"])
            == LockedSecrets(secrets: [], webhooks: [], pushTopic: nil)
    }
    let last = try await store.auditEntries(after: 0, limit: 100).last?.sequence ?? 0
    try await promise("the same is forgotten") {
        try await store.forgetLockedSecrets(keys: ["held"], now: time(2)) == all
    }
    try await promise("the store asks for the key no more") {
        try await store.masterKeyIDsOnRecord() == ["held"]
    }
    try await promise("the secrets' names and versions stay, and so does the value of the other one") {
        let values = try await store.secretsToRewrap(under: "none", limit: 10).map(\.name)
        return try await store.secret(named: "a")?.current.number == 1 && values == ["b"]
    }
    try await promise("a secret says that its value is forgotten, and the overview names it") {
        let (a, b) = (try await store.secret(named: "a"), try await store.secret(named: "b"))
        let listed = try await store.secrets(PageRequest()).items.map(\.lacksValue)
        let named = try await store.overview(OverviewBounds(), now: time(3)).secretsWithoutValue
        return a?.lacksValue == true && b?.lacksValue == false && listed == [true, false] && named == ["a"]
    }
    try await promise("the webhook is disabled for that reason and has no secret") {
        _ = try await store.orderWebhookDelivery(of: "w", entry: nil, limit: 5, author: "admin", now: time(3))
        let work = try await store.nextWebhookWork(for: webhook.number, now: time(3))
        let reason = try await store.webhook(named: "w")?.course.disabled?.reason
        return reason == .secretForgotten && work?.secrets.isEmpty == true
    }
    try await promise("the push credential is gone") { try await store.pushCredential() == nil }
    try await promise("each is in the audit log, by the operator") {
        let entries = try await store.auditEntries(after: last, limit: 4)
        return entries.map(\.action) == [
            "secret.forget", "webhook.secret.forget", "push-credential.remove", "master-key.forget",
        ] && entries.map(\.subject) == ["a", "w", "t", "lost"] && entries.allSatisfy { $0.actor == "operator" }
    }
    try await promise("nothing but a new secret enables the webhook") {
        let events = WebhookSettings(url: "https://example.com/a", events: WebhookEvents(kept: ["group.*"]))
        let enabled = try await store.setWebhook(named: "w", to: events, isEnabled: true, author: "admin", now: time(4))
        let held = SealedSecret(masterKeyID: "held", wrappedKey: Data([3]), sealed: Data([4]))
        let draft = WebhookDraft(name: "w", author: "admin", now: time(5)) { _, _ in held }
        let rotated = try accepted(try await store.rotateWebhookSecret(draft, previousUntil: time(5)))
        return enabled.refusal != nil && rotated.standing == .active
    }
    try await promise("a secret is set anew under the next number") {
        let again = try accepted(
            try await store.putSecret(secretDraft("a", 2, key: "held"), expected: .any, keeping: 3))
        let named = try await store.overview(OverviewBounds(), now: time(6)).secretsWithoutValue
        return again.value.current.number == 2 && named.isEmpty
    }
    try await promise("a webhook that was disabled before keeps its reason, and is not enabled without a secret") {
        let events = WebhookSettings(url: "https://example.com/a", events: WebhookEvents(kept: ["group.*"]))
        _ = try await store.setWebhook(named: "w", to: events, isEnabled: false, author: "admin", now: time(7))
        _ = try await store.forgetLockedSecrets(keys: [], now: time(8))
        let reason = try await store.webhook(named: "w")?.course.disabled?.reason
        let enabled = try await store.setWebhook(named: "w", to: events, isEnabled: true, author: "admin", now: time(9))
        return reason == .administrator && enabled.refusal != nil
    }
}
