import AppSpecification

extension ConfigurationRuleError.Kind {
    /// What administrators read of the code.
    var specified: SpecifiedError {
        guard let error = SpecifiedError.standard(rawValue) else {
            preconditionFailure("each kind of rule is explained")
        }
        return error
    }
}

extension SpecifiedKey {
    /// The rules that a value of this key itself can break.
    var kinds: Set<ConfigurationRuleError.Kind> {
        let bounded: [(ConfigurationRuleError.Kind, Bool)] = [
            (.choice, choices != nil),
            (.range, bounds.minimum != nil || bounds.maximum != nil || bounds.exclusiveMaximum != nil),
            (.length, bounds.minLength != nil || bounds.maxLength != nil),
            (.pattern, bounds.pattern != nil),
            (.count, bounds.minItems != nil || bounds.maxItems != nil),
            (.count, bounds.minProperties != nil || bounds.maxProperties != nil),
            (.repetition, bounds.uniqueItems),
            (.date, bounds.earliest != nil || bounds.latest != nil),
            (.size, bounds.minBytes != nil || bounds.maxBytes != nil),
            (.form, bounds.format == "uri"),
        ]
        return Set(bounded.filter(\.1).map(\.0))
    }
}
