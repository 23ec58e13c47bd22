package import Foundation

/// Walks a JSON document before any decoder sees it, building nothing.
///
/// What passes is one UTF-8 value of bounded depth and size, with numbers a double can hold. The work is linear.
package enum JSONScan {
    package static func check(_ data: Data, limits: InputLimits) throws(InputRefusal) {
        guard data.count <= limits.bytes else { throw InputRefusal("the JSON document is larger than allowed") }
        var reader = JSONReader(limits: limits)
        var nothing = JSONNothing()
        try reader.read(data.span, into: &nothing)
    }
}

/// Receives the parts of a JSON document in order; `escaped` tells that a text contains escapes, checked already.
protocol JSONSink {
    mutating func beginObject()
    mutating func beginArray()
    mutating func end()
    mutating func key(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal)
    mutating func string(_ text: Span<UInt8>, escaped: Bool) throws(InputRefusal)
    mutating func scalar(_ value: JSONValue)
}

/// Takes no notice of anything: what is left is the check.
struct JSONNothing: JSONSink {
    mutating func beginObject() {}
    mutating func beginArray() {}
    mutating func end() {}
    mutating func key(_ text: Span<UInt8>, escaped: Bool) {}
    mutating func string(_ text: Span<UInt8>, escaped: Bool) {}
    mutating func scalar(_ value: JSONValue) {}
}
