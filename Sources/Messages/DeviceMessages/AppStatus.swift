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

    /// The version as people see it, and as specifications name it.
    package var publishedVersion: String? { shortVersion ?? version }

    package init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        identifier = try fields.string("identifier", limit: 256)
        removed = try fields.boolIfPresent("_removed") ?? false
        declarationIdentifier = try fields.stringIfPresent("declaration-identifier", limit: 256)
        name = try fields.stringIfPresent("name", limit: 1024)
        version = try fields.stringIfPresent("version", limit: 256)
        shortVersion = try fields.stringIfPresent("short-version", limit: 256)
        state = try fields.stringIfPresent("state", limit: 64)
        updateState = try fields.stringIfPresent("update-state", limit: 64)
        if let object = try fields.objectIfPresent("config-state") { configState = try Self.configState(object) }
        reasons = try StatusReason.list(fields, "reasons")
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

    private static func configState(_ object: [String: JSONValue]) throws(InputRefusal) -> ConfigState {
        let fields = try JSONFields(.object(object))
        var state = ConfigState()
        if let app = try fields.objectIfPresent("app-config-state") {
            state.app = try JSONFields(.object(app)).string("state", limit: 64)
        }
        for (name, value) in try fields.objectIfPresent("extension-config-state") ?? [:] {
            state.extensions[name] = try JSONFields(value).string("state", limit: 64)
        }
        return state
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
