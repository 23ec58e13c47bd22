import DeviceMessages
import Foundation
import InputBounds
import Management

/// A webhook that asks for feedback has a second place, which moves with the record of its deliveries.
package func storeContractWebhookFeedback(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.putApp(App(bundleIdentifier: "com.example.a", name: "A", teamIdentifier: nil), now: time(0))
    func report(_ life: String, at seconds: Int) async throws {
        let moment = time(TimeInterval(seconds))
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = [
            AppFeedbackStatus(
                life: life, app: "com.example.a", feedback: PropertyListValue.dictionary([:]).xml(), from: moment,
                to: moment)
        ]
        let report = ReceivedReport(
            received: moment, sha256: digest(seconds), size: 1, isFull: false, document: nil)
        _ = try await store.recordStatus(update, report: report, device: "D1")
    }
    func settings(_ events: String...) -> WebhookSettings {
        WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: events))
    }
    let draft = WebhookDraft(name: "w", author: "admin", now: time(2)) { _, number in
        SealedSecret(masterKeyID: "k", wrappedKey: Data([UInt8(number)]), sealed: Data([2]))
    }
    try await report("before", at: 1)
    let webhook = try accepted(try await store.addWebhook(draft, settings("app.feedback", "group.*"), limit: 1))
    func work(at seconds: TimeInterval) async throws -> WebhookWork? {
        try await store.nextWebhookWork(for: webhook.number, now: time(seconds))
    }
    func name(_ work: WebhookWork?) -> String? {
        switch work?.event {
        case .entry(let entry): entry.subject
        case .feedback(let record): record.status.life
        case .ordered, nil: nil
        }
    }
    try await promise("nothing from before is due") {
        try await store.dueWebhooks(now: time(2)).numbers == [] && webhook.waiting == 0
    }
    _ = try await store.addGroup(named: "g", now: time(3))
    try await report("a", at: 4)
    try await report("a", at: 5)
    try await report("b", at: 6)
    try await promise("entries and feedback wait together, each life once") {
        let due = try await store.dueWebhooks(now: time(6)).numbers
        let waiting = try await store.webhook(named: "w")?.waiting
        return due == [webhook.number] && waiting == 3
    }
    guard let entry = try await work(at: 7) else { return }
    try await promise("the older one is first") { name(entry) == "g" }
    try await store.settleWebhook(entry, .status(200), now: time(7), jitter: 1)
    guard let first = try await work(at: 8) else { return }
    try await promise("then feedback, in its order") { name(first) == "a" }
    try await store.settleWebhook(first, .status(500), now: time(8), jitter: 1)
    try await promise("after a failure the same is next, when its pause is over") {
        let early = try await work(at: 9)
        let late = try await work(at: 13)
        return early == nil && name(late) == "a"
    }
    try await store.settleWebhook(first, .status(200), now: time(13), jitter: 1)
    try await promise("a delivery moves it on, once, and has one row") {
        try await store.settleWebhook(first, .status(500), now: time(14), jitter: 1)
        let next = try await work(at: 14)
        let rows = try accepted(try await store.webhookDeliveries(of: "w", PageRequest())).items
        let present = try await store.webhook(named: "w")
        return name(next) == "b" && rows.map(\.attempts) == [2, 1] && rows.allSatisfy { $0.state == .delivered }
            && rows.first?.sequence == nil && rows.first?.feedback == present?.feedback?.cursor
    }
    guard let second = try await work(at: 15) else { return }
    try await store.settleWebhook(second, .status(500), now: time(15), jitter: 1)
    try await report("c", at: 16)
    let late = 91.0 * 24 * 3_600
    try await store.prune(Retention(), now: time(late))
    try await promise("what is deleted before it was delivered is counted, and waits no more") {
        let present = try await store.webhook(named: "w")
        let next = try await work(at: late)
        let waiting = try await store.counts().deliveries[.waiting]
        return present?.feedback?.skipped == 2 && present?.waiting == 0 && next == nil && waiting ?? 0 == 0
    }
    try await promise("nor does what was deleted while it was on its way") {
        try await store.settleWebhook(second, .status(500), now: time(late), jitter: 1)
        return try await store.counts().deliveries[.waiting] ?? 0 == 0
    }
    try await promise("what is asked for no more is not sent, and later nothing from meanwhile") {
        let without = try accepted(
            try await store.setWebhook(
                named: "w", to: settings("group.*"), isEnabled: true, author: "admin", now: time(late)))
        let with = try accepted(
            try await store.setWebhook(
                named: "w", to: settings("app.feedback"), isEnabled: true, author: "admin", now: time(late)))
        return without.feedback == nil && with.feedback?.skipped == 0 && with.waiting == 0
    }
}
