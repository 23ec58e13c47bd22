import AdminMessages
import Foundation
import Synchronization
import Testing
import Waiting

@testable import ServerHTTP

/// Changes of one thing, one after the other.
@Suite(.timeLimit(.minutes(10))) struct TurnTests {
    private let thing = ["thing"]
    /// Nobody who gets a turn waits for so long; who is forgotten in a line leaves it then, and is missed.
    private static let long = Duration.seconds(300)

    @Test func oneIsAtWorkAtATimeAndEverybodyGetsTheirTurn() async {
        let turns = Turns(mostWaiting: 100, longest: Self.long)
        let work = Work()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    #expect(await turns.take(thing) == .turn)
                    let together = work.begin()
                    #expect(together == 1)
                    await Task.yield()
                    work.end()
                    turns.leave(thing)
                }
            }
        }
        #expect(work.done == 50)
        #expect(turns.areIdle)
    }

    /// How many are at work, and how often somebody was.
    private final class Work: Sendable {
        private let count = Mutex((now: 0, done: 0))

        var done: Int { count.withLock { $0.done } }

        func begin() -> Int {
            count.withLock { count in
                count.now += 1
                return count.now
            }
        }

        func end() {
            count.withLock { count in
                count.now -= 1
                count.done += 1
            }
        }
    }

    @Test func differentThingsDoNotWaitForOneAnother() async {
        let turns = Turns(mostWaiting: 0, longest: Self.long)
        #expect(await turns.take(["a", "b"]) == .turn)
        #expect(await turns.take(["a", "c"]) == .turn)
        #expect(await turns.take(["ab"]) == .turn)
    }

    @Test func whoFindsAFullLineIsSentAway() async throws {
        let turns = Turns(mostWaiting: 2, longest: Self.long)
        #expect(await turns.take(thing) == .turn)
        try await withThrowingTaskGroup(of: Turns.Place.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let place = await turns.take(thing)
                    turns.leave(thing)
                    return place
                }
            }
            try await eventually("two wait") { turns.waiting(for: thing) == 2 }
            #expect(await turns.take(thing) == .full)
            turns.leave(thing)
            for try await place in group { #expect(place == .turn) }
        }
        #expect(turns.areIdle)
    }

    @Test func whoWaitsTooLongIsSentAwayAndLeavesTheLine() async {
        let turns = Turns(mostWaiting: 2, longest: .milliseconds(1))
        #expect(await turns.take(thing) == .turn)
        let waiting = Task { await turns.take(thing) }
        let alarm = Task {
            try await Task.sleep(for: Self.long)
            waiting.cancel()
        }
        #expect(await waiting.value == .late)
        alarm.cancel()
        #expect(turns.waiting(for: thing) == 0)
        turns.leave(thing)
        #expect(turns.areIdle)
    }

    @Test func whoIsCancelledLeavesTheLineToTheOthers() async throws {
        let turns = Turns(mostWaiting: 2, longest: Self.long)
        #expect(await turns.take(thing) == .turn)
        let gone = Task { await turns.take(thing) }
        try await eventually("one waits") { turns.waiting(for: thing) == 1 }
        async let next = turns.take(thing)
        try await eventually("two wait") { turns.waiting(for: thing) == 2 }
        gone.cancel()
        #expect(await place(of: gone, turns) == .cancelled)
        #expect(turns.waiting(for: thing) == 1)
        turns.leave(thing)
        #expect(await next == .turn)
        turns.leave(thing)
        #expect(turns.areIdle)
    }

    /// A task that was canceled before it asked is not in the line either.
    @Test func whoWasCancelledBeforeDoesNotStandInTheLine() async {
        let turns = Turns(mostWaiting: 2, longest: Self.long)
        #expect(await turns.take(thing) == .turn)
        let gone = Task {
            while !Task.isCancelled { await Task.yield() }
            return await turns.take(thing)
        }
        gone.cancel()
        #expect(await place(of: gone, turns) == .cancelled)
        #expect(turns.waiting(for: thing) == 0)
    }

    /// What came of the wait of somebody who was canceled; who was not called out of the line gets the turn in the end.
    private func place(of gone: Task<Turns.Place, Never>, _ turns: Turns) async -> Turns.Place {
        let alarm = Task {
            try await Task.sleep(for: Self.long)
            turns.leave(thing)
        }
        defer { alarm.cancel() }
        return await gone.value
    }

    /// A turn that comes as the wait ends belongs to somebody: a thing that nobody is at work on is free.
    @Test func aTurnIsNotLostAtTheEndOfAWait() async {
        let turns = Turns(mostWaiting: 100, longest: .microseconds(200))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<200 {
                        guard await turns.take(thing) == .turn else { continue }
                        if round % 2 == 0 { try? await Task.sleep(for: .microseconds(100)) }
                        turns.leave(thing)
                    }
                }
            }
        }
        #expect(turns.areIdle)
    }

    /// However an address is written, it is one thing.
    @Test func aChangeThatFindsAFullLineIsToldToComeLater() async throws {
        var limits = ServerLimits.patient
        limits.waitingForOne = 1
        limits.turn = Self.long
        try await expect(
            refused: 2, of: ["/apps/com.example.new", "/apps/com.example.n%65w"], limits, code: "too-many-wait",
            saying: "1 may wait")
    }

    @Test func aChangeThatWaitsTooLongIsToldToComeLater() async throws {
        var limits = ServerLimits.patient
        limits.turn = .milliseconds(1)
        try await expect(
            refused: 3, of: ["/apps/com.example.new"], limits, code: "turn-is-late", saying: "longer than 0 s")
    }

    /// Four change one thing while the first cannot be written: so many are refused, and the others served in the end.
    private func expect(
        refused: Int, of paths: [String], _ limits: ServerLimits, code: String, saying rule: String
    ) async throws {
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let body = try AdminJSON.encode(App(bundleIdentifier: "com.example.new", name: "A"))
                try await HeldWriter.of(server.store) { writer in
                    try await withThrowingTaskGroup(of: Answer.self) { group in
                        for number in 0..<4 {
                            let path = paths[number % paths.count]
                            group.addTask { try await admin.send("PUT", path, body: body) }
                        }
                        for _ in 0..<refused {
                            guard let answer = try await group.next() else { break }
                            #expect(answer.status == 503 && answer.text.contains(code), "\(answer.text)")
                            #expect(answer.text.contains(rule), "\(answer.text)")
                            #expect(answer.headers["retry-after"].flatMap { Int($0) } != nil)
                        }
                        writer.letGo()
                        for try await answer in group { #expect(answer.status == 200, "\(answer.text)") }
                    }
                }
            }
        }
    }
}
