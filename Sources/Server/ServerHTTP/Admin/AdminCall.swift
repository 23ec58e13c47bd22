import AdminMessages
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Logging
import Management

/// One request of an administrator who proved who they are.
struct AdminCall: Sendable {
    var request: Request
    let context: MartletContext
    let session: SessionRecord
    /// The bearer token, for the operations on the session itself.
    let token: String
    let limits: ServerLimits
    /// What was asked for.
    let route: AdminRoute

    /// Whether who asks may do what reaches many, such as giving secrets.
    var mayManage: Bool { session.rights.allow(.manage, app: nil, group: nil) }

    /// Refuses where who asks lacks a permission, on an app and a group where it is about one, and logs that.
    func require(_ permission: Permission, app: String? = nil, group: String? = nil) throws(HTTPProblem) {
        guard session.rights.allow(permission, app: app, group: group) else { throw notAllowed() }
    }

    /// The answer to who may not do this, which the log knows of.
    func notAllowed() -> HTTPProblem {
        context.logger.notice(
            "access refused",
            metadata: [
                "rule": "not-allowed", "administrator": "\(session.administrator)", "operation": "\(route.operation)",
            ])
        return .notAllowed(session.rights)
    }

    /// A parameter of the path, decoded.
    func parameter(_ name: String) throws(HTTPProblem) -> String {
        guard let raw = context.parameters.get(name), let text = FormText.text(raw.utf8, isForm: false), !text.isEmpty
        else {
            throw HTTPProblem.notFound
        }
        return text
    }

    /// A whole number in the path; what is none names nothing.
    func number(_ name: String) throws(HTTPProblem) -> Int {
        guard let number = Int(try parameter(name)) else { throw HTTPProblem.notFound }
        return number
    }

    /// A parameter of the query.
    func query(_ name: String) -> String? {
        request.uri.queryParameters[Substring(name)].map(String.init)
    }

    /// A parameter of the query that is true or false; false without it.
    func flag(_ name: String) throws(HTTPProblem) -> Bool {
        guard let text = query(name) else { return false }
        guard let flag = Bool(text) else {
            throw HTTPProblem(.badRequest, "invalid", "The parameter “\(name)” is true or false")
        }
        return flag
    }

    /// The page that was asked for.
    func page() throws(HTTPProblem) -> PageRequest {
        let cursor = try EraTags.current.inward(cursor: query("cursor"))
        guard let text = query("limit") else { return PageRequest(after: cursor) }
        guard let limit = Int(text), (1...PageRequest.largest).contains(limit) else {
            throw HTTPProblem(
                .badRequest, "invalid", "A page's limit is a whole number from 1 to \(PageRequest.largest)")
        }
        return PageRequest(after: cursor, limit: limit)
    }

    /// The body as a value of the API, as the route describes it.
    func json<Value: Decodable>(_ type: Value.Type = Value.self, upTo limit: Int? = nil) async throws -> Value {
        let body = try await request.bytes(upTo: limit ?? limits.adminBodyBytes)
        return try AdminBody.decode(type, from: body, as: route.bodySchema)
    }

    /// What `If-Match` or `If-None-Match: *` says about the version that should be there.
    func expectedVersion(present: () async throws -> Int?) async throws -> ExpectedVersion {
        let headers = request.headers
        if headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" { return .absent }
        guard let expected = headers[.ifMatch] else { return .any }
        if let version = EntityTag.version(in: expected) { return .version(version) }
        // Any version will do, or any of several, but there must be one; from here on that very one is expected.
        guard let version = try await present(), EntityTag(version: version).isNamed(byIfMatch: expected) else {
            throw HTTPProblem.changed
        }
        return .version(version)
    }
}

/// Reads what administrators send, within bounds.
enum AdminBody {
    static func json<Value: Decodable>(
        _ type: Value.Type, of request: Request, as schema: Schema, upTo limit: Int
    ) async throws -> Value {
        try decode(type, from: await request.bytes(upTo: limit), as: schema)
    }

