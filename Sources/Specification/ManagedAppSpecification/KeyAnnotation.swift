import AppSpecification
import InputBounds
public import ManagedApp

/// What else there is to say of a key.
///
/// - Parameters:
///   - name: The key, where it is not the property's name.
///   - title: What forms call it.
///   - description: What it controls; the property's documentation if left out.
///   - range: The numbers it lies between, such as `5...120`, `0.5...` or `..<1`.
///   - length: How many characters a text has.
///   - pattern: What a text matches, as `pattern` of JSON Schema.
///   - count: How many items a list has, or keys a dictionary.
///   - unique: Whether a list holds nothing twice.
///   - size: How many bytes data has.
///   - dates: Between which dates it lies, each written `2026-01-31T00:00:00Z`.
///   - examples: Values to show.
///   - since: The app's first version that knows the key.
///   - deprecated: That it should not be used any more.
///   - group: The heading it stands under.
///   - hidden: Whether forms leave it out.
///   - refusal: The app's own error where the value, or what is inside it, breaks a rule.
///   - default: What is there if nothing is configured, for a `let`.
@attached(peer)
public macro Key(
    _ name: String? = nil, title: String? = nil, description: String? = nil, range: (any ConfigurationRange)? = nil,
    length: (any ConfigurationRange)? = nil, pattern: String? = nil, count: (any ConfigurationRange)? = nil,
    unique: Bool = false, size: (any ConfigurationRange)? = nil, dates: ClosedRange<String>? = nil,
    examples: [any ConfigurationValue] = [], since: String? = nil, deprecated: Deprecation? = nil,
    group: String? = nil, hidden: Bool = false, refusal: (any ManagedAppConfigurationDecodingError)? = nil,
    default: (any ConfigurationValue)? = nil
) = #externalMacro(module: "ManagedAppSpecificationMacros", type: "KeyMacro")

/// That a key should not be used any more.
public struct Deprecation: Sendable {
    let details: SpecifiedDeprecation

    /// Says from which version on, until which version the app still reads it, and what to use instead.
    public static func since(
        _ version: String, until: String? = nil, replacedBy: String? = nil, note: String? = nil
    ) -> Deprecation {
        Deprecation(
            details: SpecifiedDeprecation(since: version, until: until, replacedBy: replacedBy, note: note))
    }
}

/// A range that a specification can say: of integers or of reals, closed or open at an end.
public protocol ConfigurationRange: Sendable {
    var ends: ConfigurationRangeEnds { get }
}

/// The ends of a range.
public struct ConfigurationRangeEnds: Sendable {
    let least, most, below: Double?

    init(least: Double? = nil, most: Double? = nil, below: Double? = nil) {
        (self.least, self.most, self.below) = (least, most, below)
    }
}

extension ClosedRange: ConfigurationRange where Bound: ConfigurationBound {
    /// The ends, as a specification writes them.
    public var ends: ConfigurationRangeEnds { .init(least: lowerBound.double, most: upperBound.double) }
}

extension Range: ConfigurationRange where Bound: ConfigurationBound {
    /// The ends, as a specification writes them.
    public var ends: ConfigurationRangeEnds { .init(least: lowerBound.double, below: upperBound.double) }
}

extension PartialRangeFrom: ConfigurationRange where Bound: ConfigurationBound {
    /// The ends, as a specification writes them.
    public var ends: ConfigurationRangeEnds { .init(least: lowerBound.double) }
}

extension PartialRangeThrough: ConfigurationRange where Bound: ConfigurationBound {
    /// The ends, as a specification writes them.
    public var ends: ConfigurationRangeEnds { .init(most: upperBound.double) }
}

extension PartialRangeUpTo: ConfigurationRange where Bound: ConfigurationBound {
    /// The ends, as a specification writes them.
    public var ends: ConfigurationRangeEnds { .init(below: upperBound.double) }
}

/// What a range may be of.
public protocol ConfigurationBound: Sendable {
    var double: Double { get }
}

extension Int: ConfigurationBound {
    /// The bound as a real.
    public var double: Double { Double(self) }
}

extension Double: ConfigurationBound {
    /// The bound as a real.
    public var double: Double { self }
}

/// What `@Key` says, as the macro hands it on.
public struct KeyAnnotation: Sendable {
    private let change: @Sendable (inout SpecifiedKey) -> Void
    let refusal: (any ManagedAppConfigurationDecodingError)?

    /// Says the same as ``Key(_:title:description:range:length:pattern:count:unique:size:dates:examples:since:deprecated:group:hidden:refusal:default:)``.
    public init(
        _ name: String? = nil, title: String? = nil, description: String? = nil,
        range: (any ConfigurationRange)? = nil, length: (any ConfigurationRange)? = nil, pattern: String? = nil,
        count: (any ConfigurationRange)? = nil, unique: Bool = false, size: (any ConfigurationRange)? = nil,
        dates: ClosedRange<String>? = nil, examples: [any ConfigurationValue] = [], since: String? = nil,
        deprecated: Deprecation? = nil, group: String? = nil, hidden: Bool = false,
        refusal: (any ManagedAppConfigurationDecodingError)? = nil
    ) {
        self.refusal = refusal
        change = { key in
            key.name = name ?? key.name
            key.title = title ?? key.title
            key.description = description ?? key.description
            range.map { Self.numbers($0.ends, &key) }
            (key.bounds.minLength, key.bounds.maxLength) =
                Self.counts(length) ?? (key.bounds.minLength, key.bounds.maxLength)
            key.bounds.pattern = pattern ?? key.bounds.pattern
            if let counts = Self.counts(count) {
                if key.type == .array { (key.bounds.minItems, key.bounds.maxItems) = counts }
                if key.type == .dictionary { (key.bounds.minProperties, key.bounds.maxProperties) = counts }
            }
            key.bounds.uniqueItems = unique || key.bounds.uniqueItems
            if let size = Self.counts(size) { (key.bounds.minBytes, key.bounds.maxBytes) = size }
            if let dates { (key.bounds.earliest, key.bounds.latest) = (dates.lowerBound, dates.upperBound) }
            if !examples.isEmpty { key.examples = examples.map { JSONValue(describing: $0.configuredValue.list) } }
            key.since = since ?? key.since
            key.deprecation = deprecated?.details ?? key.deprecation
            key.group = group ?? key.group
            key.isHidden = hidden || key.isHidden
        }
    }

    func apply(_ key: inout SpecifiedKey) { change(&key) }

    private static func numbers(_ ends: ConfigurationRangeEnds, _ key: inout SpecifiedKey) {
        let number = { (value: Double) -> JSONValue in Int64(exactly: value).map(JSONValue.integer) ?? .real(value) }
        key.bounds.minimum = ends.least.map(number) ?? key.bounds.minimum
        key.bounds.maximum = ends.most.map(number) ?? key.bounds.maximum
        key.bounds.exclusiveMaximum = ends.below.map(number) ?? key.bounds.exclusiveMaximum
    }

    private static func counts(_ range: (any ConfigurationRange)?) -> (Int?, Int?)? {
        guard let ends = range?.ends else { return nil }
        return (ends.least.map { Int($0) }, ends.most.map { Int($0) } ?? ends.below.map { Int($0) - 1 })
    }
}
