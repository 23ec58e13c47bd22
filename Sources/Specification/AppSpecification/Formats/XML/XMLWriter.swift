import Foundation
import InputBounds

/// Writes XML, an element a line.
struct XMLWriter {
    typealias Attributes = KeyValuePairs<String, String?>

    private var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    private var depth = 0

    var data: Data { Data(bytes) }

    /// An element with others inside; attributes of no value are left out.
    mutating func element(_ name: String, _ attributes: Attributes = [:], inside: (inout XMLWriter) -> Void) {
        open(name, attributes)
        add(">\n")
        let start = bytes.count
        depth += 1
        inside(&self)
        depth -= 1
        if bytes.count == start {
            bytes.removeLast(2)
            add("/>\n")
        } else {
            indent()
            add("</\(name)>\n")
        }
    }

    /// An element of nothing but text.
    mutating func element(_ name: String, _ attributes: Attributes = [:], text content: String = "") {
        open(name, attributes)
        add(content.isEmpty ? "/>\n" : ">\(Self.escaped(content, isAttribute: false))</\(name)>\n")
    }

    /// A remark, in which elements may stand for people to copy.
    mutating func comment(_ lines: [String]) {
        indent()
        add("<!--\n")
        for line in lines { add(line.replacing(scalars: "--", with: "-&#45;") + "\n") }
        add("-->\n")
    }

    /// Whether XML has a form for each character.
    static func canHold(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                || "\t\n\r".unicodeScalars.contains(scalar)
        }
    }

    /// What readers would take for something else, or change, becomes a reference.
    static func escaped(_ text: String, isAttribute: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\r": escaped += "&#13;"
            case "\"" where isAttribute: escaped += "&quot;"
            case "\n" where isAttribute: escaped += "&#10;"
            case "\t" where isAttribute: escaped += "&#9;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private mutating func open(_ name: String, _ attributes: Attributes) {
        indent()
        add("<" + name)
        for (name, value) in attributes {
            if let value { add(" \(name)=\"\(Self.escaped(value, isAttribute: true))\"") }
        }
    }

    private mutating func indent() { for _ in 0..<depth { add("  ") } }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
