package import InputBounds

/// An element of the status item `app.managed.list`: one managed app on a device.
package struct AppStatus: Hashable, Sendable {
    package static let name = "app.managed.list"
    /// The code of the reason with which an app, or an extension of it, refused its configuration; its details are the
    /// app's own words.
    package static let configurationRefused = "Error.ConfigurationRefused"
    /// The device could not apply the newest configuration: the previous one serves, if there is one.
    package static let configurationNotApplied = "Error.ConfigurationNotApplied"
    /// The device could not get a secret that the app was given.
    package static let secretUnavailable = "Error.SecretUnavailable"
    /// The device could not get a secret's newest version: the older one serves.
    package static let secretNotUpdated = "Error.SecretNotUpdated"
    /// The app is given no secrets, because it is trusted less than its assignment asks.
    package static let secretsWithheld = "Info.SecretsWithheld"

    /// The app fetched its configuration over HTTP, or it was written to files for the app, which says nothing about it; the
    /// details have the `Version`, and the `Way`: `http` or `files`.
    package static let configurationHandedOver = "Info.ConfigurationHandedOver"

    /// What the apps' decoders made of their configurations: `unknown` until an app has read its own.
    package struct ConfigState: Hashable, Sendable {
        package var app: String?
        /// By the bundle identifier of the extension.
        package var extensions: [String: String]

        package init(app: String? = nil, extensions: [String: String] = [:]) {
            self.app = app
            self.extensions = extensions
        }
    }

    /// The bundle identifier.
    package var identifier: String
    /// The app is no longer there; nothing else is said of it.
    package var removed: Bool
    package var declarationIdentifier: String?
    package var name: String?
    package var version: String?
    package var shortVersion: String?
    package var state: String?
    /// Only while an update is there to be made, is made or has failed.
    package var updateState: String?
    /// Only while some configuration exists.
    package var configState: ConfigState?
    package var reasons: [StatusReason]

    package init(
        identifier: String, declarationIdentifier: String? = nil, name: String? = nil, version: String? = nil,
        shortVersion: String? = nil, state: String? = nil, updateState: String? = nil, configState: ConfigState? = nil,
        reasons: [StatusReason] = [], removed: Bool = false
    ) {
        self.identifier = identifier
        self.removed = removed
        self.declarationIdentifier = declarationIdentifier
        self.name = name
        self.version = version
        self.shortVersion = shortVersion
        self.state = state
        self.updateState = updateState
        self.configState = configState
        self.reasons = reasons
    }

    /// Whether the device says that the app is not there: what the app last said of its configuration went with it.
    package var isAbsent: Bool { state.map { $0 != "managed" } == true && publishedVersion == nil }

    /// The version as people see it, and as specifications name it.
    package var publishedVersion: String? { shortVersion ?? version }

    /// Reads an element; one that does not say of which app it is cannot be read.
    package init(_ value: JSONValue) throws(InputRefusal) {
        self = try Self.read(value).value
    }

    /// The same, with the places that were read only in part.
    package static func read(_ value: JSONValue) throws(InputRefusal) -> LenientReading<AppStatus> {
        var said = SaidFields(try JSONFields(value))
        var status = AppStatus(identifier: try said.fields.string("identifier", limit: 256))
        status.removed = try said.fields.boolIfPresent("_removed") ?? false
        status.declarationIdentifier = said.text("declaration-identifier", limit: 256)
        status.name = said.text("name", limit: 1024)
        status.version = said.text("version", limit: 256)
        status.shortVersion = said.text("short-version", limit: 256)
        status.state = said.text("state", limit: 64)
        status.updateState = said.text("update-state", limit: 64)
        if let members = said.members("config-state") { status.configState = configState(members, &said) }
        status.reasons = said.reasons("reasons")
        return LenientReading(status, said.oddities)
    }

    package var value: JSONValue {
        var entries = ["identifier": JSONValue.string(identifier)]
        if removed {
            entries["_removed"] = .boolean(true)
            return .object(entries)
        }
        if let declarationIdentifier { entries["declaration-identifier"] = .string(declarationIdentifier) }
        if let name { entries["name"] = .string(name) }
        if let version { entries["version"] = .string(version) }
        if let shortVersion { entries["short-version"] = .string(shortVersion) }
        if let state { entries["state"] = .string(state) }
        if let updateState { entries["update-state"] = .string(updateState) }
        if let configState { entries["config-state"] = Self.value(configState) }
        if !reasons.isEmpty { entries["reasons"] = .array(reasons.map { $0.value() }) }
        return .object(entries)
    }

    private static func configState(
        _ members: [String: JSONValue], _ said: inout SaidFields<JSONValue>
    ) -> ConfigState {
        var state = ConfigState()
        if let app = members["app-config-state"] {
            state.app = word(app, &said, at: "config-state.app-config-state")
        }
        guard let extensions = members["extension-config-state"] else { return state }
        guard case .object(let extensions) = extensions else {
            said.note(at: "config-state.extension-config-state", "the value is not an object")
            return state
        }
        for (name, value) in extensions.sorted(by: { $0.key < $1.key }) {
            state.extensions[name] = word(value, &said, at: "config-state.extension-config-state.\(name)")
        }
        return state
    }

    private static func word(
        _ value: JSONValue, _ said: inout SaidFields<JSONValue>, at place: String
    ) -> String? {
        if let word = value["state"]?.string, word.utf8.count <= 64 { return word }
        said.note(at: place, "the key state is not a string of at most 64 bytes")
        return nil
    }

    private static func value(_ state: ConfigState) -> JSONValue {
        var entries: [String: JSONValue] = [:]
        if let app = state.app { entries["app-config-state"] = .object(["state": .string(app)]) }
        if !state.extensions.isEmpty {
            entries["extension-config-state"] = .object(state.extensions.mapValues { .object(["state": .string($0)]) })
        }
        return .object(entries)
    }
}
