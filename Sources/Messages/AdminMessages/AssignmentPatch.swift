/// Changes an assignment in what it mentions, or makes it. `PATCH /assignments/{group}/{app}`
package struct AssignmentPatch: Hashable, Sendable {
    package var configuration: Patched<String>
    /// The configurations of extensions by their bundle identifiers; an extension that is not named keeps its own.
    package var extensions: Patched<[String: Patched<String>]>
    package var lowestTrust: Patched<String>
    package var install: Patched<String>
    package var priority: Patched<Int>
    package var delivery: Patched<String>

    package init(
        configuration: Patched<String> = .stays, extensions: Patched<[String: Patched<String>]> = .stays,
        lowestTrust: Patched<String> = .stays, install: Patched<String> = .stays, priority: Patched<Int> = .stays,
        delivery: Patched<String> = .stays
    ) {
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
    }
}

extension AssignmentPatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case configuration, extensions, lowestTrust, install, priority, delivery
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        configuration = try container.patched(.configuration)
        extensions = try container.patched(.extensions)
        lowestTrust = try container.patched(.lowestTrust)
        install = try container.patched(.install)
        priority = try container.patched(.priority)
        delivery = try container.patched(.delivery)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(patched: configuration, .configuration)
        try container.encode(patched: extensions, .extensions)
        try container.encode(patched: lowestTrust, .lowestTrust)
        try container.encode(patched: install, .install)
        try container.encode(patched: priority, .priority)
        try container.encode(patched: delivery, .delivery)
    }
}
