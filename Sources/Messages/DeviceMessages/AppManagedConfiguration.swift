package import InputBounds

/// `com.apple.configuration.app.managed`: an app to manage, with its configuration and its secrets.
package struct AppManagedConfiguration: DeclarationPayload {
    package static let type = "com.apple.configuration.app.managed"
    package static let keys: Set = [
        "AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier", "iOSApp", "InstallBehavior", "UpdateBehavior",
        "IncludeInBackup", "Attributes", "AppConfig", "ExtensionConfigs", "LegacyAppConfigAssetReference",
        "MartletLowestTrust",
    ]

    /// The key paths that take effect on a Martlet device.
    ///
    /// `AppStoreID` and `BundleID` have one: a declaration with them is refused as a whole.
    private static let effective: Set = [
        "AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier", "InstallBehavior.Install",
        "UpdateBehavior.AutomaticAppUpdates", "LegacyAppConfigAssetReference", "MartletLowestTrust",
    ]

    /// The keys of a payload that have no effect on a Martlet device, as key paths, sorted.
    ///
    /// Keys that the protocol has and this device cannot honor are among them: the server must not take them for applied.
    package static func unknownKeys(in payload: JSONValue) -> [String] {
        var unknown: [String] = []
        for (key, value) in payload.object ?? [:] {
            switch (key, value.object) {
            case ("AppConfig", let config?): unknown += AppConfig.unknownKeys(in: config, at: key)
            case ("ExtensionConfigs", let configs?):
                for (name, config) in configs {
                    unknown += AppConfig.unknownKeys(in: config.object ?? [:], at: "\(key).\(name)")
                }
            case (_, let members?) where !members.isEmpty:
                unknown += members.keys.map { "\(key).\($0)" }.filter { !effective.contains($0) }
            case ("InstallBehavior", _?), ("UpdateBehavior", _?): break
            default: if !effective.contains(key) { unknown.append(key) }
            }
        }
        return unknown.sorted()
    }

    /// Which app it is; exactly one key says so.
    package enum Source: Hashable, Sendable {
        case appStoreID(String)
        case bundleID(String)
        case manifestURL(String)
        /// An app already there: `bundle (TEAM)`, or a bundle identifier with a requirement in braces.
        case composedIdentifier(String)
    }

    package enum Install: String, Hashable, Sendable {
        /// Nothing happens until the user asks for the app.
        case optional = "Optional"
        case required = "Required"
    }

    package var source: Source
    /// Optional where the declaration does not say.
    package var install: Install
    package var appConfig: AppConfig?
    /// By the composed identifier of the extension.
    package var extensionConfigs: [String: AppConfig]
    /// The asset of the dictionary for the app's user defaults; extensions have none.
    package var legacyAppConfigAssetReference: String?
    /// The least that a device must trust the app before it gives it a secret; Martlet's own.
    package var lowestTrust: AppTrust
    /// Every other key, as it stands.
    package var others: [String: JSONValue]

    package init(
        source: Source, install: Install = .required, appConfig: AppConfig? = nil,
        extensionConfigs: [String: AppConfig] = [:], legacyAppConfigAssetReference: String? = nil,
        lowestTrust: AppTrust = .launched, others: [String: JSONValue] = [:]
    ) {
        self.source = source
        self.install = install
        self.appConfig = appConfig
        self.extensionConfigs = extensionConfigs
        self.legacyAppConfigAssetReference = legacyAppConfigAssetReference
        self.lowestTrust = lowestTrust
        self.others = others
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(payload)
        source = try Self.source(fields)
        let behavior = try JSONFields(.object(try fields.objectIfPresent("InstallBehavior") ?? [:]))
        guard let install = Install(rawValue: try behavior.stringIfPresent("Install") ?? "Optional") else {
            throw InputRefusal("the key Install has an unknown value")
        }
        self.install = install
        appConfig = try fields.objectIfPresent("AppConfig").map { (object) throws(InputRefusal) in
            try AppConfig(.object(object))
        }
        extensionConfigs = [:]
        for (name, value) in try fields.objectIfPresent("ExtensionConfigs") ?? [:] {
            extensionConfigs[name] = try AppConfig(value)
        }
        legacyAppConfigAssetReference = try fields.stringIfPresent("LegacyAppConfigAssetReference", limit: 64)
        guard let lowestTrust = AppTrust(rawValue: try fields.stringIfPresent("MartletLowestTrust") ?? "launched")
        else {
            throw InputRefusal("the key MartletLowestTrust has an unknown value")
        }
        self.lowestTrust = lowestTrust
        others = fields.entries.filter { !Self.read.contains($0.key) }
        let rest = behavior.entries.filter { $0.key != "Install" }
        if !rest.isEmpty { others["InstallBehavior"] = .object(rest) }
    }

    package var payload: JSONValue {
        var entries = others
        switch source {
        case .appStoreID(let text): entries["AppStoreID"] = .string(text)
        case .bundleID(let text): entries["BundleID"] = .string(text)
        case .manifestURL(let text): entries["ManifestURL"] = .string(text)
        case .composedIdentifier(let text): entries["AppComposedIdentifier"] = .string(text)
        }
        var behavior = others["InstallBehavior"]?.object ?? [:]
        behavior["Install"] = .string(install.rawValue)
        entries["InstallBehavior"] = .object(behavior)
        if let appConfig { entries["AppConfig"] = appConfig.value }
        if !extensionConfigs.isEmpty { entries["ExtensionConfigs"] = .object(extensionConfigs.mapValues(\.value)) }
        if let legacyAppConfigAssetReference {
            entries["LegacyAppConfigAssetReference"] = .string(legacyAppConfigAssetReference)
        }
        if lowestTrust != .launched { entries["MartletLowestTrust"] = .string(lowestTrust.rawValue) }
        return .object(entries)
    }

    /// The identifiers of all assets that a device needs for it, sorted, each once.
    package var assetReferences: [String] {
        var references = Set(appConfig?.assetReferences ?? [])
        if let legacyAppConfigAssetReference { references.insert(legacyAppConfigAssetReference) }
        for config in extensionConfigs.values { references.formUnion(config.assetReferences) }
        return references.sorted()
    }

    /// The bundle identifier in a composed identifier; nothing for the other sources except `BundleID`.
    package var bundleIdentifier: String? {
        switch source {
        case .bundleID(let text): text
        case .composedIdentifier(let text): text.split(separator: " ", maxSplits: 1).first.map(String.init)
        case .appStoreID, .manifestURL: nil
        }
    }

    private static let read: Set = [
        "AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier", "InstallBehavior", "AppConfig",
        "ExtensionConfigs", "LegacyAppConfigAssetReference", "MartletLowestTrust",
    ]

    private static func source(_ fields: JSONFields) throws(InputRefusal) -> Source {
        var sources: [Source] = []
        if let text = try fields.stringIfPresent("AppStoreID") { sources.append(.appStoreID(text)) }
        if let text = try fields.stringIfPresent("BundleID") { sources.append(.bundleID(text)) }
        if let text = try fields.stringIfPresent("ManifestURL") { sources.append(.manifestURL(text)) }
        if let text = try fields.stringIfPresent("AppComposedIdentifier") { sources.append(.composedIdentifier(text)) }
        guard sources.count == 1, let source = sources.first else {
            throw InputRefusal("a managed app is named by exactly one of its four keys")
        }
        return source
    }
}

