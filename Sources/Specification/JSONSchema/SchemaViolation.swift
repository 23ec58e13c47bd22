/// A step from a value to one inside it.
package enum InstanceStep: Hashable, Sendable {
    case key(String)
    case index(Int)
}

/// Where a value stands in a document.
package struct InstancePath: Hashable, Sendable, CustomStringConvertible {
    package var steps: [InstanceStep]

    package init(_ steps: [InstanceStep] = []) { self.steps = steps }

    /// `servers[0].port`; the whole document is the empty text.
    ///
    /// A key that holds a dot, a bracket or a control character stands in quotes.
    package var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key):
                if !text.isEmpty { text += "." }
                text += Self.isPlain(key) ? key : Self.quoted(key)
            }
        }
        return text
    }

    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && !key.unicodeScalars.contains { isControl($0) || ".[]\"".unicodeScalars.contains($0) }
    }

    private static func quoted(_ key: String) -> String {
        var text = "\""
        for scalar in key.unicodeScalars {
            if isControl(scalar) {
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                if scalar == "\"" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// What would begin a line of its own in a report, or hide in one.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A rule that a value breaks; what the value was is never told, only its type.
package struct SchemaViolation: Hashable, Sendable {
    /// Where the value stands.
    package let path: InstancePath
    package let rule: SchemaRule
    /// Where the rule stands in the schema, as a JSON pointer.
    package let place: String
    /// What is there, by its type.
    package let found: String
    /// What may be there.
    package let allowed: String
    /// What was probably meant.
    package let suggestion: String?
    /// What the nearest of several schemas has against the value.
    package let reasons: [SchemaViolation]

    package var description: String {
        let subject = path.steps.isEmpty ? "the configuration" : "\(path)"
        return "\(subject): \(allowed); found \(found)" + (suggestion.map { ". \($0)" } ?? "")
    }
}

/// The reason why this module cannot use a document as a schema.
package struct SchemaRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in the schema, as a JSON pointer.
    package let place: String
    package let rule: String
    /// Whether it may well be a schema, of which more is asked than is done here.
    package let isUnsupported: Bool

    package var description: String { "\(place.isEmpty ? "the schema" : place): \(rule)" }
}
