import HTTPTypes

extension AdminRoute {
    /// Every status with which the route says no, beside 405, which is its path's.
    var refusals: [HTTPResponse.Status] {
        // A query is judged for every route, every route may fail, and each waits its turn.
        var all: Set<Int> = [400, 500, 503]
        if case .open = service {} else { all.formUnion([401, 403]) }
        // What a body names may be missing, too.
        if !parameters.isEmpty || body != nil { all.insert(404) }
        if body != nil { all.formUnion([413, 415, 422]) }
        if takesKey { all.formUnion([409, 422]) }
        // Also where nothing can be as it was seen, a condition is not passed over.
        if method != .get, !isOpen { all.insert(412) }
        // What is changed is written down, and a session is.
        if method != .get { all.insert(507) }
        return all.union(moreRefusals.map(\.code)).sorted().map { HTTPResponse.Status(code: $0) }
    }

    /// Whether the answer has a tag: by which it can be asked for again, or on which the next change can be built.
    var hasEntityTag: Bool {
        switch answer {
        case .json, .propertyList, .html: method == .get || tellsVersion
        case .nothing, .jsonLines, .events: false
        }
    }

    /// The conditions under which somebody may ask for it.
    func conditions(twin: AdminRoute?) -> [RequestCondition] {
        if method == .get { return hasEntityTag ? [.notSeen] : [] }
        // What a list was seen to be is nothing that a new thing is held to.
        guard !isOpen, judgesConditions || (twin != nil && method != .post) else { return [] }
        return method == .put || method == .patch ? [.unchanged, .absent] : [.unchanged]
    }

    /// Whether it changes something, and may be sent again under a key.
    ///
    /// A piece of a file needs none: `Content-Range` says which it is, and it is written as it comes, never held as a whole.
    var takesKey: Bool {
        if case .bytes = body { return false }
        return method != .get && !isReading && !isOpen
    }

    private var isOpen: Bool {
        if case .open = service { true } else { false }
    }
}

/// A condition of RFC 9110 that a route obeys.
enum RequestCondition: CaseIterable {
    /// An answer that is still the one that was seen is not sent again.
    case notSeen
    /// What is there is what was seen.
    case unchanged
    /// Nothing is there yet.
    case absent

    /// As the description has it.
    ///
    /// What a client remembers of an answer may be any text; on a change only what can be held is taken.
    var header: HeaderParameter {
        switch self {
        case .notSeen:
            HeaderParameter(
                name: "If-None-Match", value: .any, isRequired: false,
                summary: "The `ETag` of an answer that was seen: if it is still that, the answer is 304.")
        case .unchanged:
            HeaderParameter(
                name: "If-Match", value: .matching(#"^(\*|"[!#-~]*"(, ?"[!#-~]*")*)$"#), isRequired: false,
                summary:
                    "The `ETag` of what was seen, or `*` for anything: if something else is there, the answer is 412.")
        case .absent:
            HeaderParameter(
                name: "If-None-Match", value: .only("*"), isRequired: false,
                summary: "`*`: if something is there already, the answer is 412.")
        }
    }
}

/// What a status means wherever the API answers it.
enum RefusalMeaning {
    static let all: [Int: String] = [
        400: "The request is not what this document describes, or not JSON, a property list or a table at all.",
        401: "The request shows no session or API token that is valid.",
        403: "The role or the API token does not allow it.",
        404: "Something that the request names is not there.",
        409: "It does not go with what is there, or a request with the same `Idempotency-Key` is under way.",
        412: """
        What is there is not what `If-Match` or `If-None-Match` expects; where a change has no such parameter, nothing is.
        """,
        413: "The body is larger than the route takes.",
        415: "The body is of a kind that the route does not take; `Accept` says which it does.",
        422: "The request is as described, and a rule refuses what it says.",
        429: "Too many attempts; `Retry-After` says when to try again.",
        500: "The server failed; its log says more.",
        503: "The server is busy, or its disk cannot be written to; `Retry-After` says when to try again.",
        507: "The server has no room for it: its disk is full, or what it may take of it is.",
    ]
}
