import InputBounds

/// Reads XML without recursion.
struct XMLReader {
    private let bytes: [UInt8]
    private let limits: InputLimits
    private var position = 0
    /// Where what is looked at begins: what is refused is there.
    private(set) var token = 0
    private var objects = 0
    private var open: [XMLElement] = []
    private var root: XMLElement?

    init(bytes: [UInt8], limits: InputLimits) {
        (self.bytes, self.limits) = (bytes, limits)
    }

    /// The names of the elements on the way to what is read at the moment.
    var steps: [String] { open.map(\.name) }

    mutating func document() throws(InputRefusal) -> XMLElement {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        if matches("<?xml"), position + 5 < bytes.count, Self.isSpace(bytes[position + 5]) { try declaration() }
        while position < bytes.count {
            token = position
            if bytes[position] == UInt8(ascii: "<") {
                try markup()
            } else {
                try text()
            }
        }
        guard let root, open.isEmpty else { throw InputRefusal("the XML document is cut short") }
        return root
    }

    // MARK: Markup

    private mutating func declaration() throws(InputRefusal) {
        let start = position
        try skip(past: "?>")
        let line = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
        guard !line.contains("encoding") || line.contains("\"utf-8\"") || line.contains("'utf-8'") else {
            throw InputRefusal("the XML document is not UTF-8")
        }
    }

    private mutating func markup() throws(InputRefusal) {
        if matches("<!--") {
            position += 4
            try skip(past: "-->")
        } else if matches("<![CDATA[") {
            position += 9
            let start = position
            try skip(past: "]]>")
            try add(Self.withLineFeeds(bytes[start..<(position - 3)]))
        } else if matches("<!") {
            throw InputRefusal("an XML document here has no document type")
        } else if matches("<?") {
            try skip(past: "?>")
        } else if matches("</") {
            position += 2
            try close()
        } else {
            position += 1
            try begin()
        }
    }

    private mutating func begin() throws(InputRefusal) {
        guard root == nil else { throw InputRefusal("something follows the XML document") }
        guard open.count < limits.depth else { throw InputRefusal("the XML document nests too deeply") }
        try count()
        var element = XMLElement(try name())
        while true {
            let before = position
            skipSpace()
            if matches("/>") || matches(">") { break }
            guard position > before else { throw InputRefusal("an element's tag is malformed") }
            try count()
            let name = try name()
            skipSpace()
            guard matches("=") else { throw InputRefusal("an attribute has no value") }
            position += 1
            skipSpace()
            guard element.attributes.updateValue(try attribute(), forKey: name) == nil else {
                throw InputRefusal("an element has the same attribute twice")
            }
        }
        let isEmpty = matches("/>")
        position += isEmpty ? 2 : 1
        open.append(element)
        if isEmpty { end() }
    }

    private mutating func close() throws(InputRefusal) {
        let name = try name()
        skipSpace()
        guard matches(">"), open.last?.name == name else { throw InputRefusal("an element ends that was not begun") }
        position += 1
        end()
    }

    private mutating func end() {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    private mutating func name() throws(InputRefusal) -> String {
        let start = position
        while position < bytes.count, Self.isOfName(bytes[position], isFirst: position == start) { position += 1 }
        guard position > start, position - start <= 256 else { throw InputRefusal("a name in XML is malformed") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    // MARK: Characters

    private mutating func attribute() throws(InputRefusal) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw InputRefusal("an attribute's value is not in quotes") }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != quote {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "<"): throw InputRefusal("an attribute's value holds a tag")
            case UInt8(ascii: "&"): value += try reference()
            default:
                try checkCharacter(byte)
                value.append(Self.isSpace(byte) ? 0x20 : byte)
                position += 1
            }
        }
        guard position < bytes.count else { throw InputRefusal("the XML document is cut short") }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text() throws(InputRefusal) {
        var start = position
        var piece: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            if bytes[position] == UInt8(ascii: "&") {
                piece += Self.withLineFeeds(bytes[start..<position])
                piece += try reference()
                start = position
            } else {
                try checkCharacter(bytes[position])
                position += 1
            }
        }
        piece += Self.withLineFeeds(bytes[start..<position])
        try add(piece)
    }

    private mutating func add(_ piece: [UInt8]) throws(InputRefusal) {
        guard !open.isEmpty else {
            guard piece.allSatisfy(Self.isSpace) else { throw InputRefusal("text stands outside the XML document") }
            return
        }
        try count()
        open[open.count - 1].text += String(decoding: piece, as: UTF8.self)
    }

    private mutating func reference() throws(InputRefusal) -> [UInt8] {
        for (name, byte) in [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&quot;", "\""), ("&apos;", "'")]
            as [(StaticString, String)]
        where matches(name) {
            position += name.utf8CodeUnitCount
            return Array(byte.utf8)
        }
        guard matches("&#"), let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw InputRefusal("an XML document here knows only the five entities of XML")
        }
        let digits = bytes[(position + 2)..<end]
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        let number = String(decoding: digits.dropFirst(isHexadecimal ? 1 : 0), as: UTF8.self)
        guard number.allSatisfy(\.isHexDigit), let value = UInt32(number, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(value), XMLWriter.canHold(String(scalar))
        else { throw InputRefusal("a numeric character reference is malformed") }
        position = end + 1
        return Array(String(scalar).utf8)
    }

    private func checkCharacter(_ byte: UInt8) throws(InputRefusal) {
        guard byte >= 0x20 || Self.isSpace(byte) else { throw InputRefusal("XML has no such control characters") }
    }

    /// As XML has it, lines end with a line feed however they were written.
    private static func withLineFeeds(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(0x0D) else { return Array(bytes) }
        var result: [UInt8] = []
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D { result.append(0x0A) } else if byte != 0x0A || previous != 0x0D { result.append(byte) }
            previous = byte
        }
        return result
    }

    // MARK: Small steps

    private mutating func count() throws(InputRefusal) {
        objects += 1
        guard objects <= limits.objects else { throw InputRefusal("the XML document holds too much") }
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private mutating func skip(past end: StaticString) throws(InputRefusal) {
        while position < bytes.count {
            if matches(end) {
                position += end.utf8CodeUnitCount
                return
            }
            try checkCharacter(bytes[position])
            position += 1
        }
        throw InputRefusal("the XML document is cut short")
    }

    private func matches(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        return unsafe bytes[position..<(position + count)].elementsEqual(
            UnsafeBufferPointer(start: text.utf8Start, count: count))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    private static func isOfName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"),
            0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }
}