/// What one app, or one extension of it, is given: its configuration and its secrets, all by asset.
package struct AppConfig: Hashable, Sendable {
    /// A secret under the name the app asks for it by.
    package struct Secret: Hashable, Sendable {
        package var identifier: String
        package var assetReference: String

        package init(identifier: String, assetReference: String) {
            self.identifier = identifier
            self.assetReference = assetReference
        }
    }

    package var dataAssetReference: String?
    package var passwords: [Secret]
    package var identities: [Secret]
    package var certificates: [Secret]

    package init(
        dataAssetReference: String? = nil, passwords: [Secret] = [], identities: [Secret] = [],
        certificates: [Secret] = []
    ) {
        self.dataAssetReference = dataAssetReference
        self.passwords = passwords
        self.identities = identities
        self.certificates = certificates
    }

    init(_ value: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(value)
        dataAssetReference = try fields.stringIfPresent("DataAssetReference", limit: 64)
        passwords = try Self.secrets(fields, "Passwords")
        identities = try Self.secrets(fields, "Identities")
        certificates = try Self.secrets(fields, "Certificates")
    }

    var value: JSONValue {
        var entries: [String: JSONValue] = [:]
        if let dataAssetReference { entries["DataAssetReference"] = .string(dataAssetReference) }
        for (key, secrets) in [("Passwords", passwords), ("Identities", identities), ("Certificates", certificates)]
        where !secrets.isEmpty {
            entries[key] = .array(
                secrets.map {
                    .object(["Identifier": .string($0.identifier), "AssetReference": .string($0.assetReference)])
                })
        }
        return .object(entries)
    }

    package var assetReferences: [String] {
        (dataAssetReference.map { [$0] } ?? []) + (passwords + identities + certificates).map(\.assetReference)
    }

    private static let keys: Set = ["DataAssetReference", "Passwords", "Identities", "Certificates"]
    private static let secretKeys: Set = ["Identifier", "AssetReference"]

    /// Keys that have no effect, as paths below `path`.
    static func unknownKeys(in entries: [String: JSONValue], at path: String) -> [String] {
        entries.flatMap { key, value -> [String] in
            guard keys.contains(key) else { return ["\(path).\(key)"] }
            let unknown = (value.array ?? []).flatMap { Array(($0.object ?? [:]).keys) }
            return Set(unknown).subtracting(secretKeys).map { "\(path).\(key).\($0)" }
        }
    }

    private static func secrets(_ fields: JSONFields, _ key: String) throws(InputRefusal) -> [Secret] {
        var secrets: [Secret] = []
        for item in try fields.arrayIfPresent(key) ?? [] {
            let secret = try JSONFields(item)
            secrets.append(
                Secret(
                    identifier: try secret.string("Identifier", limit: 256),
                    assetReference: try secret.string("AssetReference", limit: 64)))
        }
        return secrets
    }
}
