import Foundation
import InputBounds
import Management

/// Webhooks are a place in the audit log, which moves with what is on record of their deliveries.
package func storeContractWebhooks(_ make: MakeStore) async throws {
    let store = try await make()
    let sealed = SealedSecret(masterKeyID: "k", wrappedKey: Data([1]), sealed: Data([2]))
    func draft(_ name: String, _ seconds: TimeInterval = 0) -> WebhookDraft {
        WebhookDraft(name: name, author: "admin", now: time(seconds)) { _, number in
            SealedSecret(masterKeyID: "k", wrappedKey: Data([UInt8(number)]), sealed: sealed.sealed)
        }
    }
    let groups = WebhookSettings(url: "https://a.example/", events: WebhookEvents(kept: ["group.*"]))
    _ = try await store.addGroup(named: "before", now: time(0))
    let webhook = try accepted(try await store.addWebhook(draft("w"), groups, limit: 2))
    try await promise("a name is taken once") {
        try await store.addWebhook(draft("w"), groups, limit: 2).refusal == .nameTaken
    }
    _ = try accepted(try await store.addWebhook(draft("v"), groups, limit: 2))
    try await promise("there is a bound") {
        try await store.addWebhook(draft("u"), groups, limit: 2).refusal != nil
    }
    try await promise("nothing from before is due") {
        let due = try await store.dueWebhooks(now: time(1))
        return due.numbers == [] && due.next == nil && due.present == [webhook.number, webhook.number + 1]
    }
    _ = try await store.removeWebhook(named: "v", author: "admin", now: time(1))
    _ = try await store.addGroup(named: "a", now: time(1))
    _ = try await store.addGroup(named: "b", now: time(1))
    func subject(_ work: WebhookWork?) -> String? {
        guard case .entry(let entry)? = work?.event else { return nil }
        return entry.subject
    }
    try await promise("what was asked for is due, in its order, with the secret") {
        let due = try await store.dueWebhooks(now: time(1))
        let work = try await store.nextWebhookWork(for: webhook.number, now: time(1))
        return due.numbers == [webhook.number] && subject(work) == "a"
            && work?.secrets.map(\.name) == [WebhookDraft.sealName(webhook.number)]
    }
    guard let first = try await store.nextWebhookWork(for: webhook.number, now: time(1)) else { return }
    try await store.settleWebhook(first, .status(500), now: time(2), jitter: 1)
    try await promise("after a failure it is due when its pause is over") {
        let due = try await store.dueWebhooks(now: time(3))
        let work = try await store.nextWebhookWork(for: webhook.number, now: time(3))
        return due == DueWebhooks(numbers: [], next: time(7), present: [webhook.number]) && work == nil
    }
    try await promise("a delivery moves it on, once") {
        try await store.settleWebhook(first, .status(200), now: time(8), jitter: 1)
        try await store.settleWebhook(first, .status(500), now: time(9), jitter: 1)
        let present = try await store.webhook(named: "w")
        let work = try await store.nextWebhookWork(for: webhook.number, now: time(9))
        return present?.standing == .active && subject(work) == "b"
    }
    try await promise("deliveries are counted by what came of them") {
        let before = try await store.counts().deliveries
        _ = try accepted(
            try await store.orderWebhookDelivery(of: "w", entry: nil, limit: 1, author: "admin", now: time(9)))
        let after = try await store.counts().deliveries
        guard let test = try await store.nextWebhookWork(for: webhook.number, now: time(9)) else { return false }
        try await store.settleWebhook(test, .status(200), now: time(9), jitter: 1)
        let done = try await store.counts().deliveries
        return before == [.delivered: 1] && after == [.delivered: 1, .waiting: 1] && done == [.delivered: 2]
    }
    try await promise("an entry has one row of history") {
        let page = try accepted(try await store.webhookDeliveries(of: "w", PageRequest()))
        return page.items.map(\.attempts) == [1, 2] && page.items.allSatisfy { $0.state == .delivered }
    }
    try await promise("a test that is taken is the last delivery; nothing else of how they go changes by a test") {
        func order(_ answer: WebhookAnswer, _ seconds: TimeInterval) async throws -> WebhookCourse? {
            _ = try accepted(
                try await store.orderWebhookDelivery(
                    of: "w", entry: nil, limit: 1, author: "admin", now: time(seconds)))
            guard let test = try await store.nextWebhookWork(for: webhook.number, now: time(seconds)) else {
                return nil
            }
            try await store.settleWebhook(test, answer, now: time(seconds), jitter: 1)
            return try await store.webhook(named: "w")?.course
        }
        let before = try await store.webhook(named: "w")?.course
        let failed = try await order(.status(500), 9)
        let taken = try await order(.status(200), 10)
        var expected = before
        expected?.lastDelivered = time(10)
        return before != nil && failed == before && taken == expected
    }
    try await promise("a new secret counts beside the one before until that ends") {
        _ = try await store.rotateWebhookSecret(draft("w", 10), previousUntil: time(20))
        let both = try await store.nextWebhookWork(for: webhook.number, now: time(19))?.secrets.map(\.version)
        let one = try await store.nextWebhookWork(for: webhook.number, now: time(20))?.secrets.map(\.version)
        return both == [2, 1] && one == [2]
    }
    try await promise("secrets are wrapped anew with all others") {
        let kept = try await store.secretsToRewrap(under: "l", limit: 10)
        let new = SealedSecret(masterKeyID: "l", wrappedKey: Data([9]), sealed: sealed.sealed)
        try await store.rewrap(kept.map { ($0, new) })
        let inUse = try await store.masterKeyIDsInUse()
        return kept.count == 2 && inUse == ["l"]
    }
    try await promise("what somebody else wrapped meanwhile is not wrapped over") {
        let kept = try await store.secretsToRewrap(under: "m", limit: 10)
        func wrapped(_ id: String, _ byte: UInt8) -> SealedSecret {
            SealedSecret(masterKeyID: id, wrappedKey: Data([byte]), sealed: sealed.sealed)
        }
        try await store.rewrap(kept.map { ($0, wrapped("m", 10)) })
        try await store.rewrap(kept.map { ($0, wrapped("l", 9)) })
        let other = try await store.masterKeyIDsInUse()
        let back = try await store.secretsToRewrap(under: "l", limit: 10)
        try await store.rewrap(back.map { ($0, wrapped("l", 9)) })
        return other == ["m"] && back.count == 2
    }
    try await promise("what was sealed under another key is refused") {
        do {
            _ = try await store.rotateWebhookSecret(
                WebhookDraft(name: "w", author: "admin", now: time(21)) { _, _ in
                    SealedSecret(masterKeyID: "other", wrappedKey: Data(), sealed: Data())
                }, previousUntil: time(22))
            return false
        } catch is MasterKeyReplaced {
            return true
        }
    }
    try await promise("an unknown entry is not sent again") {
        try await store.orderWebhookDelivery(of: "w", entry: 999, limit: 1, author: "admin", now: time(30)).refusal
            == .unknownEntry
    }
    try await promise("what is removed is gone") {
        let refusal = try await store.removeWebhook(named: "w", author: "admin", now: time(40))
        let left = try await store.masterKeyIDsInUse()
        let others = try await store.webhooks()
        return refusal == nil && others.isEmpty && left.isEmpty
    }
}

