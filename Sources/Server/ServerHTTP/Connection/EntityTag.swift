/// A strong entity tag of RFC 9110, and how conditional requests name it.
struct EntityTag: Sendable, Equatable {
    /// With its quotes, as it stands in a header.
    let text: String

    init(_ opaque: some StringProtocol) {
        text = "\"\(opaque)\""
    }

    /// Whether `If-None-Match` names this tag or any; a weak tag matches as well (RFC 9110, 13.1.2).
    func isNamed(byIfNoneMatch header: String?) -> Bool {
        header.map { isAmong(EntityTagList($0), weakly: true) } ?? false
    }

    /// Whether `If-Match` names this one or any; a weak tag never does, as a change holds for the very bytes that were seen.
    func isNamed(byIfMatch header: String) -> Bool { isAmong(EntityTagList(header), weakly: false) }

    private func isAmong(_ list: EntityTagList?, weakly: Bool) -> Bool {
        switch list {
        case .any: true
        case .tags(let tags): tags.contains { $0.text == text && (weakly || !$0.isWeak) }
        case nil: false
        }
    }
}

/// What `If-Match` or `If-None-Match` names: anything, or some tags.
enum EntityTagList: Equatable {
    struct Tag: Equatable {
        let text: Substring
        var isWeak = false
    }

    case any
    case tags([Tag])

    /// Nothing if the header is no such list: then nothing is named.
    init?(_ header: String) {
        var rest = Substring(header)
        Self.skip(" \t", &rest)
        if rest.first == "*" {
            rest.removeFirst()
            Self.skip(" \t", &rest)
            guard rest.isEmpty else { return nil }
            self = .any
            return
        }
        var tags: [Tag] = []
        while true {
            // A list may have elements with nothing in them.
            Self.skip(" \t,", &rest)
            guard !rest.isEmpty else { break }
            guard let tag = Self.tag(&rest) else { return nil }
            tags.append(tag)
            Self.skip(" \t", &rest)
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
        self = .tags(tags)
    }

    /// Takes a tag from the beginning; what is between its quotes may be anything but a quote, a comma, too.
    private static func tag(_ rest: inout Substring) -> Tag? {
        let isWeak = rest.hasPrefix("W/")
        if isWeak { rest.removeFirst(2) }
        guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return Tag(text: rest[...end], isWeak: isWeak)
    }

    private static func skip(_ characters: String, _ rest: inout Substring) {
        rest = rest.drop { characters.contains($0) }
    }
}
