package import AppSpecification
package import InputBounds

/// What the server found in a command that concerns apps and may be queued.
struct AppCommandJudgement: Sendable, Equatable {
    /// A sentence each.
    var warnings: [String] = []
    /// The keys of its configurations whose values look like secrets, for the audit log.
    var suspectedSecrets: [String] = []
}

/// A configuration in a command, with the facts of its app that decide whether it is sent and which warnings it gets.
///
/// The app gets it as its defaults dictionary, as it would by an assignment that delivers it so.
package struct CommandedConfiguration {
    let root: PropertyListValue
    /// What the app published, the newest version first; nothing of an app that is not known.
    let published: [(version: String, specification: AppSpecification)]
    /// The version that the device has and keeps; nothing where the command installs one.
    let present: String?
    /// Which app it is for is known.
    let isAppKnown: Bool

    package init(
        root: PropertyListValue, published: [(version: String, specification: AppSpecification)], present: String?,
        isAppKnown: Bool
    ) {
        self.root = root
        self.published = published
        self.present = present
        self.isAppKnown = isAppKnown
    }

    /// Whether it may be in a defaults dictionary.
    var content: DefaultsContent { DefaultsContent(of: root, by: published) }

    /// What there is to say of it, a sentence each, or why it is not sent.
    ///
    /// A key that the app marks as sensitive is refused whatever is forced. A value that looks like a secret, and what
    /// the version on the device would refuse, or the newest where none is there, is refused unless that is forced.
    package func judged(isForced: Bool) -> Outcome<[String], AdminRefusal> {
        let content = content
        let found = published.map {
            VersionFindings(in: root, as: .app, by: $0.specification, of: $0.version)
        }
        let judgement = SpecificationJudgement(of: found, devices: concerned)
        let refusing = present == nil ? judgement.errors : judgement.errors.filter { !$0.versions.isEmpty }
        if let refusal = content.refusal(beside: refusing, isForced: isForced) { return .refused(refusal) }
        var said = judgement.errors.map(\.warning)
        said += judgement.warnings + content.warnings
        said += Management.foreignVariables(in: root)
        return .accepted(said + literalVariables + unchecked)
    }

    /// The version on the device, by the version whose specification judges for it.
    private var concerned: [String: [AppVersionCount]] {
        guard let present, let judge = SpecificationChoice(published.map(\.version)).judge(of: present) else {
            return [:]
        }
        return [judge: [AppVersionCount(version: present, devices: 1)]]
    }

    private var literalVariables: [String] {
        let names = (try? ConfigurationTemplate.judge(root))?.variables ?? []
        guard !names.isEmpty else { return [] }
        return [
            "A command fills in no variables: the app gets \(names.map { "${\($0)}" }.joined(separator: ", ")) as it is. "
                + "Write the value, or assign the configuration."
        ]
    }

    private var unchecked: [String] {
        isAppKnown
            ? []
            : [
                "Which app this installs is not known here, so its configuration was checked against no specification: "
                    + "name the app with Identifier."
            ]
    }
}
