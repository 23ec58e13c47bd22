import Foundation
import Management

/// What many enqueue at once arrives whole, once, and in the order of each: peers lose accepted commands here.
package func storeContractParallelEnqueue(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    let (writers, each) = (8, 50)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<writers {
            group.addTask {
                for number in 0..<each {
                    _ = try accepted(try await store.enqueue(command("\(writer)-\(number)"), for: "D1"))
                }
            }
        }
        try await group.waitForAll()
    }
    var delivered: [String] = []
    var step = try await store.exchange(.idle, result: nil, device: "D1", now: time(0))
    while let next = step.next, delivered.count <= writers * each {
        delivered.append(next.uuid)
        step = try await store.exchange(
            .finished, result: result(next.uuid, .acknowledged), device: "D1", now: time(1))
    }
    try await promise("all were delivered") {
        Set(delivered).count == writers * each && delivered.count == writers * each
    }
    for writer in 0..<writers {
        let own = delivered.filter { $0.hasPrefix("\(writer)-") }
        try await promise("in order") { own == (0..<each).map { "\(writer)-\($0)" } }
    }
    try await promise("nothing is left") { !step.hasOpenCommands }
}

/// One outstanding command, kept until its own result is there; results may come twice.
package func storeContractQueue(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func exchange(_ report: CommandQueue.Report, _ result: CommandResult? = nil) async throws -> String? {
        try await store.exchange(report, result: result, device: "D1", now: time(1)).next?.uuid
    }
    for uuid in ["a", "b", "c"] { _ = try await store.enqueue(command(uuid), for: "D1") }
    try await promise("the same command twice is one") {
        try accepted(try await store.enqueue(command("a"), for: "D1")).uuid == "a"
    }
    try await promise("the head is sent") { try await exchange(.idle) == "a" }
    try await promise("and sent again while it has no result") { try await exchange(.idle) == "a" }
    try await promise("a result of another does not move it") {
        try await exchange(.finished, result("x", .acknowledged)) == "a"
    }
    try await promise("its result does") { try await exchange(.finished, result("a", .error)) == "b" }
    try await promise("the result again changes nothing") {
        let next = try await exchange(.finished, result("a", .acknowledged))
        let state = try await store.command("a", of: "D1")?.state
        return next == "b" && state == .error
    }
    try await promise("NotNow: it is kept, another is offered") {
        try await exchange(.notNow, result("b", .notNow)) == "c"
    }
    try await promise("after the others it is offered once more, so that the device polls by itself") {
        try await exchange(.finished, result("c", .acknowledged)) == "b"
    }
    try await promise("NotNow as the last word ends the connection") {
        try await exchange(.notNow, result("b", .notNow)) == nil
    }
    try await promise("the next connection offers it again") { try await exchange(.idle) == "b" }
    try await promise("and then it is done") { try await exchange(.finished, result("b", .acknowledged)) == nil }
    try await promise("the first result counts") {
        _ = try await exchange(.finished, result("c", .error))
        return try await store.command("c", of: "D1")?.state == .acknowledged
    }
    _ = try await store.enqueue(command("d", "RestartDevice"), for: "D1")
    try await promise("but an error replaces the acknowledgement of a restart, and nothing replaces the error") {
        let sent = try await exchange(.idle)
        for verdict in [CommandResult.Verdict.acknowledged, .error, .acknowledged] {
            _ = try await exchange(.finished, result("d", verdict))
        }
        let state = try await store.command("d", of: "D1")?.state
        return sent == "d" && state == .error
    }
    let commands = try accepted(try await store.commands(of: "D1", PageRequest(limit: 2)))
    try await promise("all are listed with what came of them") {
        commands.items.map(\.state) == [.error, .acknowledged] && commands.next != nil
            && commands.items.first?.result == Data("r".utf8)
    }
    try await promise("a finished one may be removed") { try await store.removeCommand("a", of: "D1") == nil }
    try await promise("once") { try await store.removeCommand("a", of: "D1") == .unknownCommand }
    try await promise("an unknown device has no queue") {
        try await store.enqueue(command("a"), for: "D9").refusal == .unknownDevice
    }
}

/// A command that was sent can be taken back: the others go on, and an answer that comes later is kept beside its state.
///
/// Red while a command that a device was given could not be removed: one whose answer was refused held up the queue forever.
package func storeContractRetiredCommand(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func exchange(_ report: CommandQueue.Report, _ result: CommandResult? = nil) async throws -> String? {
        try await store.exchange(report, result: result, device: "D1", now: time(1)).next?.uuid
    }
    for uuid in ["a", "b", "c"] { _ = try await store.enqueue(command(uuid), for: "D1") }
    try await promise("the head is sent") { try await exchange(.idle) == "a" }
    try await promise("it can be taken back") { try await store.removeCommand("a", of: "D1") == nil }
    try await promise("it is retired, and its record stays") {
        let command = try await store.command("a", of: "D1")
        return command?.state == .retired && command?.finished != nil && command?.result == nil
    }
    try await promise("the next one is offered") { try await exchange(.idle) == "b" }
    try await promise("so can one that the device put off") {
        let next = try await exchange(.notNow, result("b", .notNow))
        let refusal = try await store.removeCommand("b", of: "D1")
        let state = try await store.command("b", of: "D1")?.state
        return next == "c" && refusal == nil && state == .retired
    }
    try await promise("NotNow is no answer to it") {
        _ = try await exchange(.notNow, result("a", .notNow))
        return try await store.command("a", of: "D1")?.result == nil
    }
    try await promise("a later answer is kept, and changes neither state nor queue") {
        let next = try await exchange(.finished, result("a", .error))
        let command = try await store.command("a", of: "D1")
        return next == "c" && command?.state == .retired && command?.result == Data("r".utf8)
    }
    try await promise("then its record may be removed") { try await store.removeCommand("a", of: "D1") == nil }
    try await promise("and is gone") { try await store.command("a", of: "D1") == nil }
}
