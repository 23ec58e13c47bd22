import Foundation
import Management

/// A command that expires: sent in its time only, and empty from its end on, whichever end that is.
package func storeContractTrials(_ make: MakeStore) async throws {
    let store = try await make()
    for (number, device) in ["D1", "D2", "D3"].enumerated() {
        _ = try await store.enrolDevice(device, certificate: number + 1)
    }
    func enqueue(_ uuid: String, on device: String = "D1", until: Int) async throws -> AdminRefusal? {
        let command = QueuedCommand(
            uuid: uuid, requestType: "t", document: Data("candidate".utf8), state: .queued, deferred: false,
            author: "admin", created: time(0), sent: nil, finished: nil, result: nil, resultTooLarge: false,
            expires: time(TimeInterval(until)))
        return try await store.enqueueTrial(command, of: TrialSubject(app: "a"), for: device, limit: 2).refusal
    }
    func kept(_ uuid: String, _ device: String = "D1") async throws -> QueuedCommand? {
        try await store.command(uuid, of: device)
    }
    func exchange(_ at: Int, _ result: CommandResult? = nil, device: String = "D1") async throws -> QueueStep {
        try await store.exchange(
            result == nil ? .idle : .finished, result: result, device: device, now: time(TimeInterval(at)))
    }
    try await promise("it is queued") { try await enqueue("a", until: 60) == nil }
    try await promise("and kept as it was given") {
        let command = try await kept("a")
        return command?.document == Data("candidate".utf8) && command?.expires == time(60)
    }
    try await promise("there are only so many") {
        let second = try await enqueue("b", until: 30)
        let third = try await enqueue("c", until: 30)
        return second == nil && third == .queueFull(limit: 2)
    }
    try await promise("it is sent while it has time") { try await exchange(29).next?.uuid == "a" }
    try await promise("its answer empties it") {
        let step = try await exchange(29, result("a", .acknowledged))
        let command = try await kept("a")
        return step.next?.uuid == "b" && command?.document.isEmpty == true && command?.state == .acknowledged
    }
    try await promise("one that has had its time is not sent, and empty") {
        let step = try await exchange(30)
        let command = try await kept("b")
        return step.next == nil && !step.hasOpenCommands && command?.document.isEmpty == true
            && command?.state == .dropped && command?.finished == time(30)
    }
    try await promise("a late answer changes nothing") {
        let step = try await exchange(31, result("b", .acknowledged))
        let state = try await kept("b")?.state
        return step.knownResult && state == .dropped
    }
    try await promise("others are sent as before") {
        _ = try accepted(try await store.enqueue(command("d"), for: "D1"))
        return try await exchange(10_000).next?.uuid == "d"
    }
    try await promise("whoever asks has all of them ended, and hears whose they were") {
        _ = try await enqueue("e", on: "D2", until: 50)
        _ = try await enqueue("f", on: "D3", until: 90)
        let none = try await store.expireCommands(now: time(49))
        let one = try await store.expireCommands(now: time(50))
        let (over, under) = (try await kept("e", "D2"), try await kept("f", "D3"))
        return none.isEmpty && one == ["D2"] && over?.document.isEmpty == true && under?.document.isEmpty == false
    }
    try await promise("a device that leaves leaves none") {
        _ = try await store.withdraw("D3", author: "admin", now: time(51))
        return try await kept("f", "D3")?.document.isEmpty == true
    }
}
