package import InputBounds

/// What a certificate is asked for (RFC 8555 §9.7.7 and the registry's additions for attested devices).
package struct ACMEIdentifier: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case dns
        case permanentIdentifier = "permanent-identifier"
        case hardwareModule = "hardware-module"
    }

    package let kind: Kind
    package let value: String

    package init(_ kind: Kind, _ value: String) {
        self.kind = kind
        self.value = value
    }

    package var json: JSONValue { .object(["type": .string(kind.rawValue), "value": .string(value)]) }

    /// Reads one identifier of a request for an order.
    package init(_ document: JSONValue) throws(ACMEProblem) {
        guard let type = document["type"]?.string, let value = document["value"]?.string else {
            throw ACMEProblem(.malformed, "An identifier has a type and a value, both texts.")
        }
        guard let kind = Kind(rawValue: type) else {
            throw ACMEProblem(.unsupportedIdentifier, "The type of the identifier is not known.")
        }
        guard (1...255).contains(value.utf8.count) else {
            throw ACMEProblem(.malformed, "The value of an identifier has 1 to 255 bytes.")
        }
        self.init(kind, value)
    }
}
