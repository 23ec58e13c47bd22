import HTTPTypes
import InputBounds

/// The header fields of answers, as the description of the API has them.
enum OpenAPIHeaders {
    /// Those of a success.
    static func fields(of route: AdminRoute) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        if route.hasEntityTag {
            fields["ETag"] =
                route.method == .get
                ? field("Names what is answered: for `If-None-Match`, and for the `If-Match` of a change.")
                : field("Names the version that was made: for the `If-Match` of the next change.")
        }
        if route.takesKey {
            fields["Idempotency-Replayed"] = field("`true`: the change was made before, under the same key.")
        }
        if route.status == .accepted, route.answer == .json(.named("Job")) {
            fields["Location"] = field("Where the job is that goes on.")
        }
        return fields
    }

    /// Those of a refusal, if it has some of its own.
    static func fields(ofRefusal code: Int) -> [String: JSONValue]? {
        switch code {
        case 401: ["WWW-Authenticate": field("How to log in.")]
        case 415: ["Accept": field("The kinds of body that the route takes.")]
        case 409, 429, 503: ["Retry-After": field("After how many seconds it is worth another try, if that is known.")]
        default: nil
        }
    }

    private static func field(_ summary: String) -> JSONValue {
        .object(["description": .string(summary), "schema": .object(["type": .string("string")])])
    }
}
