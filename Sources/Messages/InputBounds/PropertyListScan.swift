package import Foundation

/// How a property list is written.
package enum PropertyListForm: Hashable, Sendable {
    case xml
    case binary
}

/// Walks a property list before any decoder sees it, building nothing.
///
/// Foundation's decoder crashes on deep nesting and hangs on shared references. What passes here is well formed, flat
/// enough and small enough for it. The work is linear in the input.
package enum PropertyListScan {
    /// Returns the form of a property list within `limits`, or says which rule it breaks.
    @discardableResult
    package static func check(_ data: Data, limits: InputLimits) throws(InputRefusal) -> PropertyListForm {
        guard data.count <= limits.bytes else { throw InputRefusal("the property list is larger than allowed") }
        let bytes = data.span
        switch form(of: bytes) {
        case .binary:
            let list = try BinaryPropertyList(bytes, limits: limits)
            try list.check(bytes, limits: limits)
            return .binary
        case .xml:
            var reader = XMLPropertyListReader(limits: limits)
            var nothing = PropertyListNothing()
            try reader.read(bytes, into: &nothing)
            return .xml
        }
    }

    static func form(of bytes: Span<UInt8>) -> PropertyListForm {
        // "bplist"
        let binary =
            bytes.count >= 6 && bytes[0] == 0x62 && bytes[1] == 0x70 && bytes[2] == 0x6C && bytes[3] == 0x69
            && bytes[4] == 0x73 && bytes[5] == 0x74
        return binary ? .binary : .xml
    }
}

/// Receives the parts of a property list in document order.
///
/// Spans hold the raw text; `escaped` tells that it contains entities or CDATA, which the reader has already checked.
protocol PropertyListSink {
    mutating func beginDictionary()
    mutating func beginArray()
    mutating func end()
    mutating func key(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal)
    mutating func string(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal)
    mutating func data(_ base64: Span<UInt8>, count: Int) throws(InputRefusal)
    mutating func scalar(_ value: PropertyListValue)
}

/// Takes no notice of anything: what is left is the check.
struct PropertyListNothing: PropertyListSink {
    mutating func beginDictionary() {}
    mutating func beginArray() {}
    mutating func end() {}
    mutating func key(_ text: Span<UInt8>, escaped: Bool) {}
    mutating func string(_ text: Span<UInt8>, escaped: Bool) {}
    mutating func data(_ base64: Span<UInt8>, count: Int) {}
    mutating func scalar(_ value: PropertyListValue) {}
}
