import Hummingbird

/// Changes of one thing are made one after the other: what a condition found is still there when the change is made.
///
/// Where the store itself judges conditions, in the transaction that changes, nobody waits here. One server serves a store,
/// so that a turn in its memory is enough.
actor Turns {
    /// Those who wait for the one who has the turn, by what the turn is of.
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    func inTurn<Value: Sendable>(
        of thing: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        if waiting[thing] == nil {
            waiting[thing] = []
        } else {
            await withCheckedContinuation { waiting[thing, default: []].append($0) }
        }
        defer { hand(on: thing) }
        return try await body()
    }

    private func hand(on thing: String) {
        guard var others = waiting[thing], !others.isEmpty else {
            waiting[thing] = nil
            return
        }
        let next = others.removeFirst()
        waiting[thing] = others
        next.resume()
    }
}

extension AdminAPI {
    /// Serves a change of what has a tag in its turn; its body is read before, so that nobody waits for a slow sender.
    func inTurn(_ call: AdminCall, _ twin: AdminRoute?, _ serve: @escaping Serve) async throws -> Response {
        let isOfBytes = if case .bytes = call.route.body { true } else { false }
        guard twin != nil, !call.route.judgesConditions, !isOfBytes else { return try await serve(call) }
        var call = call
        let body = try await call.request.bytes(upTo: mostBytes(of: call.route))
        call.request.body = RequestBody(buffer: ByteBuffer(bytes: body))
        return try await turns.inTurn(of: call.request.uri.path) { [call] in try await serve(call) }
    }
}
