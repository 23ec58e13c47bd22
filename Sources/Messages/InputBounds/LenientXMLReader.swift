import Foundation

/// Reads an XML property list of a peer as far as it can be read, without recursion.
///
/// What Foundation reads beyond the format is read as Foundation does. What it refuses costs one value, not the document:
/// a number or a date that is none is its text, of a key that comes twice the last value counts, and what has no reading is
/// left out. A document that is cut short, nests nothing or holds too many values is still refused. The work is linear.
struct LenientXMLReader {
    private struct Container {
        let isDictionary: Bool
        var entries: [String: PropertyListValue] = [:]
        var items: [PropertyListValue] = []
        var key: String?
    }

    private static let cutShort = InputRefusal("the property list is cut short")

    private let bytes: [UInt8]
    private let limits: InputLimits
    /// The rule that is reported for a container nested deeper than the limit.
    private let tooDeep: String
    private var position = 0
    private var objects = 0
    private var open: [Container] = []
    /// Open containers that are left out with all they hold.
    private var leftOut = 0
    private var root: PropertyListValue?
    private(set) var oddities = Oddities()

    init(_ data: Data, limits: InputLimits, tooDeep: String) {
        let (bytes, isRepaired) = LenientText.utf8(data)
        self.bytes = bytes
        self.limits = limits
        self.tooDeep = tooDeep
        if isRepaired { oddities.add("the property list is not UTF-8", at: "") }
    }

    /// Reads the first value of the document; what follows it is not looked at.
    mutating func read() throws(InputRefusal) -> PropertyListValue {
        while root == nil, position < bytes.count {
            if bytes[position] == UInt8(ascii: "<") { try readMarkup() } else { skipText() }
        }
        guard let root else {
            throw open.isEmpty && leftOut == 0 ? InputRefusal("a property list holds one value") : Self.cutShort
        }
        return root
    }

    // MARK: Markup

    private mutating func readMarkup() throws(InputRefusal) {
        if matches("</") {
            position += 2
            let name = readName()
            _ = try readTagEnd()
            close(name)
        } else if matches("<![CDATA[") {
            note("text stands outside an element")
            skip(past: "]]>")
        } else if matches("<!--") {
            skip(past: "-->")
        } else if matches("<?") {
            skip(past: "?>")
        } else if matches("<!") {
            skipDocumentType()
        } else {
            position += 1
            let name = readName()
            let isEmpty = try readTagEnd()
            try readElement(name, isEmpty: isEmpty)
        }
    }

    private mutating func readElement(_ name: String, isEmpty: Bool) throws(InputRefusal) {
        switch name {
        case "plist": return
        case "dict", "array": return try begin(dictionary: name == "dict", isEmpty: isEmpty)
        case "key", "string", "integer", "real", "date", "data", "true", "false": break
        default: return note("a property list has no such element")
        }
        let content = isEmpty ? [] : try readContent(of: name)
        guard leftOut == 0 else { return }
        try count()
        switch name {
        case "key": setKey(String(decoding: content, as: UTF8.self))
        case "integer": add(LenientScalar.integer(content), or: content, "an integer is malformed or exceeds 64 bits")
        case "real": add(LenientScalar.real(content), or: content, "a real is malformed or out of range")
        case "date":
            add(LenientScalar.date(content), or: content, "a date is not a moment written as YYYY-MM-DDThh:mm:ssZ")
        case "data":
            let (data, brokenRule) = LenientScalar.data(content)
            if let brokenRule { note(brokenRule) }
            add(.data(data))
        case "string": add(.string(String(decoding: content, as: UTF8.self)))
        default: add(.boolean(name == "true"))
        }
    }

    private mutating func begin(dictionary: Bool, isEmpty: Bool) throws(InputRefusal) {
        guard leftOut == 0 else {
            if !isEmpty { leftOut += 1 }
            return
        }
        try count()
        guard open.count < limits.depth else {
            note(tooDeep)
            if let innermost = open.indices.last { open[innermost].key = nil }
            if !isEmpty { leftOut = 1 }
            return
        }
        open.append(Container(isDictionary: dictionary))
        if isEmpty { closeInnermost() }
    }

    private mutating func close(_ name: String) {
        guard name == "dict" || name == "array" else { return }
        guard leftOut == 0 else {
            leftOut -= 1
            return
        }
        guard let begun = open.lastIndex(where: { $0.isDictionary == (name == "dict") }) else {
            return note("an element ends that was not begun")
        }
        if begun < open.count - 1 { note("an element is not ended") }
        while open.count > begun { closeInnermost() }
    }

    private mutating func closeInnermost() {
        if open.last?.key != nil { note("a key has no value") }
        guard let closed = open.popLast() else { return }
        add(closed.isDictionary ? .dictionary(closed.entries) : .array(closed.items))
    }

    // MARK: Values

    private mutating func setKey(_ key: String) {
        guard let innermost = open.indices.last, open[innermost].isDictionary else {
            return note("a key stands where a value belongs")
        }
        if open[innermost].key != nil { note("a key has no value") }
        open[innermost].key = key
    }

    private mutating func add(_ value: PropertyListValue?, or text: [UInt8], _ rule: String) {
        if value == nil { note(rule) }
        add(value ?? .string(String(decoding: text, as: UTF8.self)))
    }

