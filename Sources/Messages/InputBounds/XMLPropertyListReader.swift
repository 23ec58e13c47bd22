/// Reads an XML property list without recursion and hands its parts to a sink.
///
/// It accepts less than XML: UTF-8 only, no internal DTD subset, no entities beyond the five and numeric references,
/// no attributes except on `plist`. Everything Apple's and the common open-source writers produce passes.
struct XMLPropertyListReader {
    private let limits: InputLimits
    private var position = 0
    /// Where what is looked at begins: what is refused is there.
    private(set) var token = 0
    private var objects = 0
    private var depth = 0
    /// One bit per open container, the innermost lowest: 1 is a dictionary.
    private var kinds: UInt128 = 0
    private var keyPending = false

    init(limits: InputLimits) {
        self.limits = limits
    }

    mutating func read(_ bytes: Span<UInt8>, into sink: inout some PropertyListSink) throws(InputRefusal) {
        guard !XMLText.isUTF16(bytes) else { throw InputRefusal("the property list is UTF-16; save it as UTF-8") }
        guard (try? UTF8Span(validating: bytes)) != nil else { throw InputRefusal("the property list is not UTF-8") }
        try readProlog(bytes)
        try readRootTag(bytes)
        try readValue(bytes, into: &sink)
        try readRootEnd(bytes)
    }

    // MARK: Around the value

