package import Foundation

/// What is sent to webhooks, and what came of it.
extension Management {
    /// Which webhooks something can be sent to now, in how long the next can, and which there are.
    package func dueWebhooks() async throws -> (numbers: [Int], wait: TimeInterval?, present: [Int]) {
        // A step of the clock neither has all of them tried at once nor lets them wait for it.
        let now = clock.steady
        let due = try await store.dueWebhooks(now: now)
        return (due.numbers, due.next.map { max(0, $0.timeIntervalSince(now)) }, due.present)
    }

    /// The next request to a webhook, signed; nothing if there is none now.
    package func nextWebhookRequest(for number: Int) async throws -> WebhookRequest? {
        while let work = try await store.nextWebhookWork(for: number, now: clock.steady) {
            let sent = now()
            let message: WebhookMessage
            switch work.event {
            case .entry(let entry), .ordered(_, let entry?): message = WebhookMessage(entry, sent: sent)
            case .feedback(let record): message = WebhookMessage(record, sent: sent)
            case .ordered(let delivery, nil) where delivery.sequence != nil:
                try await settle(work, .fault(.forgotten))
                continue
            case .ordered(let delivery, nil):
                message = WebhookMessage(test: delivery.number, of: work.name, created: delivery.created, sent: sent)
            }
            // The operator may let webhooks reach less than when it was set.
            guard let address = try? WebhookAddress(parsing: work.url, settings.webhookPolicy) else {
                try await settle(work, .fault(.notAllowed))
                continue
            }
            // Nothing goes out that the receiver cannot check.
            guard !work.secrets.isEmpty else {
                try await settle(work, .fault(.secretLost))
                continue
            }
            return WebhookRequest(
                work: work, address: address, headers: message.headers(signedBy: try open(work.secrets)),
                body: message.body)
        }
        return nil
    }

    /// Writes down what came of a request.
    package func settle(_ request: WebhookRequest, _ answer: WebhookAnswer) async throws {
        try await settle(request.work, answer)
    }

    /// How many webhooks fare how.
    package func webhookStandings() async throws -> [Webhook.Standing: Int] {
        try await store.webhooks().reduce(into: [:]) { $0[$1.standing, default: 0] += 1 }
    }

    /// What webhooks may reach.
    package var webhookPolicy: AddressPolicy { settings.webhookPolicy }

    private func open(_ kept: [KeptSecret]) throws -> [WebhookSecret] {
        func opened(_ keys: MasterKeys) throws -> [WebhookSecret] {
            try kept.map {
                WebhookSecret(bytes: try keys.open($0.secret, secret: $0.name, version: $0.version))
            }
        }
        do {
            return try opened(masterKeys.present)
        } catch SealRefusal.unknownMasterKey {
            // Another process has begun to wrap under a newer key.
            return try opened(masterKeys.reload())
        }
    }

    private func settle(_ work: WebhookWork, _ answer: WebhookAnswer) async throws {
        try await store.settleWebhook(work, answer, now: steadyMoment, jitter: jitter())
    }

    /// From 0 to 1.
    private func jitter() -> Double {
        let bytes = random(2)
        return Double(bytes.reduce(0) { $0 << 8 | Int($1) }) / 65_535
    }
}