    private mutating func add(_ value: PropertyListValue) {
        guard let innermost = open.indices.last else {
            root = value
            return
        }
        guard open[innermost].isDictionary else { return open[innermost].items.append(value) }
        guard let key = open[innermost].key else { return note("a value of a dictionary has no key") }
        if open[innermost].entries.updateValue(value, forKey: key) != nil {
            note("a dictionary holds the same key twice: the last value counts")
        }
        open[innermost].key = nil
    }

    private mutating func count() throws(InputRefusal) {
        objects += 1
        guard objects <= limits.objects else { throw InputRefusal("the property list holds too many values") }
    }

    private mutating func note(_ rule: String) {
        let place = oddities.isRoomLeft ? self.place : ""
        oddities.add(rule, at: place)
    }

    private var place: String {
        var text = ""
        for container in open where text.utf8.count <= 256 {
            if container.isDictionary {
                text += (text.isEmpty ? "" : ".") + (container.key ?? "")
            } else {
                text += "[\(container.items.count)]"
            }
        }
        return text
    }

    // MARK: Text

    /// The text of an element up to its end; an element inside of it ends it as well.
    private mutating func readContent(of name: String) throws(InputRefusal) -> [UInt8] {
        var text: [UInt8] = []
        while true {
            let start = position
            while position < bytes.count, !isSpecial(bytes[position]) { position += 1 }
            text.append(contentsOf: bytes[start..<position])
            guard position < bytes.count else { throw Self.cutShort }
            switch bytes[position] {
            case UInt8(ascii: "&"): readReference(into: &text)
            case 0:
                replaceNUL(in: &text)
                position += 1
            default:
                guard try !readMarkup(inside: name, &text) else { return text }
            }
        }
    }

    /// C libraries end a text at a NUL: two texts would be taken for one.
    private mutating func replaceNUL(in text: inout [UInt8]) {
        note("a text holds a NUL")
        text.append(contentsOf: UTF8.encodedReplacementCharacter)
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == 0
    }

    /// Reads what begins with `<` inside a text; tells whether the text ends there.
    private mutating func readMarkup(inside name: String, _ text: inout [UInt8]) throws(InputRefusal) -> Bool {
        if matches("<![CDATA[") {
            let start = position + 9
            skip(past: "]]>")
            // Without an end it reaches to the end of the document, which is then cut short.
            if start <= position - 3 {
                for byte in bytes[start..<(position - 3)] {
                    if byte == 0 { replaceNUL(in: &text) } else { text.append(byte) }
                }
            }
            return false
        }
        if matches("<!--") {
            skip(past: "-->")
            return false
        }
        if matches("<?") {
            skip(past: "?>")
            return false
        }
        guard matches("</") else {
            note("an element stands inside a text")
            return true
        }
        let begun = position
        position += 2
        let closed = readName()
        guard closed == name else {
            note("an element is not ended")
            position = begun
            return true
        }
        _ = try readTagEnd()
        return true
    }

    private mutating func readReference(into text: inout [UInt8]) {
        if let (scalar, length) = try? XMLText.reference(bytes.span, at: position) {
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            position += length
            return
        }
        guard let (number, length) = numericReference() else {
            note("a property list knows only the five entities of XML")
            text.append(UInt8(ascii: "&"))
            position += 1
            return
        }
        let scalar = number > 0 ? Unicode.Scalar(number) : nil
        if scalar == nil { note("a numeric character reference names no character") }
        text.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
        position += length
    }

    /// A reference by number at the present position, whatever the number.
    private func numericReference() -> (number: UInt32, length: Int)? {
        guard matches("&#") else { return nil }
        let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        guard let end else { return nil }
        let digits = String(decoding: bytes[(position + 2)..<end], as: UTF8.self)
        let isHexadecimal = digits.utf8.first == UInt8(ascii: "x")
        let number =
            isHexadecimal ? UInt32(String(digits.unicodeScalars.dropFirst()), radix: 16) : UInt32(digits, radix: 10)
        return number.map { ($0, end + 1 - position) }
    }

    // MARK: Tags

    private mutating func readName() -> String {
        let start = position
        while position < bytes.count, position - start < 32, isNamePart(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        !isSpace(byte) && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/")
    }

    /// Reads the rest of a tag, attributes left out; tells whether the element is empty.
    private mutating func readTagEnd() throws(InputRefusal) -> Bool {
        var quote: UInt8?
        var last: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "<"), quote == nil {
                note("a tag is not ended")
                return false
            }
            position += 1
            if let mark = quote {
                if byte == mark { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return last == UInt8(ascii: "/")
            }
            if !isSpace(byte) { last = byte }
        }
        throw Self.cutShort
    }

    // MARK: Skipping

    private mutating func skipText() {
        var isBlank = true
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            if !isSpace(bytes[position]) { isBlank = false }
            position += 1
        }
        if !isBlank { note("text stands outside an element") }
    }

    /// Skips a document type; entities that it declares are not read.
    private mutating func skipDocumentType() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "[") {
                note("a property list has no document type of its own")
                skip(past: "]")
                continue
            }
            position += 1
            if byte == UInt8(ascii: ">") { return }
        }
    }

    private mutating func skip(past end: StaticString) {
        while position < bytes.count {
            if matches(end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    private func matches(_ text: StaticString) -> Bool {
        XMLText.matches(bytes.span, at: position, text)
    }
}
