import Foundation
import InputBounds

/// Profile manifests: property lists that describe the keys of a domain, whose words begin with `pfm_`.
enum ProfileManifest {
    static let name = "a profile manifest"
    static let limits = InputLimits(bytes: SpecificationLimits.bytes, depth: 128, objects: 200_000)

    /// Systems of which a manifest can say from which version on.
    static let platforms = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]

    static func leastVersion(_ platform: String) -> String? {
        platforms.contains(platform) ? "pfm_\(platform.lowercased())_min" : nil
    }

    /// A value with the types that its key has; nothing where it would be read back as another.
    static func propertyList(_ value: JSONValue, of key: SpecifiedKey?) -> PropertyListValue? {
        guard let written = typed(value, key), JSONValue(describing: written) == value else { return nil }
        return written
    }

    private static func typed(_ value: JSONValue, _ key: SpecifiedKey?) -> PropertyListValue? {
        switch (key?.type, value) {
        case (.date, .string(let text)): return PropertyListValue.date(parsing: text).map(PropertyListValue.date)
        case (.data, .string(let text)): return Data(base64Encoded: text).map(PropertyListValue.data)
        case (.string, .string), (.integer, .integer), (.real, .integer), (.real, .real), (.boolean, .boolean):
            return try? PropertyListValue(json: value)
        case (.array, .array(let items)):
            let written = items.map { typed($0, key?.item.first) }
            return written.contains { $0 == nil } ? nil : .array(written.compactMap(\.self))
        case (.dictionary, .object(let entries)):
            let written = entries.mapValues { _ in PropertyListValue?.none }.merging(
                entries.map { name, value in (name, typed(value, key?[name] ?? key?.values.first)) }
            ) { _, new in new }
            return written.contains { $0.value == nil } ? nil : .dictionary(written.compactMapValues(\.self))
        case (nil, _), (.any, _): return try? PropertyListValue(json: value)
        default: return nil
        }
    }
}