    /// What is not described is refused, and so is what is described otherwise: what is not done must not seem to be.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, as schema: Schema
    ) throws(HTTPProblem) -> Value {
        let value = try decoded(type, from: body)
        guard let object = try? JSONValue(parsing: body, limits: .adminBody) else {
            throw HTTPProblem(
                .badRequest, "invalid", "The body is not acceptable JSON", detail: "An object says each key once.")
        }
        if let known = schema.membersBesideUnknown(in: object) {
            throw HTTPProblem(
                .unprocessableContent, "invalid", "The body has a member that this server does not know.",
                detail: "Known are: \(known.sorted().joined(separator: ", ")).")
        }
        if let (path, wanted) = schema.mismatch(in: object) {
            let place = path.isEmpty ? "It" : "The member “\(path.joined(separator: "."))”"
            throw HTTPProblem(
                .badRequest, "invalid", "The body is not a \(type)", detail: "\(place) has to be \(wanted).")
        }
        return value
    }

    private static func decoded<Value: Decodable>(
        _ type: Value.Type, from body: Data
    ) throws(HTTPProblem) -> Value {
        do {
            try JSONScan.check(body, limits: .adminBody)
        } catch {
            throw HTTPProblem(.badRequest, "invalid", "The body is not acceptable JSON", detail: error.rule)
        }
        do {
            return try AdminJSON.decode(type, from: body)
        } catch let error as DecodingError {
            throw HTTPProblem(.badRequest, "invalid", "The body is not a \(type)", detail: rule(of: error))
        } catch let refusal as MessageRefusal {
            throw HTTPProblem(.badRequest, "invalid", "The body is not a \(type)", detail: refusal.rule)
        } catch {
            throw HTTPProblem(.badRequest, "invalid", "The body is not a \(type)")
        }
    }

    /// The rule that was broken; only keys that the API's description has are repeated.
    private static func rule(of error: DecodingError) -> String? {
        switch error {
        case .keyNotFound(let key, _): "The member “\(key.stringValue)” is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.last { $0.intValue == nil }.flatMap { key in
                AdminSchemas.memberNames.contains(key.stringValue)
                    ? "The member “\(key.stringValue)” has the wrong type." : nil
            }
        @unknown default: nil
        }
    }
}

/// Writes what administrators get.
enum AdminAnswer {
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let body = try AdminJSON.encode(value)
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if status == .ok { headers[.eTag] = tag(of: body).text }
        return Response(status: status, headers: headers, body: ResponseBody(data: body))
    }

    static func page<Record: Sendable, Item: Codable & Sendable>(
        _ page: PageRecord<Record>, _ item: (Record) throws -> Item
    ) throws -> Response {
        try json(AdminMessages.Page(items: page.items.map(item), next: EraTags.current.outward(cursor: page.next)))
    }

    /// The tag of bytes: the first half of their SHA-256.
    static func tag(of body: Data) -> EntityTag {
        EntityTag(Hexadecimal.text(SHA256.hash(data: body).prefix(16)))
    }

    /// A short list, whole or cut where the request says so.
    static func list<Item: Codable & Sendable>(
        _ items: [Item], by order: ShortList<Item>, _ call: AdminCall
    ) throws -> Response {
        guard call.query("limit") != nil || call.query("cursor") != nil else {
            return try json(AdminMessages.Page(items: items, next: nil))
        }
        let page = try order.page(of: items, call.page())
        return try json(AdminMessages.Page(items: page.items, next: EraTags.current.outward(cursor: page.next)))
    }

    /// An answer without a body.
    static let nothing = Response(status: .noContent)
}

extension HTTPProblem {
    /// A refusal; `tellsOperator` adds what only who may manage the server gets.
    init(_ refusal: AdminRefusal, tellsOperator: Bool = false) {
        let (status, code): (HTTPResponse.Status, String) =
            switch refusal.kind {
            case .missing: (.notFound, "not-found")
            case .conflict: (.conflict, "conflict")
            case .precondition: (.preconditionFailed, "changed")
            case .invalid: (.unprocessableContent, "invalid")
            case .tooLarge: (.contentTooLarge, "too-large")
            case .full: (.insufficientStorage, "full")
            case .forbidden: (.forbidden, "not-allowed")
            }
        self.init(status, code, refusal.reason, detail: tellsOperator ? refusal.operatorDetail : nil)
        missing = refusal.missing
        if case .violations(let findings) = refusal {
            self.findings = findings.map(AdminMessages.Finding.init)
        }
        if case .secretNotAsked(let mismatch) = refusal {
            self.findings = [
                AdminMessages.Finding(
                    path: mismatch.identifier, rule: mismatch.rule, message: mismatch.message,
                    suggestion: mismatch.suggestion)
            ]
        }
    }
}

extension Outcome where Refusal == AdminRefusal {
    /// The value, or the refusal as a problem.
    func get(tellingOperator: Bool = false) throws(HTTPProblem) -> Value {
        switch self {
        case .accepted(let value): return value
        case .refused(let refusal): throw HTTPProblem(refusal, tellsOperator: tellingOperator)
        }
    }
}

extension Optional where Wrapped == AdminRefusal {
    /// Nothing, or the refusal as a problem.
    func check() throws(HTTPProblem) {
        if let self { throw HTTPProblem(self) }
    }
}
