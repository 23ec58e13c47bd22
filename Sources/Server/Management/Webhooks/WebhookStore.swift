package import Foundation

/// Webhooks, as a store keeps them.
///
/// What waits for one is what stands behind its cursor in the audit log, so that an entry is in the outbox of all of them
/// in the transaction that writes it, at no cost.
package protocol WebhookStore: Sendable {
    /// Adds one that is told of what comes from now on. Throws `MasterKeyReplaced` as `putSecret` does.
    func addWebhook(
        _ draft: WebhookDraft, _ settings: WebhookSettings, limit: Int
    ) async throws -> Outcome<Webhook, AdminRefusal>
    func webhook(named name: String) async throws -> Webhook?
    /// All of them, by name.
    func webhooks() async throws -> [Webhook]
    /// Changes what is said of one, and enables or disables it.
    func setWebhook(
        named name: String, to settings: WebhookSettings, isEnabled: Bool, author: String, now: Date
    ) async throws -> Outcome<Webhook, AdminRefusal>
    /// Removes one with its secrets and its history.
    func removeWebhook(named name: String, author: String, now: Date) async throws -> AdminRefusal?
    /// Gives it a new secret; the one before counts until `end`, older ones no more. Throws `MasterKeyReplaced`.
    func rotateWebhookSecret(_ draft: WebhookDraft, previousUntil end: Date) async throws -> Outcome<
        Webhook, AdminRefusal
    >

    /// Newest first.
    func webhookDeliveries(
        of name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<WebhookDelivery>, AdminRefusal>
    /// Has an entry sent once more, or a test; at most `limit` wait.
    func orderWebhookDelivery(
        of name: String, entry sequence: Int?, limit: Int, author: String, now: Date
    ) async throws -> Outcome<WebhookDelivery, AdminRefusal>

    /// Which have something to send.
    func dueWebhooks(now: Date) async throws -> DueWebhooks
    /// What is to be sent next to one: what was ordered before what is in its turn.
    func nextWebhookWork(for number: Int, now: Date) async throws -> WebhookWork?
    /// Writes down what came of it, with the delivery and the place in the log in one transaction.
    ///
    /// What was settled before stays as it is. Nothing happens to a webhook that was removed meanwhile.
    func settleWebhook(_ work: WebhookWork, _ answer: WebhookAnswer, now: Date, jitter: Double) async throws
}
