/// Walks strict DER, one element after the other, as far as certificates need it.
struct DERReader {
    struct Element {
        let tag: UInt8
        let content: ArraySlice<UInt8>

        /// Header and content.
        let whole: ArraySlice<UInt8>
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element; nil when there is none, or none that is strict DER.
    mutating func next() -> Element? {
        var bytes = rest
        guard let tag = bytes.popFirst(), tag & 0x1f != 0x1f, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let digits = Int(first & 0x7f)
            guard (1...4).contains(digits), bytes.count >= digits, bytes.first != 0 else { return nil }
            length = bytes.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            bytes = bytes.dropFirst(digits)
        }
        guard length <= bytes.count else { return nil }
        let content = bytes.prefix(length)
        defer { rest = bytes.dropFirst(length) }
        return Element(tag: tag, content: content, whole: rest[rest.startIndex..<content.endIndex])
    }

    /// The next element, if it has this tag.
    mutating func next(_ tag: UInt8) -> Element? {
        guard rest.first == tag else { return nil }
        return next()
    }

    /// The content of the next element, if it has this tag.
    mutating func enter(_ tag: UInt8) -> DERReader? {
        next(tag).map { DERReader($0.content) }
    }
}
