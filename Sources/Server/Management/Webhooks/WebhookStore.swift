package import Foundation

/// Webhooks, as a store keeps them.
///
/// The entries behind a webhook's cursor in the audit log wait to be sent to it, so the transaction that writes an
/// entry queues it for all webhooks at no cost. Feedback is queued in the same way, by a second cursor, for webhooks
/// that ask for it.
package protocol WebhookStore: Sendable {
    /// Adds a webhook, which is sent events from now on. Throws `MasterKeyReplaced` as `putSecret` does.
    func addWebhook(
        _ draft: WebhookDraft, _ settings: WebhookSettings, limit: Int
    ) async throws -> Outcome<Webhook, AdminRefusal>
    func webhook(named name: String) async throws -> Webhook?
    /// All of them, by name.
    func webhooks() async throws -> [Webhook]
    /// Changes the settings of a webhook, and enables or disables it.
    ///
    /// Feedback is sent from the moment at which it is first asked for. A change of the events adds no entry from before
    /// it: one is sent that was asked for when it was written and by every change since. Only a new secret enables a webhook
    /// whose secret was forgotten.
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

    /// The webhooks that have something to send.
    func dueWebhooks(now: Date) async throws -> DueWebhooks
    /// The next event for a webhook: ordered deliveries come first, then the older of the next entry and the next
    /// feedback.
    func nextWebhookWork(for number: Int, now: Date) async throws -> WebhookWork?
    /// Records the result of an attempt, the delivery and the new place, in one transaction.
    ///
    /// A delivery that is settled already does not change, and neither does a webhook that was removed meanwhile.
    func settleWebhook(_ work: WebhookWork, _ answer: WebhookAnswer, now: Date, jitter: Double) async throws
}