/// Jobs that have not ended belong to the run of the server that took them last.
package func storeContractJobs(_ make: MakeStore) async throws {
    let store = try await make()
    func job(_ id: String, of author: String = "admin") -> Job {
        Job(id: id, kind: .groupDevices, author: author, created: time(0), request: .object(["a": .integer(1)]))
    }
    _ = try accepted(try await store.addJob(job("1"), limit: 2))
    _ = try accepted(try await store.addJob(job("2", of: "other"), limit: 2))
    try await promise("no more than the limit are open") {
        try await store.addJob(job("3"), limit: 2).refusal == .tooManyWaiting(limit: 2)
    }
    try await promise("nor more of a kind than its own limit") {
        try await store.addJob(job("3"), limit: 9, limitOfKind: 2).refusal == .tooManyWaiting(limit: 2)
    }
    try await promise("they are kept as they are, newest first, an author's own alone") {
        let all = try await store.jobs(of: nil, PageRequest()).items
        let own = try await store.jobs(of: "other", PageRequest()).items
        return all == [job("2", of: "other"), job("1")] && own.map(\.id) == ["2"]
    }
    try await promise("a page goes on behind the one before") {
        let first = try await store.jobs(of: nil, PageRequest(limit: 1))
        let second = try await store.jobs(of: nil, PageRequest(after: first.next, limit: 1))
        return first.items.map(\.id) == ["2"] && second.items.map(\.id) == ["1"] && second.next == nil
    }
    try await promise("a run takes all of them, the oldest first") {
        try await store.takeJobs(by: "one", now: time(1)).map(\.id) == ["1", "2"]
    }
    let step = JobStep.part(JobProgress(done: 1, total: 3), place: Data([7]))
    try await promise("a part of it is kept, that of another run is not") {
        let other = try await store.finish(.failed("no"), of: "1", by: "two", now: time(2))
        let kept = try await store.finish(step, of: "1", by: "one", now: time(2))
        let present = try await store.job("1")
        return other?.state == .running && kept?.place == Data([7]) && present == kept
    }
    try await promise("the next run has it where it was") {
        let taken = try await store.takeJobs(by: "two", now: time(3))
        return taken.map(\.resumed) == [1, 1] && taken.first?.place == Data([7])
    }
    try await promise("another's is not one's own to cancel") {
        try await store.cancelJob("2", of: "admin", author: "admin", now: time(4)) == .unknownJob
    }
    try await promise("what was cancelled is open no more") {
        let refusal = try await store.cancelJob("1", of: nil, author: "admin", now: time(4))
        let open = try await store.takeJobs(by: "two", now: time(4)).map(\.id)
        let late = try await store.finish(step, of: "1", by: "two", now: time(5))
        return refusal == nil && open == ["2"] && late?.state == .cancelled
    }
    try await promise("they are counted by how far they are") {
        try await store.counts().jobs == [.running: 1, .cancelled: 1]
    }
    try await promise("a result is kept") {
        let done = JobStep.done(JobProgress(done: 3, total: 3), result: .object(["b": .string("c")]))
        _ = try await store.finish(done, of: "2", by: "two", now: time(6))
        let kept = try await store.job("2")
        return kept?.result == .object(["b": .string("c")]) && kept?.ended == time(6) && kept?.state == .done
    }
    try await promise("and goes when it had its time") {
        try await store.prune(Retention(), now: time(8 * 24 * 3_600))
        return try await store.jobs(of: nil, PageRequest()).items.isEmpty
    }
}
