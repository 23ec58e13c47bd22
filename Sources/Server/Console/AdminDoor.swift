package import AdminMessages
package import Foundation

/// The administrator's API as the console calls it, for one signed-in person: the only way in that pages have.
///
/// The server answers a call as it answers the API's clients, with the same authentication, permissions and bounds. A
/// page can do nothing that its reader could not do with the command line.
package protocol AdminDoor: Sendable {
    func answer(_ call: AdminDoorCall) async throws -> AdminDoorAnswer
}

/// A request to the API.
package struct AdminDoorCall: Sendable {
    /// Upper case, such as `GET`.
    package let method: String
    /// Under `/api/v1`, percent-encoded, with its query.
    package let path: String
    package var headers: [String: String] = [:]
    package var body: Data?

    package init(_ method: String, _ path: String, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// What the API said.
package struct AdminDoorAnswer: Sendable {
    package let status: Int
    /// As it is in the header.
    package let entityTag: String?
    package let body: Data

    package init(status: Int, entityTag: String?, body: Data) {
        self.status = status
        self.entityTag = entityTag
        self.body = body
    }
}

/// The API refused, in its own words.
package struct AdminRefused: Error {
    package let status: Int
    package let problem: Problem
}

extension AdminDoor {
    /// Reads a value.
    package func get<Value: Decodable>(_ path: String, as type: Value.Type = Value.self) async throws -> Value {
        try AdminJSON.decode(type, from: try await accepted(AdminDoorCall("GET", path)).body)
    }

    /// Reads a value with the tag under which it may be changed.
    package func tagged<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self
    ) async throws -> (value: Value, entityTag: String?) {
        let answer = try await accepted(AdminDoorCall("GET", path))
        return (try AdminJSON.decode(type, from: answer.body), answer.entityTag)
    }

    /// Sends a change; `ifMatch` is the tag of what the person saw.
    @discardableResult
    package func send(
        _ method: String, _ path: String, _ body: (any Encodable)? = nil, ifMatch: String? = nil
    ) async throws -> AdminDoorAnswer {
        var call = AdminDoorCall(method, path)
        if let body {
            call.body = try AdminJSON.encode(body)
            call.headers["Content-Type"] = "application/json"
        }
        call.headers["If-Match"] = ifMatch
        return try await accepted(call)
    }

    /// The answer, unless the API refused.
    func accepted(_ call: AdminDoorCall) async throws -> AdminDoorAnswer {
        let answer = try await answer(call)
        guard (200..<300).contains(answer.status) else {
            let problem = try? AdminJSON.decode(Problem.self, from: answer.body)
            throw AdminRefused(
                status: answer.status,
                problem: problem ?? Problem(type: "about:blank", title: "The server failed", status: answer.status))
        }
        return answer
    }
}
