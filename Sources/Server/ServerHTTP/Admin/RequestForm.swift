import Foundation
import HTTPTypes
import Hummingbird

/// What every request of the API has to be like before its route looks at it: known keys in the query, conditions that can be held, and a body of a kind
/// that the route takes.
enum RequestForm {
    static func judge(_ request: Request, for route: AdminRoute) throws(HTTPProblem) {
        try judgeQuery(request, route)
        try judgeCondition(request, route)
        try judgeMediaType(request, route)
    }

    /// A filter that is misspelled would show everything, a `dryRun` that is would do it.
    private static func judgeQuery(_ request: Request, _ route: AdminRoute) throws(HTTPProblem) {
        let known = route.query.map(\.name)
        let rule = known.isEmpty ? "This takes no parameters." : "Known are: \(known.joined(separator: ", "))."
        var seen: Set<Substring> = []
        for (name, _) in request.uri.queryParameters {
            guard known.contains(String(name)) else {
                // What was sent is repeated as far as it can only be a name.
                let shown = name.utf8.count <= 32 && name.utf8.allSatisfy(isOfName) ? " “\(name)”" : ""
                throw HTTPProblem(
                    .badRequest, "unknown-parameter", "There is no parameter\(shown) here", detail: rule)
            }
            guard seen.insert(name).inserted else {
                throw HTTPProblem(.badRequest, "invalid", "The parameter “\(name)” may be given only once")
            }
        }
    }

    /// A condition that is not understood would be a change that holds whatever is there.
    private static func judgeCondition(_ request: Request, _ route: AdminRoute) throws(HTTPProblem) {
        guard route.method != .get, let none = request.headers[.ifNoneMatch] else { return }
        guard none.trimmingCharacters(in: .whitespaces) == "*" else {
            throw HTTPProblem(
                .badRequest, "invalid", "With a change If-None-Match is `*`",
                detail: "It says that nothing is there yet; If-Match says what is.")
        }
    }

    /// A request without a media type has the one that the route takes.
    private static func judgeMediaType(_ request: Request, _ route: AdminRoute) throws(HTTPProblem) {
        guard let body = route.body, let said = request.headers[.contentType] else { return }
        guard body.mediaTypes.contains(mediaType(in: said)) else {
            let taken = body.mediaTypes.joined(separator: ", ")
            throw HTTPProblem(
                .unsupportedMediaType, "unsupported-media-type", "The body is of a kind that this does not take",
                detail: "Taken are: \(taken).", headers: [.accept: taken])
        }
    }

    /// Without parameters such as the character set.
    static func mediaType(in header: String) -> String {
        header.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension AdminRoute.Body {
    /// The media types that the route takes.
    var mediaTypes: [String] {
        switch self {
        case .json: ["application/json"]
        case .mergePatch: ["application/merge-patch+json", "application/json"]
        case .propertyList: Self.propertyLists
        case .bytes: ["application/octet-stream"]
        case .table: ["text/csv"]
        case .jsonOrPropertyList: ["application/json"] + Self.propertyLists
        }
    }

    private static let propertyLists = ["application/xml", "application/x-plist"]
}
