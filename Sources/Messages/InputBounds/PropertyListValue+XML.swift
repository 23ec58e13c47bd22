package import Foundation

extension PropertyListValue {
    /// The value as an XML property list: equal values give equal bytes, keys are sorted.
    ///
    /// Dates are written in whole seconds, as the form demands.
    package func xml() -> Data {
        var writer = XMLPropertyListWriter()
        writer.write(self)
        return writer.finished()
    }
}

/// Writes XML property lists the way Apple's writer lays them out.
private struct XMLPropertyListWriter {
    private var bytes: [UInt8] = []
    private var depth = 0

    init() {
        bytes.reserveCapacity(1024)
        add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """)
    }

    func finished() -> Data {
        Data(bytes + Array("</plist>\n".utf8))
    }

    mutating func write(_ value: PropertyListValue) {
        indent()
        switch value {
        case .string(let text): element("string", escaping: text)
        case .integer(let number): element("integer", "\(number)")
        case .unsigned(let number): element("integer", "\(number)")
        case .real(let number): element("real", Self.text(of: number))
        case .boolean(let flag): add(flag ? "<true/>\n" : "<false/>\n")
        case .date(let date): element("date", String(decoding: PropertyListDate.text(date), as: UTF8.self))
        case .data(let data): element("data", data.base64EncodedString())
        case .array(let items): write(items)
        case .dictionary(let entries): write(entries)
        }
    }

    private mutating func write(_ items: [PropertyListValue]) {
        guard !items.isEmpty else { return add("<array/>\n") }
        add("<array>\n")
        depth += 1
        for item in items { write(item) }
        depth -= 1
        indent()
        add("</array>\n")
    }

    private mutating func write(_ entries: [String: PropertyListValue]) {
        guard !entries.isEmpty else { return add("<dict/>\n") }
        add("<dict>\n")
        depth += 1
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            indent()
            element("key", escaping: key)
            write(value)
        }
        depth -= 1
        indent()
        add("</dict>\n")
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
        return "\(number)"
    }

    private mutating func element(_ name: String, _ text: String) {
        add("<")
        add(name)
        add(">")
        add(text)
        add("</")
        add(name)
        add(">\n")
    }

    private mutating func element(_ name: String, escaping text: String) {
        add("<")
        add(name)
        add(">")
        escape(text)
        add("</")
        add(name)
        add(">\n")
    }

    /// A carriage return would be read back as a line feed by other parsers, so it becomes a reference.
    ///
    /// XML has no form at all for NUL; it becomes U+FFFD.
    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): add("&lt;")
            case UInt8(ascii: ">"): add("&gt;")
            case UInt8(ascii: "&"): add("&amp;")
            case 0x0D: add("&#13;")
            case 0x00: add("\u{FFFD}")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func indent() {
        for _ in 0..<depth { bytes.append(0x09) }
    }

    private mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}
