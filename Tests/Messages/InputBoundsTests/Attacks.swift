import Foundation

/// Property lists and JSON documents made to hurt a decoder.
enum Attacks {
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        """

    static func xml(_ value: String) -> Data {
        Data((head + value + "</plist>\n").utf8)
    }

    static func nestedXML(_ depth: Int, dictionaries: Bool) -> Data {
        let (open, close) = dictionaries ? ("<dict><key>a</key>", "</dict>") : ("<array>", "</array>")
        return xml(
            String(repeating: open, count: depth) + "<string>x</string>" + String(repeating: close, count: depth))
    }

    static func unclosedXML(_ depth: Int) -> Data {
        Data((head + String(repeating: "<array>", count: depth)).utf8)
    }

    /// Entities that grow tenfold with each of twelve levels.
    static let entityBomb: Data = {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a0 \"lol\">"
        for level in 1...12 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        return Data((text + "]><plist version=\"1.0\"><dict><key>a</key><string>&a12;</string></dict></plist>").utf8)
    }()

    static let externalEntity = Data(
        """
        <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY x SYSTEM "file:///etc/passwd">]>\
        <plist version="1.0"><dict><key>a</key><string>&x;</string></dict></plist>
        """.utf8)

    /// A binary property list of objects given as bytes, with one-byte references and two-byte offsets.
    static func binary(_ objects: [[UInt8]], top: Int = 0) -> Data {
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
    static func append(_ numbers: [Int], to data: inout Data) {
        for number in numbers {
            for shift in stride(from: 56, through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
    }

    static let x: [UInt8] = [0x51, 0x78]

    /// Each level an array of references to the next: 10⁴⁰ values in 564 bytes.
    static let sharedReferences: Data = {
        let levels = (0..<40).map { level in [UInt8(0xAA)] + [UInt8](repeating: UInt8(level + 1), count: 10) }
        return binary(levels + [x])
    }()

    static func nestedBinary(_ depth: Int) -> Data {
        binary((0..<depth).map { [0xA1, UInt8($0 + 1)] } + [x])
    }

    static let selfReference = binary([[0xA1, 0]])
    static let longCycle = binary([[0xA1, 1], [0xD1, 2, 0], x])

    static func nestedJSON(_ depth: Int, objects: Bool) -> Data {
        let (open, close) = objects ? ("{\"a\":", "}") : ("[", "]")
        return Data((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
}
