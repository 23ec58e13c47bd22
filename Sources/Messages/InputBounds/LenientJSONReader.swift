import Foundation

/// Reads a JSON document of a peer as far as it can be read.
///
/// Its structure has to be sound. Within it, of a key that comes twice the last value counts, a number that no double holds
/// is its text, half a surrogate pair and a NUL are U+FFFD, and what nests too deeply is left out. Size, depth and number of
/// values stay bounded, and with the depth the recursion.
struct LenientJSONReader {
    private static let malformed = InputRefusal("the JSON document is malformed")

    private let bytes: [UInt8]
    private let limits: InputLimits
    private var position = 0
    private var objects = 0
    /// The keys and numbers of the open containers, the outermost first.
    private var path: [String] = []
    private(set) var oddities = Oddities()

    init(_ data: Data, limits: InputLimits) {
        let (bytes, isRepaired) = LenientText.utf8(data)
        self.bytes = bytes
        self.limits = limits
        if isRepaired { oddities.add("the JSON document is not UTF-8", at: "") }
    }

    mutating func read() throws(InputRefusal) -> JSONValue {
        guard let root = try readValue() else { throw InputRefusal("the JSON document nests too deeply") }
        // Some writers send the NUL behind a C string as well.
        while position < bytes.count, isSpace(bytes[position]) || bytes[position] == 0 { position += 1 }
        guard position == bytes.count else { throw InputRefusal("something follows the JSON document") }
        return root
    }

    /// Reads a value; nothing where it is left out.
    private mutating func readValue() throws(InputRefusal) -> JSONValue? {
        skipSpace()
        objects += 1
        guard objects <= limits.objects else { throw InputRefusal("the JSON document holds too many values") }
        switch try peek() {
        case UInt8(ascii: "{"): return try readContainer(isObject: true)
        case UInt8(ascii: "["): return try readContainer(isObject: false)
        case UInt8(ascii: "\""): return .string(try readString())
        default: return try readWord()
        }
    }

    private mutating func readContainer(isObject: Bool) throws(InputRefusal) -> JSONValue? {
        guard path.count < limits.depth else {
            note("the JSON document nests too deeply")
            try skipContainer()
            return nil
        }
        position += 1
        path.append("")
        defer { path.removeLast() }
        return isObject ? .object(try readMembers()) : .array(try readItems())
    }

    private mutating func readMembers() throws(InputRefusal) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        skipSpace()
        guard try !ends(UInt8(ascii: "}")) else { return members }
        while true {
            skipSpace()
            objects += 1
            guard try peek() == UInt8(ascii: "\"") else {
                throw InputRefusal("a key of the JSON document is no string")
            }
            let key = try readString()
            skipSpace()
            guard try peek() == UInt8(ascii: ":") else {
                throw InputRefusal("a key of the JSON document has no value")
            }
            position += 1
            path[path.count - 1] = path.count == 1 ? key : "." + key
            if let value = try readValue(), members.updateValue(value, forKey: key) != nil {
                note("a JSON object holds the same key twice: the last value counts")
            }
            guard try isNextDue(orEnd: UInt8(ascii: "}")) else { return members }
        }
    }

    private mutating func readItems() throws(InputRefusal) -> [JSONValue] {
        var items: [JSONValue] = []
        skipSpace()
        guard try !ends(UInt8(ascii: "]")) else { return items }
        while true {
            path[path.count - 1] = "[\(items.count)]"
            if let value = try readValue() { items.append(value) }
            guard try isNextDue(orEnd: UInt8(ascii: "]")) else { return items }
        }
    }

    /// Reads past the end of a container, if it is there.
    private mutating func ends(_ end: UInt8) throws(InputRefusal) -> Bool {
        guard try peek() == end else { return false }
        position += 1
        return true
    }

    /// Reads past the comma after a value, or past the end of its container; tells which it was.
    private mutating func isNextDue(orEnd end: UInt8) throws(InputRefusal) -> Bool {
        skipSpace()
        let byte = try peek()
        position += 1
        guard byte == end || byte == UInt8(ascii: ",") else {
            throw InputRefusal("the JSON document has a comma or an end in the wrong place")
        }
        return byte == UInt8(ascii: ",")
    }

    /// Skips a container with all it holds.
    private mutating func skipContainer() throws(InputRefusal) {
        var depth = 0
        repeat {
            switch try peek() {
            case UInt8(ascii: "\""):
                _ = try readString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
        } while depth > 0
    }

    // MARK: Scalars

    private mutating func readWord() throws(InputRefusal) -> JSONValue {
        let start = position
        while position < bytes.count, isWordPart(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "": throw Self.malformed
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: break
        }
        if let integer = Int64(word) { return .integer(integer) }
        let isDecimal =
            word.utf8.contains(where: isDigit)
            && word.utf8.allSatisfy { byte in isDigit(byte) || "+-.eE".utf8.contains(byte) }
        if isDecimal, let real = Double(word), real.isFinite { return .real(real) }
        guard isDecimal || ["NaN", "Infinity", "-Infinity"].contains(word) else { throw Self.malformed }
        note("a JSON number is malformed or out of range")
        return .string(word.cut(toBytes: 1_024))
    }

    private mutating func readString() throws(InputRefusal) -> String {
        position += 1
        var text: [UInt8] = []
        while true {
            let start = position
            while position < bytes.count, isPlain(bytes[position]) { position += 1 }
            text.append(contentsOf: bytes[start..<position])
            switch try peek() {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0:
                note("a JSON string holds a NUL")
                text.append(contentsOf: UTF8.encodedReplacementCharacter)
                position += 1
            case let control:
                note("a JSON string holds a control character")
                text.append(control)
                position += 1
            }
        }
    }

    /// Reads an escape; one that stands for nothing becomes U+FFFD, one of a letter without a meaning that letter.
    private mutating func readEscape(into text: inout [UInt8]) throws(InputRefusal) {
        do throws(InputRefusal) {
            let (scalar, length) = try JSONText.escape(bytes.span, at: position)
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            position += length
        } catch {
            guard position + 1 < bytes.count else { throw error }
            note(error.rule)
            let isNumeric =
                bytes[position + 1] == UInt8(ascii: "u") && position + 5 < bytes.count
                && bytes[(position + 2)...(position + 5)].allSatisfy(isHexadecimal)
            guard isNumeric else {
                position += 1
                // What is escaped is read as what it is, if it is a plain character.
                if isPlain(bytes[position]) {
                    text.append(bytes[position])
                    position += 1
                }
                return
            }
            text.append(contentsOf: UTF8.encodedReplacementCharacter)
            position += 6
        }
    }

    // MARK: Bytes

    private func peek() throws(InputRefusal) -> UInt8 {
        guard position < bytes.count else { throw InputRefusal("the JSON document is cut short") }
        return bytes[position]
    }

    private mutating func skipSpace() {
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private func isWordPart(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || "+-.".utf8.contains(byte)
    }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private mutating func note(_ rule: String) {
        let place = oddities.isRoomLeft ? path.joined() : ""
        oddities.add(rule, at: place)
    }
}
