/// Why a request was refused, as RFC 9457 lays it out (`application/problem+json`).
package struct Problem: Codable, Hashable, Sendable {
    package static let mediaType = "application/problem+json"
    private static let typePrefix = "urn:martlet:problem:"

    /// Names the rule for programs: `about:blank`, or a URI reference that stays the same forever.
    package var type: String
    /// The rule in a few words, the same at every occurrence.
    package var title: String
    package var status: Int
    /// What this occurrence adds, never the refused input.
    package var detail: String?
    /// What of a configuration is refused, key by key.
    package var findings: [Finding]?
    /// Which kind of thing that the request names is not there.
    package var missing: MissingKind?

    package init(
        type: String = "about:blank", title: String, status: Int, detail: String? = nil,
        findings: [Finding]? = nil, missing: MissingKind? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.findings = findings
        self.missing = missing
    }

    /// The type of this API's problems with a code.
    package static func type(of code: String) -> String { typePrefix + code }

    /// The code in the type of a problem of this API; nothing for other types.
    package var code: String? {
        type.hasPrefix(Self.typePrefix) ? String(type.dropFirst(Self.typePrefix.count)) : nil
    }
}
