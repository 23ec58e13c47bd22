package import Foundation

/// Property lists and JSON documents made to hurt a decoder.
package enum Attacks {
    package static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        """

    package static func xml(_ value: String) -> Data {
        Data((head + value + "</plist>\n").utf8)
    }

    package static func nestedXML(_ depth: Int, dictionaries: Bool) -> Data {
        let (open, close) = dictionaries ? ("<dict><key>a</key>", "</dict>") : ("<array>", "</array>")
        return xml(
            String(repeating: open, count: depth) + "<string>x</string>" + String(repeating: close, count: depth))
    }

    package static func unclosedXML(_ depth: Int) -> Data {
        Data((head + String(repeating: "<array>", count: depth)).utf8)
    }

    /// Entities that grow tenfold with each of twelve levels.
    package static let entityBomb: Data = {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a0 \"lol\">"
        for level in 1...12 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        return Data((text + "]><plist version=\"1.0\"><dict><key>a</key><string>&a12;</string></dict></plist>").utf8)
    }()

    package static let externalEntity = Data(
        """
        <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY x SYSTEM "file:///etc/passwd">]>\
        <plist version="1.0"><dict><key>a</key><string>&x;</string></dict></plist>
        """.utf8)

    /// A binary property list of objects given as bytes, with one-byte references and two-byte offsets.
    package static func binary(_ objects: [[UInt8]], top: Int = 0) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data.append(contentsOf: object)
        }
        let table = data.count
        for offset in offsets { data.append(contentsOf: [UInt8(offset >> 8 & 255), UInt8(offset & 255)]) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
        append([offsets.count, top, table], to: &data)
        return data
    }

    /// The three numbers that end a binary property list.
    package static func append(_ numbers: [Int], to data: inout Data) {
        for number in numbers {
            for shift in stride(from: 56, through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
    }

    package static let x: [UInt8] = [0x51, 0x78]

    /// Each level an array of references to the next: 10⁴⁰ values in 564 bytes.
    package static let sharedReferences: Data = {
        let levels = (0..<40).map { level in [UInt8(0xAA)] + [UInt8](repeating: UInt8(level + 1), count: 10) }
        return binary(levels + [x])
    }()

    package static func nestedBinary(_ depth: Int) -> Data {
        binary((0..<depth).map { [0xA1, UInt8($0 + 1)] } + [x])
    }

    package static let selfReference = binary([[0xA1, 0]])
    package static let longCycle = binary([[0xA1, 1], [0xD1, 2, 0], x])

    package static func nestedJSON(_ depth: Int, objects: Bool) -> Data {
        let (open, close) = objects ? ("{\"a\":", "}") : ("[", "]")
        return Data((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
}

extension Attacks {
    /// What no entrance for property lists may take, by name; small enough for each of them.
    package static let propertyLists: [String: Data] = [
        "arrays 100,000 deep": nestedXML(100_000, dictionaries: false),
        "dictionaries 30,000 deep": nestedXML(30_000, dictionaries: true),
        "arrays 100,000 deep, never closed": unclosedXML(100_000),
        "entity bomb": entityBomb,
        "external entity": externalEntity,
        "shared references": sharedReferences,
        "binary arrays 200 deep": nestedBinary(200),
        "binary array of itself": selfReference,
        "binary cycle": longCycle,
        "truncated XML": Data(xml("<dict><key>a</key><string>text</string></dict>").dropLast(30)),
        "truncated binary": Data(binary([[0xA1, 1], x]).dropLast(9)),
        "binary without objects": Data("bplist00".utf8) + Data(repeating: 0xFF, count: 40),
        "old style": Data("{ old = style; }".utf8),
        "nothing": Data(),
        "zeroes": Data(count: 1_000),
        "value missing": xml("<dict><key>a</key></dict>"),
        "not UTF-8": Data(head.utf8) + [0xFF, 0xFE, 0x80] + Data("</plist>".utf8),
    ]

    /// What no entrance for JSON may take, by name.
    package static let jsonDocuments: [String: Data] = [
        "arrays 100,000 deep": nestedJSON(100_000, objects: false),
        "objects 100,000 deep": nestedJSON(100_000, objects: true),
        "never closed": Data(String(repeating: "[", count: 100_000).utf8),
        "truncated": Data(#"{"a":"tex"#.utf8),
        "a name twice": Data(#"{"a":1,"a":2}"#.utf8),
        "half a surrogate": Data(#"{"a":"\ud800"}"#.utf8),
        "nothing": Data(),
        "zeroes": Data(count: 1_000),
        "something after it": Data("{}x".utf8),
        "not UTF-8": Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]),
    ]
}
