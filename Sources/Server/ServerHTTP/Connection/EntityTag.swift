/// A strong entity tag of RFC 9110, and how conditional requests name it.
struct EntityTag: Sendable, Equatable {
    /// With its quotes, as it stands in a header.
    let text: String

    init(_ opaque: some StringProtocol) {
        text = "\"\(opaque)\""
    }

    /// Whether a header of tags, such as `If-None-Match`, names this one or any.
    func isAmong(_ header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { part in
            let tag = part.drop { $0 == " " }
            return tag == "*" || tag.prefix(while: { $0 != " " }) == text || tag == "W/\(text)"
        }
    }
}
