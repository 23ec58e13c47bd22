package import AdminMessages
import Foundation
package import HTTPTypes
package import Hummingbird
import Management
import NIOCore

/// What went wrong, in the form of RFC 9457: names the rule, never what was sent.
package struct HTTPProblem: HTTPResponseError {
    package let status: HTTPResponse.Status
    /// The last part of the type URI: stable, for programs.
    package let code: String
    package let title: String
    package let detail: String?
    /// What of a configuration is refused, key by key.
    package var findings: [Finding]?
    /// Which kind of thing that the request names is not there.
    package var missing: MissingKind?
    package var headers: HTTPFields = [:]

    package init(
        _ status: HTTPResponse.Status, _ code: String, _ title: String, detail: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.headers = headers
    }

    package func response(from request: Request, context: some RequestContext) -> Response { response }

    /// As a value of the API.
    var value: Problem {
        Problem(
            type: Problem.type(of: code), title: title, status: Int(status.code), detail: detail, findings: findings,
            missing: missing)
    }

    package var response: Response {
        var fields = headers
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        let data = (try? AdminJSON.encode(value)) ?? Data()
        return Response(status: status, headers: fields, body: ResponseBody(data: data))
    }
}

extension HTTPResponse.Status {
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPProblem {
    static let notFound = HTTPProblem(.notFound, "not-found", "There is nothing here")
    static let tooLarge = HTTPProblem(
        .contentTooLarge, "too-large", "The body is larger than this route takes", headers: [.connection: "close"])
    static let nulInAddress = HTTPProblem(
        .badRequest, "invalid", "The address holds a NUL (%00), which no text may hold")
    static let readTooLong = HTTPProblem(
        .serviceUnavailable, "busy", "The server took too long to find what you asked for; ask for less, or try again",
        headers: [.retryAfter: "5"])
    /// A disk that refuses writes; `detail` has its place and its free space, for administrators who may know.
    ///
    /// 507 is for a full disk. A disk that cannot be written to for another reason gets 503: freeing space would not help.
    init(_ refusal: StoreDiskRefusal, detail: String? = nil) {
        let title = "The server cannot keep what was sent: \(refusal)"
        let (status, code): (HTTPResponse.Status, String) =
            switch refusal.cause {
            case .full: (.insufficientStorage, "full")
            case .readOnly: (.serviceUnavailable, "read-only")
            case .denied: (.serviceUnavailable, "write-denied")
            case .failing: (.serviceUnavailable, "disk-failing")
            case .unreachable: (.serviceUnavailable, "database-unreachable")
            case .moved: (.serviceUnavailable, "database-moved")
            }
        self.init(status, code, title, detail: detail, headers: [.retryAfter: "60"])
    }

    /// A database that is damaged; `detail` has its place and the remedy, for administrators who may know.
    static func damaged(detail: String? = nil) -> HTTPProblem {
        HTTPProblem(
            .serviceUnavailable, "damaged", "The server cannot answer: its database is damaged", detail: detail,
            headers: [.retryAfter: "60"])
    }

    static let busy = HTTPProblem(
        .serviceUnavailable, "busy", "The server is busy; try again", headers: [.retryAfter: "5"])
    static let tooFast = HTTPProblem(
        .tooManyRequests, "throttled", "Too many requests from this address; try again later",
        headers: [.retryAfter: "10"])
    static let broken = HTTPProblem(.internalServerError, "internal", "The server failed; its log says more")
}
