package import Foundation

extension PropertyListValue {
    /// Reads a property list of a peer who cannot be told to write another one: as far as it can be read.
    ///
    /// What the format has is read as `init(parsing:limits:)` reads it. Where that refuses the document, `LenientXMLReader`
    /// and `LenientBinaryReader` have one reading of each oddity. Of a list that holds too many values the outermost
    /// dictionary is read without the containers in it, so that its plain entries are known all the same.
    /// - Throws: `InputRefusal` for what is larger than `limits`, cut short, or no property list.
    package static func reading(
        _ data: Data, limits: InputLimits
    ) throws(InputRefusal) -> LenientReading<PropertyListValue> {
        if let value = try? PropertyListValue(parsing: data, limits: limits) { return LenientReading(value) }
        guard data.count <= limits.bytes else { throw InputRefusal("the property list is larger than allowed") }
        do throws(InputRefusal) {
            return try lenient(data, limits, tooDeep: "the property list nests too deeply")
        } catch {
            let outermost = InputLimits(bytes: limits.bytes, depth: 1, objects: limits.objects)
            return try lenient(data, outermost, tooDeep: error.rule)
        }
    }

    private static func lenient(
        _ data: Data, _ limits: InputLimits, tooDeep: String
    ) throws(InputRefusal) -> LenientReading<PropertyListValue> {
        let bytes = data.span
        switch PropertyListScan.form(of: bytes) {
        case .binary:
            var reader = try LenientBinaryReader(bytes, limits: limits, tooDeep: tooDeep)
            return LenientReading(try reader.read(bytes), reader.oddities)
        case .xml:
            var reader = LenientXMLReader(data, limits: limits, tooDeep: tooDeep)
            return LenientReading(try reader.read(), reader.oddities)
        }
    }
}

extension JSONValue {
    /// Reads a JSON document of a peer who cannot be told to write another one: as far as it can be read.
    ///
    /// What the format has is read as `init(parsing:limits:)` reads it; where that refuses the document, `LenientJSONReader`
    /// has one reading of each oddity.
    /// - Throws: `InputRefusal` for what is larger than `limits` or no JSON document.
    package static func reading(_ data: Data, limits: InputLimits) throws(InputRefusal) -> LenientReading<JSONValue> {
        if let value = try? JSONValue(parsing: data, limits: limits) { return LenientReading(value) }
        guard data.count <= limits.bytes else { throw InputRefusal("the JSON document is larger than allowed") }
        var reader = LenientJSONReader(data, limits: limits)
        return LenientReading(try reader.read(), reader.oddities)
    }
}
