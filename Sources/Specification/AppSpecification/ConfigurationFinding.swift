package import InputBounds
package import JSONSchema

/// Something that a specification has to say about a configuration.
package struct ConfigurationFinding: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// The app would refuse the configuration.
        case error
        /// The app takes it, but hardly as it is meant.
        case warning
    }

    package let severity: Severity
    /// Which key.
    package let path: InstancePath
    /// The rule's name: a keyword of JSON Schema, or `unknownKey`, `deprecated`, `missingSecret` or
    /// `suspectedSecret`.
    package let rule: String
    /// For people; holds no value of the configuration.
    package let message: String
    package let suggestion: String?

    package init(
        _ severity: Severity, _ path: InstancePath, _ rule: String, _ message: String, suggestion: String? = nil
    ) {
        self.severity = severity
        self.path = path
        self.rule = rule
        self.message = message
        self.suggestion = suggestion
    }

    package var description: String {
        "\(path.steps.isEmpty ? "the configuration" : "\(path)"): \(message)" + (suggestion.map { ". \($0)" } ?? "")
    }
}

extension AppSpecification {
    /// What there is to say about a configuration, errors first; nothing if it is as the app wants it.
    package func findings(in configuration: PropertyListValue, most: Int = 100) -> [ConfigurationFinding] {
        let errors = schema.violations(of: configuration, most: most).map { violation in
            let nearest = violation.reasons.map(\.description)
            return ConfigurationFinding(
                .error, violation.path, violation.rule.rawValue, "\(violation.allowed); found \(violation.found)",
                suggestion: violation.suggestion
                    ?? (nearest.isEmpty ? nil : "Nearest: " + nearest.joined(separator: "; ")))
        }
        let warnings = advice.findings(in: configuration, most: most - errors.count)
        // What is an error already needs no warning.
        let told = Set(errors.map(\.path))
        return errors + warnings.filter { !told.contains($0.path) }
    }

    /// The secrets that the app cannot do without and that are not among those it gets.
    package func missing(among secrets: [(kind: SpecifiedSecret.Kind, identifier: String)]) -> [SpecifiedSecret] {
        self.secrets.filter { wanted in
            wanted.isRequired && !secrets.contains { $0.kind == wanted.kind && wanted.names($0.identifier) }
        }
    }
}

extension SpecifiedKey {
    /// Whether what this dictionary does not list means nothing to the app.
    var listsAllKeys: Bool {
        Set(others.filter { $0 != "allOf" || conditions.isEmpty }).isDisjoint(with: [
            "patternProperties", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "required",
        ])
    }
}
