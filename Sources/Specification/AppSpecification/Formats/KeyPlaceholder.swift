/// Names such as `{{key}}` and `{{value}}`, which stand for the keys of a dictionary that an administrator chooses.
///
/// Profile manifests have them, and so have the schemas that are made of manifests.
enum KeyPlaceholder {
    /// The word in the braces, in small letters; nothing for the name of a key.
    static func word(in name: String) -> String? {
        guard name.hasPrefix("{{"), name.hasSuffix("}}"), name.utf8.count > 4 else { return nil }
        return name.dropFirst(2).dropLast(2).filter { !$0.isWhitespace }.lowercased()
    }
}
