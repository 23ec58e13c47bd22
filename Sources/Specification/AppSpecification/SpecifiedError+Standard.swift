/// What the errors mean that no app has to document: those of `@ManagedConfiguration`'s rules, and the system's own.
extension SpecifiedError {
    /// What a code means where the app's own table does not say it.
    package static func standard(_ code: Int) -> SpecifiedError? { known[code] }

    /// The rules of `@ManagedConfiguration`, in the order of their codes.
    package static let rules = [
        SpecifiedError(
            code: 9_001, name: "notAChoice", meaning: "A value is none of those that are listed.",
            remedy: "Use one of the listed values."),
        SpecifiedError(
            code: 9_002, name: "outOfRange", meaning: "A number is outside its range.",
            remedy: "Use a number of the range."),
        SpecifiedError(
            code: 9_003, name: "wrongLength", meaning: "A text is too short or too long.",
            remedy: "Write a text of the allowed length."),
        SpecifiedError(
            code: 9_004, name: "patternMismatch", meaning: "A text is not of the form that is asked for.",
            remedy: "Compare it with the pattern."),
        SpecifiedError(
            code: 9_005, name: "wrongCount", meaning: "A list or dictionary holds too few or too many.",
            remedy: "Add or remove entries."),
        SpecifiedError(
            code: 9_006, name: "repetition", meaning: "A list holds the same twice.",
            remedy: "Remove what is there twice."),
        SpecifiedError(
            code: 9_007, name: "dateOutOfRange", meaning: "A date is too early or too late.",
            remedy: "Use a date between the two."),
        SpecifiedError(
            code: 9_008, name: "wrongSize", meaning: "Data has too few or too many bytes.",
            remedy: "Use data of the allowed size."),
        SpecifiedError(
            code: 9_009, name: "wrongForm", meaning: "A value is not of the form that is asked for.",
            remedy: "Compare it with the key's description."),
        SpecifiedError(
            code: 9_010, name: "wrongTogether", meaning: "Keys do not go together.",
            remedy: "Add the key that is missing, or remove the one too many."),
    ]

    /// The codes that belong to the system, as `ManagedAppConfigurationDecodingErrorCode` names them.
    package static let system = [
        SpecifiedError(
            code: 2_147_482_624, name: "generic", meaning: "The app's decoder threw an error without a code.",
            remedy: "Read the message, and compare the configuration with what the app publishes."),
        SpecifiedError(
            code: 2_147_482_625, name: "timeout", meaning: "The app's decoder did not end within the time limit.",
            remedy: "Tell the app's developer; a smaller configuration may help."),
        SpecifiedError(
            code: 2_147_482_626, name: "keyNotFound", meaning: "A key is missing that the app needs.",
            remedy: "Add the key."),
        SpecifiedError(
            code: 2_147_482_627, name: "typeMismatch", meaning: "A value is of another type than the app reads.",
            remedy: "Use a value of the type that the app publishes."),
        SpecifiedError(
            code: 2_147_482_628, name: "valueNotFound", meaning: "A value is missing that the app needs.",
            remedy: "Give the key a value."),
        SpecifiedError(
            code: 2_147_482_629, name: "dataCorrupted", meaning: "A value is not one that the app can read.",
            remedy: "Compare the value with what the app publishes for the key."),
    ]

    private static let known = Dictionary((rules + system).map { ($0.code, $0) }) { first, _ in first }
}
