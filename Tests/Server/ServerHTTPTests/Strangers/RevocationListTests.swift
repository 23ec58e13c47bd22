import CertificateAuthority
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import Testing
import Waiting

@testable import ServerHTTP

/// A11: the list of revoked certificates is made once, however many strangers ask for it at the same moment.
@Suite struct RevocationListTests {
    @Test func `one list is made at a time, and ahead of its time while the one before is given out`() async throws {
        let clock = TestClock(stands: true)
        let made = Mutex(0)
        let gate = Gate()
        let lists = RevocationLists(
            authority: try SharedAuthority.identityAuthority(), work: SlowWork(limits: ServerLimits()),
            now: { clock.now }
        ) {
            made.withLock { $0 += 1 }
            await gate.pass()
            return []
        }
        // Should the test fail, nobody is left waiting.
        defer { gate.open() }
        let first = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            for _ in 0..<50 { group.addTask { try await lists.current() } }
            try await eventually("a list is being made") { gate.waiting > 0 }
            gate.open()
            var all: Set<ByteBuffer> = []
            for try await list in group { all.insert(list) }
            #expect(all.count == 1)
            return try #require(all.first)
        }
        #expect(made.withLock { $0 } == 1)
        gate.close()
        clock.advance(by: 50)
        for _ in 0..<50 { #expect(try await lists.current() == first) }
        try await eventually("the next list is being made") { gate.waiting > 0 }
        gate.open()
        #expect(made.withLock { $0 } == 2)
        // The next one is there before the one before has had its time.
        try await eventually("the next list is given out") { try await lists.current() != first }
        #expect(made.withLock { $0 } == 2)
        clock.advance(by: 61)
        _ = try await lists.current()
        #expect(made.withLock { $0 } == 3, "and none is given out that is older")
    }

    /// A peer that reads slowly makes the server keep no more than what is written at once.
    @Test(arguments: [0, 1, 64 * 1024, 64 * 1024 + 1, 200_000])
    func `a list is written in pieces, none of them large`(_ count: Int) async throws {
        let list = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let pieces = Pieces()
        let body = RevocationListRoute.body(list)
        #expect(body.contentLength == count)
        try await body.write(pieces)
        #expect(pieces.written.allSatisfy { $0.readableBytes <= 64 * 1024 })
        let whole = pieces.written.reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1) }
        #expect(whole == list && pieces.isFinished)
    }

    @Test func `an address fetches the list so often`() async throws {
        var limits = ServerLimits.patient
        limits.revocationListFetches = 2
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                for status: UInt in [200, 200, 429] {
                    #expect(try await client.send("GET", server.baseURL + "/pki/crl").status == status)
                }
            }
        }
    }
}

/// Takes an answer's body in the pieces in which it is written.
private final class Pieces: ResponseBodyWriter {
    private(set) var written: [ByteBuffer] = []
    private(set) var isFinished = false

    func write(_ piece: ByteBuffer) async throws { written.append(piece) }
    func finish(_ trailingHeaders: HTTPFields?) async throws { isFinished = true }
}

/// Holds those who make a list until it is open.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        await withCheckedContinuation { one in
            let passes = state.withLock { state in
                if !state.isOpen { state.waiting.append(one) }
                return state.isOpen
            }
            if passes { one.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    func close() { state.withLock { $0.isOpen = false } }
}
