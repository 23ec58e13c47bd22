import AdminMessages

/// The version of a configuration from which on the page of an app sums feedback.
struct FeedbackSince: Equatable {
    /// The query of an app's page.
    static let key = "feedback-since"
    /// The most configurations, and versions of each, that are offered.
    private static let most = 20

    let configuration: String
    let version: Int

    init(configuration: String, version: Int) {
        self.configuration = configuration
        self.version = version
    }

    /// Reads the choice of a page; nothing where feedback of all versions is summed, or the configuration is gone.
    init?(_ text: String?, among configurations: [ConfigurationSummary]) {
        let parts = (text ?? "").split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let version = Int(parts[0]), version > 0,
            configurations.contains(where: { $0.name == parts[1] })
        else { return nil }
        self.init(configuration: String(parts[1]), version: version)
    }

    /// The choice in the query of a page.
    var text: String { "\(version):\(configuration)" }

    /// What the API is asked for.
    var query: [(String, String)] { [("sinceVersion", "\(version)"), ("configurationName", configuration)] }

    /// Offers the newest versions of the app's configurations, beside the number that was chosen.
    static func form(
        _ chosen: FeedbackSince?, number: String?, of configurations: [ConfigurationSummary]
    ) -> HTML? {
        var choices: [FeedbackSince] = configurations.prefix(most).flatMap { one in
            (max(1, one.version - most + 1)...max(1, one.version)).reversed().map { version in
                FeedbackSince(configuration: one.name, version: version)
            }
        }
        if let chosen, !choices.contains(chosen) { choices.insert(chosen, at: 0) }
        guard !choices.isEmpty else { return nil }
        var options: [(value: String, label: String)] = [("", "All versions")]
        for choice in choices {
            options.append((choice.text, "\(choice.configuration), version \(choice.version) or later"))
        }
        let field = Field(key, "Counted with", value: chosen?.text ?? "")
        let kept: HTML? = number.map { "<input type=\"hidden\" name=\"\(FeedbackPart.key)\" value=\"\($0)\">" }
        return """
            <form class="filters" method="get">\(kept)\(field.choice(options))<button class="plain">Show</button></form>
            """
    }

    /// What is left out of sums since a version; nothing where all is counted.
    static func leftOut(of summary: FeedbackSummary) -> HTML? {
        guard let unknown = summary.unknownVersions, unknown > 0 else { return nil }
        return """
            <p class="muted">Hand-overs left out because the server does not know their version: \(unknown).</p>
            """
    }
}
