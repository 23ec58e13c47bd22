package import ArgumentParser

/// The check of options that exclude each other, with the same words in every command.
package enum OneOption {
    /// Checks that one of the options is given and no other.
    package static func exactly(_ options: KeyValuePairs<String, Bool>) throws(ValidationError) {
        try atMost(options)
        guard options.contains(where: \.value) else { throw ValidationError("give \(list(options, "or"))") }
    }

    /// Checks that no two of the options are given.
    package static func atMost(_ options: KeyValuePairs<String, Bool>) throws(ValidationError) {
        guard options.filter(\.value).count > 1 else { return }
        throw ValidationError(
            options.count == 2
                ? "give \(list(options, "or")), not both" : "give only one of \(list(options, "and"))")
    }

    /// The names, joined as in a sentence.
    private static func list(_ options: KeyValuePairs<String, Bool>, _ word: String) -> String {
        let names = options.map(\.key)
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " \(word) " + last
    }
}
