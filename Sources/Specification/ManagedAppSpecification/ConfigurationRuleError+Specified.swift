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
    /// Whether a value of this key, or inside it, can break a rule of a kind.
    func has(_ kind: ConfigurationRuleError.Kind) -> Bool {
        let here =
            switch kind {
            case .choice: choices != nil
            case .range:
                bounds.minimum != nil || bounds.maximum != nil || bounds.exclusiveMaximum != nil
            case .length: bounds.minLength != nil || bounds.maxLength != nil
            case .pattern: bounds.pattern != nil
            case .count:
                bounds.minItems != nil || bounds.maxItems != nil || bounds.minProperties != nil
                    || bounds.maxProperties != nil
            case .repetition: bounds.uniqueItems
            case .date: bounds.earliest != nil || bounds.latest != nil
            case .size: bounds.minBytes != nil || bounds.maxBytes != nil
            case .form: bounds.format == "uri"
            }
        return here || (keys + item + values).contains { $0.has(kind) }
    }
}
