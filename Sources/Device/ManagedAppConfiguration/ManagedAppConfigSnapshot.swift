import Configuration
import InputBounds
import ManagedApp

/// One version of an app's configuration, as swift-configuration reads it.
struct ManagedAppConfigSnapshot: ConfigSnapshot {
    let providerName: String

    /// Names the configuration; empty without one.
    let version: String

    private let root: PropertyListValue?
    private let secrets: SecretsSpecifier<[String], ConfigContent>

    init(_ news: LinkSnapshot, providerName: String, secrets: SecretsSpecifier<[String], ConfigContent>) {
        self.providerName = providerName
        self.secrets = secrets
        version = news.version
        // The device has refused what cannot be read.
        root = news.configuration.flatMap { try? PropertyListValue(parsing: $0, limits: .configuration) }
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        let name = key.components.map {
            $0.replacing(scalars: "\\", with: "\\\\").replacing(scalars: ".", with: "\\.")
        }.joined(separator: ".")
        var place = root
        for component in key.components { place = place?[component] }
        guard let place, !key.components.isEmpty else { return LookupResult(encodedKey: name, value: nil) }
        guard let content = ConfigContent(place, as: type) else { throw ManagedAppConfigTypeMismatch(key: name) }
        let isSecret = secrets.isSecret(key: key.components, value: content)
        return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: isSecret))
    }
}

/// A value is there, and is not of the type that it was asked for.
///
/// The value is not among it: errors end up in logs.
public struct ManagedAppConfigTypeMismatch: Error, Hashable, CustomStringConvertible {
    /// The key, its components joined by dots.
    public let key: String

    /// Says which rule was broken.
    public var description: String { "the value of \(key) is not of the type that it was asked for" }
}

extension ConfigContent {
    /// A value of a property list as the type that it is asked for; nothing if it is none.
    init?(_ value: PropertyListValue, as type: ConfigType) {
        switch type {
        case .string:
            guard let text = value.string ?? value.date.map(PropertyListValue.text(of:)) else { return nil }
            self = .string(text)
        case .int:
            guard let number = value.int else { return nil }
            self = .int(number)
        case .double:
            guard let number = value.double else { return nil }
            self = .double(number)
        case .bool:
            guard let flag = value.bool else { return nil }
            self = .bool(flag)
        case .bytes:
            guard let bytes = value.data.map(Array.init) ?? Self.json(value) else { return nil }
            self = .bytes(bytes)
        default:
            guard let items = value.array, let content = Self.array(items, as: type) else { return nil }
            self = content
        }
    }

    private static func array(_ items: [PropertyListValue], as type: ConfigType) -> ConfigContent? {
        switch type {
        case .stringArray: all(items) { $0.string ?? $0.date.map(PropertyListValue.text(of:)) }.map { .stringArray($0) }
        case .intArray: all(items, \.int).map { .intArray($0) }
        case .doubleArray: all(items, \.double).map { .doubleArray($0) }
        case .boolArray: all(items, \.bool).map { .boolArray($0) }
        case .byteChunkArray: all(items) { $0.data.map(Array.init) }.map { .byteChunkArray($0) }
        default: nil
        }
    }

    private static func all<Element>(
        _ items: [PropertyListValue], _ element: (PropertyListValue) -> Element?
    ) -> [Element]? {
        let elements = items.compactMap(element)
        return elements.count == items.count ? elements : nil
    }

    // What swift-configuration has no type for.
    private static func json(_ value: PropertyListValue) -> [UInt8]? {
        switch value {
        case .dictionary, .array: Array(JSONValue(describing: value).encoded())
        default: nil
        }
    }
}
