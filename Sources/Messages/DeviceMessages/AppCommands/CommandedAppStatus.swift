package import InputBounds

/// An element of the status item `dev.martlet.app.by-command`: one app that is managed by command.
///
/// Apple's protocol has none like it: there a server asks with ManagedApplicationList. It is state like
/// `app.managed.list`, which names the apps of declarations; no app is in both.
package struct CommandedAppStatus: Hashable, Sendable {
    package static let name = "dev.martlet.app.by-command"
    package static let feature = "dev.martlet.app-commands"

    /// The bundle identifier.
    package var identifier: String
    /// The app is managed by command no longer; nothing else is said of it.
    package var removed: Bool
    package var name: String
    package var version: String?
    /// In the words of `app.managed.list`.
    package var state: String?
    /// Whether a server has given it a configuration.
    package var hasConfiguration: Bool
    /// The SHA-256 of that configuration as an XML property list, in hexadecimal digits.
    package var configuration: String?
    /// Whether feedback of it waits to be read.
    package var hasFeedback: Bool
    package var reasons: [StatusReason]

    package init(
        identifier: String, name: String? = nil, version: String? = nil, state: String? = nil,
        hasConfiguration: Bool = false, configuration: String? = nil, hasFeedback: Bool = false,
        reasons: [StatusReason] = [], removed: Bool = false
    ) {
        self.identifier = identifier
        self.removed = removed
        self.name = name ?? identifier
        self.version = version
        self.state = state
        self.hasConfiguration = hasConfiguration
        self.configuration = configuration
        self.hasFeedback = hasFeedback
        self.reasons = reasons
    }

    /// Reads an element; one that does not say of which app it is cannot be read.
    package init(_ value: JSONValue) throws(InputRefusal) {
        self = try Self.read(value).value
    }

    /// The same, with the places that were read only in part.
    package static func read(_ value: JSONValue) throws(InputRefusal) -> LenientReading<CommandedAppStatus> {
        var said = SaidFields(try JSONFields(value))
        let identifier = try said.fields.string("identifier", limit: 256)
        guard !identifier.isEmpty else { throw InputRefusal("the key identifier is empty") }
        var status = CommandedAppStatus(identifier: identifier)
        status.removed = try said.fields.boolIfPresent("_removed") ?? false
        status.name = said.text("name", limit: 1024) ?? identifier
        status.version = said.text("version", limit: 256)
        status.state = said.text("state", limit: 64)
        status.hasConfiguration = said.flag("has-configuration") ?? false
        status.configuration = said.text("configuration", limit: 64)
        status.hasFeedback = said.flag("has-feedback") ?? false
        status.reasons = said.reasons("reasons")
        return LenientReading(status, said.oddities)
    }

    package var value: JSONValue {
        var entries = ["identifier": JSONValue.string(identifier)]
        if removed {
            entries["_removed"] = .boolean(true)
            return .object(entries)
        }
        entries["name"] = .string(name)
        if let version { entries["version"] = .string(version) }
        if let state { entries["state"] = .string(state) }
        entries["has-configuration"] = .boolean(hasConfiguration)
        if let configuration { entries["configuration"] = .string(configuration) }
        entries["has-feedback"] = .boolean(hasFeedback)
        if !reasons.isEmpty { entries["reasons"] = .array(reasons.map { $0.value() }) }
        return .object(entries)
    }
}

extension ClientCapabilities {
    /// Whether the device can have apps managed by command, and tells the server of them.
    package var takesAppCommands: Bool { supportedFeatures[CommandedAppStatus.feature] != nil }
}

extension StatusReport {
    /// The apps managed by command that the report speaks of, as far as they can be read; removed ones are among them.
    package func commandedApps() -> [CommandedAppStatus]? {
        guard let value = value(at: CommandedAppStatus.name) else { return nil }
        return (value.array ?? []).compactMap { try? CommandedAppStatus($0) }
    }
}
