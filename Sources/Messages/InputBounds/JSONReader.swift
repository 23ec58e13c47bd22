/// Reads a JSON document without recursion and hands its parts to a sink.
struct JSONReader {
    private let limits: InputLimits
    private var position = 0
    /// Where what is looked at begins: what is refused is there.
    private(set) var token = 0
    private var objects = 0
    private var depth = 0
    /// One bit per open container, the innermost lowest: 1 is an object.
    private var kinds: UInt128 = 0

    /// Whether a byte order mark before the document is passed over.
    private let skipsMark: Bool

    init(limits: InputLimits, skipsMark: Bool = false) {
        (self.limits, self.skipsMark) = (limits, skipsMark)
    }

    mutating func read(_ bytes: Span<UInt8>, into sink: inout some JSONSink) throws(InputRefusal) {
        guard !XMLText.isUTF16(bytes) else { throw InputRefusal("the JSON document is UTF-16; save it as UTF-8") }
        guard (try? UTF8Span(validating: bytes)) != nil else { throw InputRefusal("the JSON document is not UTF-8") }
        if skipsMark && bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF { position = 3 }
        repeat {
            // At this point a value is due, or the end of a container that is still empty.
            skipSpace(bytes)
            let opened = try readValue(bytes, into: &sink)
            if !opened { try readAfterValue(bytes, into: &sink) }
        } while depth > 0
        skipSpace(bytes)
        token = position
        guard position == bytes.count else { throw InputRefusal("something follows the JSON document") }
    }

    /// Reads a scalar, or the beginning of a container and then its first key; tells whether a value is due next.
    private mutating func readValue(
        _ bytes: Span<UInt8>, into sink: inout some JSONSink
    ) throws(InputRefusal) -> Bool {
        token = position
        objects += 1
        guard objects <= limits.objects else { throw InputRefusal("the JSON document holds too many values") }
        switch try peek(bytes) {
        case UInt8(ascii: "{"): return try openContainer(bytes, object: true, into: &sink)
        case UInt8(ascii: "["): return try openContainer(bytes, object: false, into: &sink)
        case UInt8(ascii: "\""):
            let (text, escaped) = try readString(bytes)
            try sink.string(bytes.extracting(text), escaped: escaped)
        case UInt8(ascii: "t"): try readWord(bytes, "true", .boolean(true), into: &sink)
        case UInt8(ascii: "f"): try readWord(bytes, "false", .boolean(false), into: &sink)
        case UInt8(ascii: "n"): try readWord(bytes, "null", .null, into: &sink)
        case UInt8(ascii: "/"): throw InputRefusal(Self.comment)
        case UInt8(ascii: "'"): throw InputRefusal("a JSON string stands between double quotes")
        default: sink.scalar(try readNumber(bytes))
        }
        return false
    }

    private mutating func openContainer(
        _ bytes: Span<UInt8>, object: Bool, into sink: inout some JSONSink
    ) throws(InputRefusal) -> Bool {
        guard depth < limits.depth else { throw InputRefusal("the JSON document nests too deeply") }
        position += 1
        if object { sink.beginObject() } else { sink.beginArray() }
        skipSpace(bytes)
        if try peek(bytes) == UInt8(ascii: object ? "}" : "]") {
            position += 1
            sink.end()
            return false
        }
        kinds = kinds << 1 | (object ? 1 : 0)
        depth += 1
        if object { try readKey(bytes, into: &sink) }
        return true
    }

    /// Closes every container that ends here; stops when another value is due or the outermost is closed.
    private mutating func readAfterValue(
        _ bytes: Span<UInt8>, into sink: inout some JSONSink
    ) throws(InputRefusal) {
        while depth > 0 {
            skipSpace(bytes)
            token = position
            let object = kinds & 1 == 1
            let byte = try peek(bytes)
            position += 1
            if byte == UInt8(ascii: ",") {
                skipSpace(bytes)
                guard try !isEnd(peek(bytes)) else {
                    throw InputRefusal("a comma stands before the end of an object or a list; take it out")
                }
                if object { try readKey(bytes, into: &sink) }
                return
            }
            guard byte == UInt8(ascii: object ? "}" : "]") else {
                guard byte != UInt8(ascii: "/") else { throw InputRefusal(Self.comment) }
                throw InputRefusal("the JSON document has a comma or an end in the wrong place")
            }
            kinds >>= 1
            depth -= 1
            sink.end()
        }
    }

    private static let comment = "JSON has no comments; take them out"

    private func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") }

    private mutating func readKey(_ bytes: Span<UInt8>, into sink: inout some JSONSink) throws(InputRefusal) {
        objects += 1
        token = position
        guard try peek(bytes) != UInt8(ascii: "/") else { throw InputRefusal(Self.comment) }
        guard try peek(bytes) == UInt8(ascii: "\"") else {
            throw InputRefusal("a key of the JSON document is no string")
        }
        let (text, escaped) = try readString(bytes)
        try sink.key(bytes.extracting(text), escaped: escaped)
        skipSpace(bytes)
        guard try peek(bytes) == UInt8(ascii: ":") else {
            throw InputRefusal("a key of the JSON document has no value")
        }
        position += 1
    }

    // MARK: Scalars

    private mutating func readString(
        _ bytes: Span<UInt8>
    ) throws(InputRefusal) -> (text: Range<Int>, escaped: Bool) {
        position += 1
        let start = position
        var escaped = false
        while true {
            position = JSONText.endOfPlain(bytes, from: position)
            let byte = try peek(bytes)
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else {
                token = position
                throw InputRefusal("a JSON string holds a control character")
            }
            if byte == UInt8(ascii: "\\") {
                escaped = true
                token = position
                position += try JSONText.escape(bytes, at: position).length
            }
        }
        let end = position
        position += 1
        token = start - 1
        return (start..<end, escaped)
    }

    private mutating func readWord(
        _ bytes: Span<UInt8>, _ word: StaticString, _ value: JSONValue, into sink: inout some JSONSink
    ) throws(InputRefusal) {
        guard XMLText.matches(bytes, at: position, word) else { throw InputRefusal("the JSON document is malformed") }
        position += word.utf8CodeUnitCount
        sink.scalar(value)
    }

    /// An integer when it is written as one and fits 64 bits, else a finite real.
    private mutating func readNumber(_ bytes: Span<UInt8>) throws(InputRefusal) -> JSONValue {
        let start = position
        var whole = true
        if try peek(bytes) == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard readDigits(bytes) > 0 else { throw InputRefusal("the JSON document is malformed") }
        guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw InputRefusal("a JSON number begins with a zero")
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            whole = false
            position += 1
            guard readDigits(bytes) > 0 else { throw InputRefusal("a JSON number is malformed") }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            whole = false
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard readDigits(bytes) > 0 else { throw InputRefusal("a JSON number is malformed") }
        }
        guard position - start <= 64 else { throw InputRefusal("a JSON number has too many digits") }
        let text = try XMLText.plain(bytes.extracting(start..<position))
        if whole, let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else { throw InputRefusal("a JSON number is out of range") }
        return .real(real)
    }

    private mutating func readDigits(_ bytes: Span<UInt8>) -> Int {
        let start = position
        while position < bytes.count, bytes[position] >= UInt8(ascii: "0"), bytes[position] <= UInt8(ascii: "9") {
            position += 1
        }
        return position - start
    }

    private func peek(_ bytes: Span<UInt8>) throws(InputRefusal) -> UInt8 {
        guard position < bytes.count else { throw InputRefusal("the JSON document is cut short") }
        return bytes[position]
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D else { return }
            position += 1
        }
    }
}
