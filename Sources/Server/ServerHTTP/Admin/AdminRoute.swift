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
        case propertyList
        /// Bytes that mean nothing here.
        case bytes
        /// Comma-separated values.
        case table
        /// JSON, or the property list itself.
        case jsonOrPropertyList(Schema)
    }

    /// What an answer carries.
    enum Answer: Sendable {
        case nothing
        case json(Schema)
        case propertyList
    }

    let method: HTTPRequest.Method
    /// Under `/api/v1`, with parameters in braces.
    let path: String
    /// What the operation is called in generated clients.
    let operation: String
    let summary: String
    var query: [QueryParameter] = []
    var body: Body?
    var status: HTTPResponse.Status = .ok
    var answer: Answer = .nothing
    /// The handler itself judges `If-Match` and `If-None-Match`, in one step with its change.
    var judgesConditions = false
    let service: Service

    /// The names in braces.
    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}

/// A parameter in a query string.
struct QueryParameter: Sendable {
    let name: String
    let schema: Schema
    let summary: String

    /// The two that every list takes.
    static let paging = [
        QueryParameter(name: "cursor", schema: .string, summary: "The `next` of the page before."),
        QueryParameter(name: "limit", schema: .integer, summary: "At most so many items, up to 500; 100 without it."),
    ]
}