    private mutating func readProlog(_ bytes: Span<UInt8>) throws(InputRefusal) {
        if bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF { position = 3 }
        if matches(bytes, "<?xml") {
            position += 5
            let start = position
            try skip(bytes, past: "?>", "the XML declaration does not end")
            try XMLDeclaration.check(bytes.extracting(start..<(position - 2)))
        }
        try skipBetween(bytes)
        token = position
        guard matches(bytes, "<!DOCTYPE") else { return }
        position += 9
        while true {
            guard position < bytes.count else { throw InputRefusal("the document type does not end") }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: ">") { break }
            guard byte != UInt8(ascii: "["), byte != UInt8(ascii: "<"), byte != 0 else {
                throw InputRefusal("a property list has no document type of its own")
            }
        }
        try skipBetween(bytes)
    }

    private mutating func readRootTag(_ bytes: Span<UInt8>) throws(InputRefusal) {
        token = position
        guard matches(bytes, "<plist") else { throw InputRefusal(otherForm(bytes)) }
        position += 6
        guard position < bytes.count, bytes[position] == UInt8(ascii: ">") || isSpace(bytes[position]) else {
            throw InputRefusal("not a property list")
        }
        while true {
            guard position < bytes.count else { throw InputRefusal("the property list is cut short") }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: ">") { return }
            // A slash ends an empty element only outside quotes; no version number holds one either way.
            guard byte != UInt8(ascii: "<"), byte != UInt8(ascii: "/"), byte >= 0x20 || isSpace(byte), byte < 0x7F
            else {
                throw InputRefusal("the property list's own element is malformed")
            }
        }
    }

    /// What is there instead of a property list.
    private func otherForm(_ bytes: Span<UInt8>) -> String {
        for value: StaticString in ["<dict", "<array", "<key", "<string"] where matches(bytes, value) {
            return "a property list begins with <plist version=\"1.0\"> and ends with </plist>"
        }
        return "not a property list"
    }

    private mutating func readRootEnd(_ bytes: Span<UInt8>) throws(InputRefusal) {
        try skipBetween(bytes)
        token = position
        guard matches(bytes, "</plist") else { throw InputRefusal("a property list holds one value") }
        position += 7
        try readTagEnd(bytes)
        try skipBetween(bytes)
        token = position
        guard position == bytes.count else { throw InputRefusal("something follows the property list") }
    }

    // MARK: The value

    private mutating func readValue(
        _ bytes: Span<UInt8>, into sink: inout some PropertyListSink
    ) throws(InputRefusal) {
        repeat {
            try skipBetween(bytes)
            token = position
            guard position < bytes.count else { throw InputRefusal("the property list is cut short") }
            guard bytes[position] == UInt8(ascii: "<") else { throw InputRefusal("text stands outside an element") }
            position += 1
            if position < bytes.count && bytes[position] == UInt8(ascii: "/") {
                position += 1
                try closeContainer(bytes, into: &sink)
            } else {
                try readElement(bytes, into: &sink)
            }
        } while depth > 0
    }

    private mutating func closeContainer(
        _ bytes: Span<UInt8>, into sink: inout some PropertyListSink
    ) throws(InputRefusal) {
        guard depth > 0, !keyPending else { throw InputRefusal("a key or an element has no value") }
        let name = readName(bytes)
        guard name == (kinds & 1 == 1 ? XMLName.dict : XMLName.array) else {
            throw InputRefusal("an element ends that was not begun")
        }
        try readTagEnd(bytes)
        kinds >>= 1
        depth -= 1
        sink.end()
    }

    private mutating func readElement(
        _ bytes: Span<UInt8>, into sink: inout some PropertyListSink
    ) throws(InputRefusal) {
        let name = readName(bytes)
        objects += 1
        guard objects <= limits.objects else { throw InputRefusal("the property list holds too many values") }
        let inDictionary = depth > 0 && kinds & 1 == 1
        if name == XMLName.key {
            guard inDictionary, !keyPending else { throw InputRefusal("a key stands where a value belongs") }
            keyPending = true
        } else {
            guard !inDictionary || keyPending else { throw InputRefusal("a value of a dictionary has no key") }
            keyPending = false
        }
        let empty = try readOpenTagEnd(bytes)
        // Foundation refuses these two, and with them the whole list.
        guard !empty || name != XMLName.data else { throw InputRefusal("empty data is written <data></data>") }
        guard !empty || name != XMLName.key else { throw InputRefusal("an empty key is written <key></key>") }
        let content = position
        switch name {
        case XMLName.dict, XMLName.array:
            try openContainer(dictionary: name == XMLName.dict, empty: empty, into: &sink)
        case XMLName.true, XMLName.false:
            if !empty { try readCloseTag(bytes, name) }
            sink.scalar(.boolean(name == XMLName.true))
        case XMLName.key, XMLName.string:
            try readText(bytes, name, empty: empty, into: &sink)
        case XMLName.integer, XMLName.real, XMLName.date:
            guard !empty else { throw InputRefusal("a number or a date is empty") }
            let text = bytes.extracting(try plainText(bytes, name))
            token = content
            switch name {
            case XMLName.integer: sink.scalar(try PropertyListNumber.integer(text))
            case XMLName.real: sink.scalar(.real(try PropertyListNumber.real(text)))
            default: sink.scalar(.date(try PropertyListDate.parse(text)))
            }
        case XMLName.data:
            let text = bytes.extracting(try plainText(bytes, name))
            token = content
            try sink.data(text, count: try Base64Text.count(text))
        default:
            throw InputRefusal("a property list has no such element")
        }
    }

    private mutating func openContainer(
        dictionary: Bool, empty: Bool, into sink: inout some PropertyListSink
    ) throws(InputRefusal) {
        guard depth < limits.depth else { throw InputRefusal("the property list nests too deeply") }
        if dictionary { sink.beginDictionary() } else { sink.beginArray() }
        if empty {
            sink.end()
        } else {
            kinds = kinds << 1 | (dictionary ? 1 : 0)
            depth += 1
        }
    }

    // MARK: Text

    private mutating func readText(
        _ bytes: Span<UInt8>, _ name: UInt64, empty: Bool, into sink: inout some PropertyListSink
    ) throws(InputRefusal) {
        let start = position
        var escaped = false
        var end = position
        if !empty {
            while true {
                guard position < bytes.count else { throw InputRefusal("the property list is cut short") }
                let byte = bytes[position]
                if byte == UInt8(ascii: "<") {
                    guard matches(bytes, "<![CDATA[") else { break }
                    escaped = true
                    position += 9
                    try skip(bytes, past: "]]>", "a CDATA section does not end")
                    continue
                }
                if byte == UInt8(ascii: "&") {
                    escaped = true
                    token = position
                    position += try XMLText.reference(bytes, at: position).length
                    continue
                }
                guard byte != 0 else {
                    token = position
                    throw InputRefusal("a text holds a NUL")
                }
                position += 1
            }
            end = position
            try readCloseTag(bytes, name)
        }
        token = start
        let text = bytes.extracting(start..<end)
        if name == XMLName.key {
            try sink.key(text, escaped: escaped)
        } else {
            try sink.string(text, escaped: escaped)
        }
    }

    /// The content of an element that holds neither entities nor other elements.
    private mutating func plainText(_ bytes: Span<UInt8>, _ name: UInt64) throws(InputRefusal) -> Range<Int> {
        let start = position
        while position < bytes.count && bytes[position] != UInt8(ascii: "<") { position += 1 }
        let end = position
        try readCloseTag(bytes, name)
        return start..<end
    }

    // MARK: Tags

    /// The letters of a tag's name packed into a word; longer names give 0, which no element has.
    private mutating func readName(_ bytes: Span<UInt8>) -> UInt64 {
        var name: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            guard byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") else { return name }
            guard name < 1 << 56 else { return 0 }
            name = name << 8 | UInt64(byte)
            position += 1
        }
        return name
    }

    /// Reads the end of an opening tag and tells whether the element is empty.
    private mutating func readOpenTagEnd(_ bytes: Span<UInt8>) throws(InputRefusal) -> Bool {
        skipSpace(bytes)
        let empty = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        if empty { position += 1 }
        guard position < bytes.count else { throw InputRefusal("the property list is cut short") }
        guard bytes[position] == UInt8(ascii: ">") else { throw InputRefusal("an element has attributes or no end") }
        position += 1
        return empty
    }

    private mutating func readCloseTag(_ bytes: Span<UInt8>, _ name: UInt64) throws(InputRefusal) {
        token = position
        guard position + 1 < bytes.count else { throw InputRefusal("the property list is cut short") }
        guard bytes[position] == UInt8(ascii: "<"), bytes[position + 1] == UInt8(ascii: "/") else {
            throw InputRefusal("an element stands inside a text")
        }
        position += 2
        guard readName(bytes) == name else { throw InputRefusal("an element ends that was not begun") }
        try readTagEnd(bytes)
    }

    private mutating func readTagEnd(_ bytes: Span<UInt8>) throws(InputRefusal) {
        skipSpace(bytes)
        guard position < bytes.count else { throw InputRefusal("the property list is cut short") }
        guard bytes[position] == UInt8(ascii: ">") else { throw InputRefusal("a closing tag is malformed") }
        position += 1
    }

    // MARK: Skipping

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while position < bytes.count && isSpace(bytes[position]) { position += 1 }
    }

    /// Skips white space, comments and processing instructions.
    private mutating func skipBetween(_ bytes: Span<UInt8>) throws(InputRefusal) {
        while true {
            skipSpace(bytes)
            guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "<") else { return }
            if bytes[position + 1] == UInt8(ascii: "!") && matches(bytes, "<!--") {
                position += 4
                try skip(bytes, past: "-->", "a comment does not end")
            } else if bytes[position + 1] == UInt8(ascii: "?") {
                position += 2
                try skip(bytes, past: "?>", "a processing instruction does not end")
            } else {
                return
            }
        }
    }

    private mutating func skip(
        _ bytes: Span<UInt8>, past end: StaticString, _ rule: String
    ) throws(InputRefusal) {
        token = position
        while position < bytes.count {
            if matches(bytes, end) {
                position += end.utf8CodeUnitCount
                return
            }
            guard bytes[position] != 0 else { throw InputRefusal("a text holds a NUL") }
            position += 1
        }
        throw InputRefusal(rule)
    }

    private func matches(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        XMLText.matches(bytes, at: position, text)
    }
}

/// The names of a property list's elements, packed as the reader packs them: one ASCII letter a byte.
private enum XMLName {
    static let dict: UInt64 = 0x6469_6374
    static let array: UInt64 = 0x61_7272_6179
    static let key: UInt64 = 0x6B_6579
    static let string: UInt64 = 0x7374_7269_6E67
    static let integer: UInt64 = 0x69_6E74_6567_6572
    static let real: UInt64 = 0x7265_616C
    static let date: UInt64 = 0x6461_7465
    static let data: UInt64 = 0x6461_7461
    static let `true`: UInt64 = 0x7472_7565
    static let `false`: UInt64 = 0x66_616C_7365
}
