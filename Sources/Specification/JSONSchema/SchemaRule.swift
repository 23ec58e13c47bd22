/// The keywords of JSON Schema 2020-12 that are checked here, and a few of our own for what property lists hold beyond JSON.
///
/// What a keyword is called is its raw value; a violation names the one that was broken.
package enum SchemaRule: String, CaseIterable, Hashable, Sendable {
    // Any value
    case type, `enum`, const
    // Numbers
    case multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum
    // Texts
    case maxLength, minLength, pattern
    // Lists
    case maxItems, minItems, uniqueItems, prefixItems, items, contains, minContains, maxContains
    // Dictionaries
    case maxProperties, minProperties, required, dependentRequired, properties, patternProperties, additionalProperties
    case propertyNames, dependentSchemas
    // Several schemas for one value
    case allOf, anyOf, oneOf, not
    case condition = "if"
    case reference = "$ref"
    /// The schema `false`: nothing may stand there.
    case nothing = "false"

    // Ours: `x-minimum` and `x-maximum` are dates, the others count bytes of data.
    case earliest = "x-minimum"
    case latest = "x-maximum"
    case minBytes = "x-minBytes"
    case maxBytes = "x-maxBytes"

    /// Not a keyword: the value was not checked to its end, since that would have taken too long.
    case effort
}
