import AppSpecification

extension ConfigurationRuleError.Kind {
    /// What administrators read of the code.
    var specified: SpecifiedError {
        let (name, meaning, remedy) = words
        return SpecifiedError(code: rawValue, name: name, meaning: meaning, remedy: remedy)
    }

    private var words: (name: String, meaning: String, remedy: String) {
        switch self {
        case .choice: ("notAChoice", "A value is none of those that are listed.", "Use one of the listed values.")
        case .range: ("outOfRange", "A number is outside its range.", "Use a number of the range.")
        case .length: ("wrongLength", "A text is too short or too long.", "Write a text of the allowed length.")
        case .pattern:
            ("patternMismatch", "A text is not of the form that is asked for.", "Compare it with the pattern.")
        case .count: ("wrongCount", "A list or dictionary holds too few or too many.", "Add or remove entries.")
        case .repetition: ("repetition", "A list holds the same twice.", "Remove what is there twice.")
        case .date: ("dateOutOfRange", "A date is too early or too late.", "Use a date between the two.")
        case .size: ("wrongSize", "Data has too few or too many bytes.", "Use data of the allowed size.")
        case .form:
            ("wrongForm", "A value is not of the form that is asked for.", "Compare it with the key's description.")
        }
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
