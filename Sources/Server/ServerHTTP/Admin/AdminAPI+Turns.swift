import Hummingbird

/// Changes of one thing are made one after the other: what a condition found is still there when the change is made.
///
/// Where the store itself judges conditions, in the transaction that changes, nobody waits here. One server serves a store,
/// so that a turn in its memory is enough.
extension AdminAPI {
    /// Serves a change of what has a tag in its turn; its body is read before, so that nobody waits for a slow sender.
    func inTurn(_ call: AdminCall, _ twin: AdminRoute?, _ serve: @escaping Serve) async throws -> Response {
        let isOfBytes = if case .bytes = call.route.body { true } else { false }
        guard let twin, !call.route.judgesConditions, !isOfBytes else { return try await serve(call) }
        var call = call
        let body = try await call.request.bytes(upTo: mostBytes(of: call.route))
        call.request.body = RequestBody(buffer: ByteBuffer(bytes: body))
        // By the names themselves: an address may be written in several ways.
        let thing = try [twin.path] + twin.parameters.map { try call.parameter($0) }
        switch await turns.take(thing) {
        case .turn: break
        case .full: throw HTTPProblem.lineIsFull(limits.waitingForOne)
        case .late: throw HTTPProblem.turnIsLate(limits.turn)
        case .cancelled: throw CancellationError()
        }
        defer { turns.leave(thing) }
        return try await serve(call)
    }
}

extension HTTPProblem {
    fileprivate static func lineIsFull(_ most: Int) -> HTTPProblem {
        HTTPProblem(
            .serviceUnavailable, "too-many-wait", "Too many changes of this wait already",
            detail: "Of one thing one change is made after the other, and \(most) may wait. Nothing was changed.",
            headers: [.retryAfter: "1"])
    }

    fileprivate static func turnIsLate(_ longest: Duration) -> HTTPProblem {
        HTTPProblem(
            .serviceUnavailable, "turn-is-late", "The changes of this that came before take too long",
            detail: """
                Of one thing one change is made after the other, and none waits longer than \(longest.components.seconds) s. \
                Nothing was changed.
                """, headers: [.retryAfter: "5"])
    }
}
