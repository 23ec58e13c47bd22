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
    try await promise("the webhook is disabled and has no secret") {
        _ = try await store.orderWebhookDelivery(of: "w", entry: nil, limit: 5, author: "admin", now: time(3))
        let work = try await store.nextWebhookWork(for: webhook.number, now: time(3))
        return try await store.webhook(named: "w")?.course.disabled != nil && work?.secrets.isEmpty == true
    }
    try await promise("the push credential is gone") { try await store.pushCredential() == nil }
    try await promise("each is in the audit log, by the operator") {
        let entries = try await store.auditEntries(after: last, limit: 4)
        return entries.map(\.action) == [
            "secret.forget", "webhook.secret.forget", "push-credential.remove", "master-key.forget",
        ] && entries.map(\.subject) == ["a", "w", "t", "lost"] && entries.allSatisfy { $0.actor == "operator" }
    }
    try await promise("a secret is set anew under the next number") {
        let again = try accepted(
            try await store.putSecret(secretDraft("a", 2, key: "held"), expected: .any, keeping: 3))
        return again.value.current.number == 2
    }
}
