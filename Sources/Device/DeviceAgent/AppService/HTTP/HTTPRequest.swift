/// One request that may be asked over `app-http.socket`: a GET without a body.
package struct HTTPRequest: Equatable, Sendable {
    /// The names between the slashes, decoded.
    package var path: [String] = []

    /// For how many seconds an answer may be waited for, if the client has the present one.
    package var wait = 0

    /// The version of the answer that the client has, as it was given it; nothing if it has none.
    package var known: String?

    /// Whether this is the connection's last.
    package var closes = false

    package init() {}
}

/// Why bytes are no such request; what was sent is not in it.
package enum HTTPRefusal: Error, Equatable, CaseIterable {
    case malformed, tooLarge, method, version, body

    /// The status line's number and words.
    package var status: String {
        switch self {
        case .malformed: "400 Bad Request"
        case .tooLarge: "431 Request Header Fields Too Large"
        case .method: "405 Method Not Allowed"
        case .version: "505 HTTP Version Not Supported"
        case .body: "413 Content Too Large"
        }
    }
}

/// Gathers bytes and reads requests from them, strictly: what could be read in two ways is refused.
package struct HTTPRequestReader {
    /// The most bytes of one request; an identifier has at most 1,024, each three letters when encoded.
    package static let limit = 8_192

    private var gathered: [UInt8] = []
    // How far no end was found.
    private var searched = 0

    package init() {}

    /// Whether there is nothing of a next request yet.
    package var isEmpty: Bool { gathered.isEmpty }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        gathered.append(contentsOf: bytes)
    }

    /// The next request, if all of it is there; after a refusal the connection is of no more use.
    package mutating func next() throws(HTTPRefusal) -> HTTPRequest? {
        guard let end = endOfHead() else {
            guard gathered.count < Self.limit else { throw .tooLarge }
            return nil
        }
        defer {
            gathered.removeSubrange(..<(end + 4))
            searched = 0
        }
        return try HTTPRequest(head: gathered[..<end])
    }

    // Where the empty line begins.
    private mutating func endOfHead() -> Int? {
        let last = min(gathered.count, Self.limit) - 4
        while searched <= last {
            if gathered[searched...].starts(with: Self.end) { return searched }
            searched += 1
        }
        return nil
    }

    private static let end = Array("\r\n\r\n".utf8)
}

extension HTTPRequest {
    // A client sends a handful.
    private static let mostFields = 64

    /// Reads everything before the empty line.
    init(head: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard head.allSatisfy({ (32...126).contains($0) || $0 == 13 || $0 == 10 || $0 == 9 }) else { throw .malformed }
        let text = String(decoding: head, as: UTF8.self)
        // Swift takes CR LF for one character; a lone one of them is none of these.
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let first = lines.first, lines.count <= Self.mostFields + 1,
            lines.allSatisfy({ !$0.utf8.contains(13) && !$0.utf8.contains(10) })
        else { throw .malformed }
        self.init()
        try readRequestLine(first)
        try readFields(lines.dropFirst())
    }

    private mutating func readRequestLine(_ line: Substring) throws(HTTPRefusal) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), words[2].hasPrefix("HTTP/"), words[2].utf8.count == 8 else {
            throw .malformed
        }
        guard words[0] == "GET" else { throw .method }
        guard words[2] == "HTTP/1.1" else { throw .version }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard words[1].hasPrefix("/"), !words[1].contains("#"), !words[1].contains("\t") else { throw .malformed }
        for name in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let name = Self.decode(name) else { throw .malformed }
            path.append(name)
        }
        for member in (parts.count == 2 ? parts[1] : "").split(separator: "&") where member.hasPrefix("wait=") {
            let digits = member.dropFirst(5)
            guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }),
                let seconds = Int(digits)
            else { throw .malformed }
            wait = seconds
        }
    }

    private mutating func readFields(_ lines: ArraySlice<Substring>) throws(HTTPRefusal) {
        var seen: Set<String> = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), Self.isToken(line[..<colon]) else { throw .malformed }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimming(" \t")
            let isFirst = seen.insert(name).inserted
            switch name {
            case "host", "content-length", "if-none-match", "connection":
                guard isFirst else { throw .malformed }
            default: continue
            }
            switch name {
            case "content-length":
                guard !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) else { throw .malformed }
                guard value == "0" else { throw .body }
            case "if-none-match": known = String(value)
            case "connection":
                closes = value.lowercased().split(separator: ",").contains { $0.trimming(" ") == "close" }
            default: break
            }
        }
        guard seen.contains("host") else { throw .malformed }
        guard !seen.contains("transfer-encoding") else { throw .body }
    }

    // What methods and fields may be called.
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
        default: nil
        }
    }
}

extension Substring {
    fileprivate func trimming(_ space: String) -> Substring {
        var text = drop { space.contains($0) }
        while let last = text.last, space.contains(last) { text.removeLast() }
        return text
    }
}
