import Foundation
import Management

/// A request with a key is begun once, marked by what it changes, and found with its answer for a day.
package func storeContractRequests(_ make: MakeStore) async throws {
    let store = try await make()
    let (life, next) = (Data("one".utf8), Data("two".utf8))
    func begin(
        _ number: Int, _ fingerprint: Int = 1, life mine: Data? = nil, at seconds: TimeInterval = 0
    ) async throws -> RequestStanding {
        try await store.beginRequest(
            BegunRequest(
                mark: RequestMark(digest: digest(number), life: mine ?? life), principal: "anna",
                fingerprint: digest(fingerprint), now: time(seconds)))
    }
    func mark(_ number: Int, life mine: Data? = nil) -> RequestMark {
        RequestMark(digest: digest(number), life: mine ?? life)
    }
    let answer = SealedAnswer(masterKeyID: "k", sealed: Data("sealed".utf8))

    try await promise("a key is begun") { try await begin(1) == .begun }
    try await promise("while it is carried out it is not begun again") { try await begin(1) == .underWay }
    try await promise("another request has no part in it") { try await begin(1, 2) == .another }
    try await promise("what changed nothing is begun anew by the next server") {
        try await begin(1, life: next) == .begun
    }
    try await promise("and no more the earlier one's to answer") {
        try await store.keepAnswer(answer, to: mark(1))
        return try await begin(1, life: next) == .underWay
    }
    try await promise("its answer is found") {
        try await store.keepAnswer(answer, to: mark(1, life: next))
        let found = try await begin(1, life: life)
        let other = try await begin(1, 2)
        return found == .answered(answer) && other == .another
    }
    try await promise("they are counted") { try await store.counts().requests == 1 }
    try await promise("what changed something is not begun anew") {
        guard try await begin(2) == .begun else { return false }
        try await RequestMark.$current.withValue(mark(2)) { _ = try await store.addGroup(named: "g", now: time(0)) }
        let now = try await begin(2)
        let later = try await begin(2, life: next)
        return now == .underWay && later == .unanswered
    }
    try await promise("a refusal that changed nothing leaves no trace") {
        guard try await begin(3) == .begun else { return false }
        try await RequestMark.$current.withValue(mark(3)) { _ = try await store.addGroup(named: "g", now: time(0)) }
        guard try await store.endRequest(mark(3)) else { return false }
        return try await begin(3, 2) == .begun
    }
    try await promise("what ended after a change has no answer, and no end of its own") {
        guard try await !store.endRequest(mark(2)) else { return false }
        return try await begin(2) == .unanswered
    }
    try await promise("but what was answered then may still be kept, once") {
        try await store.keepAnswer(answer, to: mark(2))
        try await store.keepAnswer(SealedAnswer(masterKeyID: "k", sealed: Data("late".utf8)), to: mark(2))
        return try await begin(2) == .answered(answer)
    }
    try await promise("after a day it is a new one, although nothing was removed yet") {
        try await begin(1, 5, at: RequestLimits.seconds) == .begun
    }
    try await promise("and then it is removed") {
        try await store.prune(Retention(), now: time(RequestLimits.seconds))
        let kept = try await begin(1, 5, at: RequestLimits.seconds)
        // By a clock that was set back it would be found.
        let gone = try await begin(2, 9, at: 1)
        return kept == .underWay && gone == .begun
    }
}
