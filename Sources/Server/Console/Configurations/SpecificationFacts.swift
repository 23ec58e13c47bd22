import AppSpecification

/// The facts of a specification beside its keys, for the editor of a configuration.
enum SpecificationFacts {
    /// The secrets that the app asks for.
    static func secrets(_ edited: EditedConfiguration) -> HTML? {
        let secrets = (edited.part.flatMap { edited.specification?.extensions[$0] } ?? edited.specification)?.secrets
        guard let secrets, !secrets.isEmpty else { return nil }
        let items: [HTML] = secrets.map { secret in
            let name = secret.identifier + (secret.isPrefix ? "…" : "")
            let need: HTML? = secret.isRequired ? " \(Badge(.plain, "required").html)" : nil
            return "<li><code>\(name)</code> (\(secret.kind.rawValue))\(need) \(secret.purpose ?? "")</li>"
        }
        return Panel.html(
            "Secrets that the app asks for",
            "<ul class=\"list\">\(items)</ul><p>\(Link.html("Assign secrets", ["secrets"]))</p>")
    }
}
