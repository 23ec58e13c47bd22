package import Foundation

/// What administrators say of webhooks.
extension Management {
    /// For how long two secrets of a webhook count at most.
    package static let longestSecretOverlap: TimeInterval = 7 * 24 * 3_600
    package static let secretOverlap: TimeInterval = 24 * 3_600

    /// Adds a webhook; its secret is shown only here.
    package func addWebhook(
        named name: String, url: String, events: [String], author: String
    ) async throws -> Outcome<IssuedWebhook, AdminRefusal> {
        guard Names.isSuitable(name) else {
            return .refused(
                .invalid(rule: "A webhook's name is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        let wanted: WebhookSettings
        do { wanted = try webhookSettings(url, events) } catch { return .refused(error) }
        let outcome = try await withWebhookSecret(name, author) { draft in
            try await store.addWebhook(draft, wanted, limit: Webhook.most)
        }
        return outcome
    }

    package func webhook(named name: String) async throws -> Webhook? { try await store.webhook(named: name) }

    /// All of them, by name.
    package func webhooks() async throws -> [Webhook] { try await store.webhooks() }

    /// Changes the address and the events of a webhook; an enabled one continues at once from its place.
    ///
    /// An address that stays is judged when a disabled webhook is enabled, or when an enabled one is to be enabled and
    /// nothing else. The operator may allow less by now: an administrator can still disable it and change its events.
    package func setWebhook(
        named name: String, url: String, events: [String], isEnabled: Bool, author: String
    ) async throws -> Outcome<Webhook, AdminRefusal> {
        let present = try await store.webhook(named: name)
        let isKept = present.map { webhook in
            let isOnlyEnabled = webhook.standing == .disabled || Set(webhook.settings.events.patterns) == Set(events)
            return webhook.settings.url == url && !(isEnabled && isOnlyEnabled)
        }
        let wanted: WebhookSettings
        do { wanted = try webhookSettings(url, events, isJudged: isKept != true) } catch { return .refused(error) }
        let outcome = try await store.setWebhook(
            named: name, to: wanted, isEnabled: isEnabled, author: author, now: moment)
        webhookBell.ring()
        return outcome
    }

    package func removeWebhook(named name: String, author: String) async throws -> AdminRefusal? {
        try await store.removeWebhook(named: name, author: author, now: moment)
    }

    /// Gives a webhook a new secret; for a while events are signed with the one before, too.
    ///
    /// One that was disabled because its secret was forgotten is enabled by it.
    package func rotateWebhookSecret(
        of name: String, overlap: TimeInterval?, author: String
    ) async throws -> Outcome<IssuedWebhook, AdminRefusal> {
        let overlap = overlap ?? Self.secretOverlap
        guard (0...Self.longestSecretOverlap).contains(overlap) else {
            return .refused(
                .invalid(rule: "Two secrets count for at most \(Int(Self.longestSecretOverlap)) seconds."))
        }
        let outcome = try await withWebhookSecret(name, author) { draft in
            try await store.rotateWebhookSecret(draft, previousUntil: draft.now + overlap)
        }
        webhookBell.ring()
        return outcome
    }

    /// What is wrong with a webhook: the result of its last attempt, or that its address is no longer allowed.
    package func problem(of webhook: Webhook) -> String? {
        if let problem = webhook.course.problem { return problem }
        let address = try? WebhookAddress(parsing: webhook.settings.url, settings.webhookPolicy)
        return address == nil ? WebhookFault.notAllowed.rawValue : nil
    }

    package func webhookDeliveries(
        of name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<WebhookDelivery>, AdminRefusal> {
        try await store.webhookDeliveries(of: name, page)
    }

    /// Has an entry sent once more, whether it was asked for or not, or a test.
    package func orderWebhookDelivery(
        of name: String, entry sequence: Int?, author: String
    ) async throws -> Outcome<WebhookDelivery, AdminRefusal> {
        let outcome = try await store.orderWebhookDelivery(
            of: name, entry: sequence, limit: WebhookDelivery.mostOrdered, author: author, now: moment)
        webhookBell.ring()
        return outcome
    }

    private func webhookSettings(
        _ url: String, _ events: [String], isJudged: Bool = true
    ) throws(AdminRefusal) -> WebhookSettings {
        let address = try isJudged ? WebhookAddress(parsing: url, settings.webhookPolicy).text : url
        return WebhookSettings(url: address, events: try WebhookEvents(parsing: events))
    }

    /// Makes a secret and has `keep` keep it sealed.
    private func withWebhookSecret(
        _ name: String, _ author: String,
        _ keep: (WebhookDraft) async throws -> Outcome<Webhook, AdminRefusal>
    ) async throws -> Outcome<IssuedWebhook, AdminRefusal> {
        let secret = WebhookSecret(bytes: random(WebhookSecret.byteCount))
        func draft() -> WebhookDraft {
            let keys = masterKeys.present
            return WebhookDraft(name: name, author: author, now: moment) { webhook, number in
                try keys.seal(secret.bytes, secret: WebhookDraft.sealName(webhook), version: number)
            }
        }
        let outcome: Outcome<Webhook, AdminRefusal>
        do {
            outcome = try await keep(draft())
        } catch is MasterKeyReplaced {
            // Another process has begun to wrap under a newer key.
            try masterKeys.reload()
            outcome = try await keep(draft())
        }
        return outcome.map { IssuedWebhook(webhook: $0, secret: secret.text) }
    }
}
