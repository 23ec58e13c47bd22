import HTTPTypes
import Hummingbird
import Management

/// One route of the administrator's API: how it is served and how it is described, in one place.
///
/// The same table registers the routes and writes the OpenAPI document, so that neither can forget one.
struct AdminRoute: Sendable {
    enum Service: Sendable {
        /// For everybody.
        case open(@Sendable (Request, MartletContext) async throws -> Response)
        /// For an administrator who may still have to change the one-time password.
        case anySession(@Sendable (AdminCall) async throws -> Response)
        /// For an administrator.
        case session(@Sendable (AdminCall) async throws -> Response)
    }

    /// What a request carries.
    enum Body: Sendable {
        case json(Schema)
        /// A JSON merge patch (RFC 7396): what it does not mention stays, and `null` takes away.
        case mergePatch(Schema)
        case propertyList
        /// Bytes that mean nothing here.
        case bytes
        /// Comma-separated values.
        case table
        /// JSON, or the property list itself.
        case jsonOrPropertyList(Schema)
    }

    /// What an answer carries.
    enum Answer: Sendable, Equatable {
        case nothing
        case json(Schema)
        case propertyList
        /// Events that have this as their data, for as long as somebody listens.
        case events(Schema)
        /// A value of JSON in each line.
        case jsonLines(Schema)
        /// A page for people.
        case html
    }

    let method: HTTPRequest.Method
    /// Under `/api/v1`, with parameters in braces.
    let path: String
    /// What the operation is called in generated clients.
    let operation: String
    let summary: String
    var query: [QueryParameter] = []
    var headers: [HeaderParameter] = []
    var body: Body?
    var status: HTTPResponse.Status = .ok
    var answer: Answer = .nothing
    /// The handler itself judges `If-Match` and `If-None-Match`, in one step with its change.
    var judgesConditions = false
    /// It changes nothing, whatever its method is.
    var isReading = false
    /// Its answer has the tag of the version that it made, for the next change's `If-Match`.
    var tellsVersion = false
    /// With which it may say no beside what follows from its method, path and body.
    var moreRefusals: [HTTPResponse.Status] = []
    let service: Service

    var changesNothing: Bool { method == .get || isReading }

    /// The `GET` of the same path, whose tag a conditional request is compared with.
    func twin(in routes: [AdminRoute]) -> AdminRoute? {
        method == .get ? nil : routes.first { $0.method == .get && $0.path == path }
    }

    /// The shape of a body of JSON.
    var bodySchema: Schema {
        switch body {
        case .json(let schema), .mergePatch(let schema), .jsonOrPropertyList(let schema): schema
        case .propertyList, .bytes, .table, nil: .any
        }
    }

    /// The names in braces.
    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}

/// A header that a request has to have, or may have.
struct HeaderParameter: Sendable {
    /// What its value may be.
    enum Value: Sendable {
        case any
        /// What a regular expression matches.
        case matching(String)
        case only(String)
    }

    let name: String
    let value: Value
    let isRequired: Bool
    let summary: String
}

/// A parameter in a query string.
struct QueryParameter: Sendable {
    let name: String
    let schema: Schema
    let summary: String
    var isRequired = false

    /// The two that every list takes.
    static let paging = [
        QueryParameter(
            name: "cursor", schema: .string,
            summary: "The `next` of the page before; one from before a restore is refused."),
        QueryParameter(
            name: "limit", schema: .whole(1...PageRequest.largest),
            summary: "How many items at most, up to 500; 100 if left out."),
    ]

    /// The two that a list takes that is short: it is whole without them.
    static let cutting = [
        paging[0],
        QueryParameter(
            name: "limit", schema: .whole(1...PageRequest.largest), summary: "At most so many items; all without it."),
    ]
}
