import NIOHTTP1

/// Changes of things that the API replaces as a whole: what is there is read, changed in what was asked for, and put
/// back on condition that it is still that. What is not mentioned stays.
extension Server {
    /// So often a change is made on what others changed meanwhile.
    private static let changes = 10

    /// Changes what is there, or makes it where there is none.
    ///
    /// With a condition of the administrator's it is tried once, on what they saw.
    func change<Thing: Codable, Request: Encodable>(
        _ path: [String], _ condition: IfSameOrNone, _ request: (Thing?) throws -> Request
    ) async throws -> Answer {
        guard !condition.ifNone else { return try await make(path, request(nil)) }
        let seen: SeenThing<Thing>? = try seen(condition.same)
        return try await change(path, seen: seen) { (present: Thing?, _: Failure?) throws -> Request in
            try request(present)
        }
    }

    /// Changes what is there; what is not there is refused.
    func change<Thing: Codable, Request: Encodable>(
        _ path: [String], _ condition: IfSame, _ request: (Thing) throws -> Request
    ) async throws -> Answer {
        let seen: SeenThing<Thing>? = try seen(condition)
        return try await change(path, seen: seen) { (present: Thing?, missing: Failure?) throws -> Request in
            guard let present else { throw missing ?? Self.isGone }
            return try request(present)
        }
    }

    /// Changes what is there, or makes it where there is none, whatever anybody saw.
    func change<Thing: Codable, Request: Encodable>(
        _ path: [String], _ request: (Thing?) throws -> Request
    ) async throws -> Answer {
        let seen: SeenThing<Thing>? = nil
        return try await change(path, seen: seen) { (present: Thing?, _: Failure?) throws -> Request in
            try request(present)
        }
    }

    private func change<Thing: Codable, Request: Encodable>(
        _ path: [String], seen: SeenThing<Thing>?, _ request: (Thing?, Failure?) throws -> Request
    ) async throws -> Answer {
        for _ in 1..<Self.changes where seen == nil {
            do {
                return try await changeOnce(path, seen: seen, request)
            } catch let failure as Failure where failure.isChangedMeanwhile {
                // Somebody else was quicker: theirs is changed, and not put back.
            }
        }
        return try await changeOnce(path, seen: seen, request)
    }

    private func changeOnce<Thing: Codable, Request: Encodable>(
        _ path: [String], seen: SeenThing<Thing>?, _ request: (Thing?, Failure?) throws -> Request
    ) async throws -> Answer {
        let present: Answer
        do {
            present = try await send(.get, path)
        } catch let failure as Failure where failure.status == .notFound {
            guard seen == nil else { throw Self.isGone }
            return try await make(path, request(nil, failure))
        }
        let thing: Thing = try present.decoded()
        if let seen, try !seen.isSame(as: thing) { throw Self.isAnother }
        let tag = present.headers.first(name: "ETag").map { [("If-Match", $0)] } ?? []
        return try await send(.put, path, body: Body(json: request(thing, nil)), headers: tag)
    }

    private func make(_ path: [String], _ request: some Encodable) async throws -> Answer {
        try await send(.put, path, body: Body(json: request), headers: [("If-None-Match", "*")])
    }

    private func seen<Thing: Codable>(_ condition: IfSame) throws -> SeenThing<Thing>? {
        try condition.ifSame.map { try SeenThing<Thing>(ConfigurationDocument.input(at: $0)) }
    }

    static var isGone: Failure { Failure(.refused, "there is none any more", advice: "Nothing was changed.") }

    static var isAnother: Failure {
        Failure(
            .refused, "it is not what the file says any more",
            advice: "Nothing was changed. Look at it with show, then do it again.")
    }
}
