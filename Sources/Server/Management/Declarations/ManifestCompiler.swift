import Crypto
import DeviceMessages
import Foundation
import InputBounds

/// Compiles assignments into manifests: a pure function, with the same result on every machine and after every start.
///
/// The identifier of an app's configuration depends on the app alone, because removing `app.managed` deletes the app
/// from a device: a new version, another group or another assignment changes only tokens (D2).
package struct ManifestCompiler: Sendable {
    /// Raised when the compiler writes the same assignments differently.
    private static let revision = 1

    /// What devices are asked to report.
    private static let subscriptions = [
        "app.managed.list", "device.identifier.serial-number", "device.identifier.udid", "device.model.family",
        "device.model.identifier", "device.operating-system.build-version", "device.operating-system.family",
        "device.operating-system.version",
    ]

    /// The same, with what some devices alone say that they tell.
    private static func subscriptions(of audience: DeviceAudience) -> [String] {
        subscriptions + (audience.tellsFeedback == true ? [AppFeedbackStatus.name] : [])
            + (audience.takesAppCommands == true ? [CommandedAppStatus.name] : [])
    }

    let baseURL: String
    private let organization: String
    private let kinds: [SettingKind]
    /// The era of what is compiled.
    private var era: String?

    package init(baseURL: String, organization: String, kinds: [SettingKind] = SettingKind.all) {
        self.baseURL = baseURL
        self.organization = organization
        self.kinds = kinds
    }

    /// The manifest of an audience's devices that need nothing of their own, or have no values.
    package func compile(_ snapshot: AssignmentSnapshot, for audience: DeviceAudience = DeviceAudience()) -> Manifest {
        compile(prepare(Assigned(snapshot, kinds: kinds), for: audience), for: .none)
    }

    /// Compiles once what does not depend on the device.
    package func prepare(_ assigned: Assigned, for audience: DeviceAudience) -> PreparedManifest {
        let compiler = within(assigned.era)
        var needs = ManifestNeeds()
        let apps = assigned.entries.map { entry in
            switch entry.choice(for: audience) {
            case .none(let reason):
                return PreparedManifest.App.fixed(CompiledApp(withheld: entry.app, reason))
            case .source(let source):
                if let reason = audience.refusedConfigurations {
                    return .fixed(compiler.app(entry.withoutConfiguration(reason), source, audience))
                }
                let its = entry.needs
                guard its.isEmpty else {
                    needs.add(its)
                    return .open(entry, source)
                }
                return .fixed(compiler.app(FilledEntry(entry), source, audience))
            }
        }
        return PreparedManifest(
            apps: apps, settings: compiler.settings(assigned.settings, for: audience), audience: audience,
            needs: needs, templates: assigned.templates, changed: assigned.changed, teams: assigned.teams,
            era: assigned.era)
    }

    /// The manifest of the devices with these values.
    package func compile(_ prepared: PreparedManifest, for values: DeviceValues) -> Manifest {
        let compiler = within(prepared.era)
        let apps = prepared.apps.map { app in
            switch app {
            case .fixed(let app): app
            case .open(let entry, let source):
                compiler.app(entry.filled(with: values, prepared.templates), source, prepared.audience)
            }
        }
        var drafts = apps.flatMap(\.drafts) + prepared.settings.drafts
        drafts.append(
            compiler.draft(
                .configuration, "com.apple.configuration.management.status-subscriptions", "martlet.status",
                [
                    "StatusItems": .array(
                        Self.subscriptions(of: prepared.audience).map { .object(["Name": .string($0)]) })
                ]))
        if let trust = compiler.trust(prepared.teams, for: prepared.audience) { drafts.append(trust) }
        let configurations = drafts.filter { $0.kind == .configuration }.map(\.identifier).sorted(by: Self.precedes)
        drafts.append(
            compiler.draft(
                .activation, "com.apple.activation.simple", "martlet.activation",
                ["StandardConfigurations": .array(configurations.map { .string($0) })]))
        drafts.append(
            compiler.draft(
                .management, "com.apple.management.server-capabilities", "martlet.server",
                ["Version": .string("1.0.0"), "SupportedFeatures": .object([:])]))
        drafts.append(
            compiler.draft(
                .management, "com.apple.management.organization-info", "martlet.organization",
                ["Name": .string(organization)]))
        return manifest(
            drafts, apps, prepared.settings,
            changed: max(prepared.changed, prepared.needs.isEmpty ? .distantPast : values.changed ?? .distantPast))
    }

    // MARK: One app

    /// An app's declarations, and what goes with them.
    struct CompiledApp: Sendable {
        let drafts: [Draft]
        let assets: [String: ManifestAsset]
        let files: [String: Data]
        let withheld: [Withheld]
        /// The app's declaration, and whose it is.
        let names: [String: String]
    }

    private func app(
        _ filled: FilledEntry, _ source: AppSource?, _ audience: DeviceAudience
    ) -> CompiledApp {
        let entry = filled.entry
        let app = entry.app
        var drafts: [Draft] = []
        var assets: [String: ManifestAsset] = [:]
        var payload = payload(of: app, from: source, install: entry.install)
        if audience.platform == .linux, entry.lowestTrust != .launched {
            payload["MartletLowestTrust"] = .string(entry.lowestTrust.rawValue)
        }
        var config = secrets(of: entry, extension: nil)
        if let reference = entry.configuration {
            let asset = Self.identifier("martlet.data.", app.bundleIdentifier)
            // One asset for both: a change of the delivery changes nothing but the app's declaration.
            if entry.delivery.isByFramework { config["DataAssetReference"] = .string(asset) }
            if entry.delivery.isAsDefaults { payload["LegacyAppConfigAssetReference"] = .string(asset) }
            drafts.append(data(asset, reference))
            assets[reference.sha256] = ManifestAsset(
                mediaType: reference.encoding.mediaType, size: reference.size)
        }
        if !config.isEmpty { payload["AppConfig"] = .object(config) }
        for (name, reference) in entry.extensions {
            drafts.append(data(Self.identifier(ofExtension: name, app: app), reference))
            assets[reference.sha256] = ManifestAsset(mediaType: reference.encoding.mediaType, size: reference.size)
        }
        let extensions = extensionConfigs(of: entry)
        if !extensions.isEmpty { payload["ExtensionConfigs"] = .object(extensions) }
        drafts += entry.secrets.compactMap { credential($0, of: app, filled) }
        let declaration = Self.identifier("martlet.app.", app.bundleIdentifier)
        drafts.append(
            draft(
                .configuration, "com.apple.configuration.app.managed", declaration, payload, revision: app.revision))
        return CompiledApp(
            drafts: drafts, assets: assets, files: filled.files, withheld: filled.withheld,
            names: [Manifest.name(kind: .configuration, identifier: declaration): app.bundleIdentifier])
    }

    // MARK: One declaration

    /// A declaration before its token.
    struct Draft: Sendable {
        let kind: DeclarationKind
        let identifier: String
        let serverToken: String
        let document: Data

        /// `values` are those that stand in what the declaration refers to, where its payload does not show them.
        init(
            _ kind: DeclarationKind, _ type: String, _ identifier: String, _ payload: [String: JSONValue],
            revision: Int, values: [String: String], era: String?
        ) {
            self.kind = kind
            self.identifier = identifier
            var hash = SHA256()
            // What was numbered before a restore is numbered again: it must not have the token that it had then.
            let numbers = "\(ManifestCompiler.revision).\(revision)" + (era.map { ".\($0)" } ?? "")
            ManifestCompiler.update(&hash, with: [Data(numbers.utf8)])
            ManifestCompiler.update(
                &hash, with: [Data(type.utf8), Data(identifier.utf8), JSONValue.object(payload).encoded()])
            if !values.isEmpty { ManifestCompiler.update(&hash, with: DeviceValues.parts(of: values)) }
            serverToken = Hexadecimal.text(hash.finalize())
            document =
                JSONValue.object([
                    "Type": .string(type), "Identifier": .string(identifier), "ServerToken": .string(serverToken),
                    "Payload": .object(payload),
                ]).encoded()
        }

        var item: JSONValue {
            .object(["Identifier": .string(identifier), "ServerToken": .string(serverToken)])
        }
    }

    func draft(
        _ kind: DeclarationKind, _ type: String, _ identifier: String, _ payload: [String: JSONValue],
        revision: Int = 0, values: [String: String] = [:]
    ) -> Draft {
        Draft(kind, type, identifier, payload, revision: revision, values: values, era: era)
    }

    private func within(_ era: String?) -> ManifestCompiler {
        var compiler = self
        compiler.era = era
        return compiler
    }

    private func data(_ identifier: String, _ reference: AssignmentSnapshot.ConfigurationReference) -> Draft {
        draft(
            .asset, "com.apple.asset.data", identifier,
            [
                "Reference": .object([
                    "DataURL": .string("\(baseURL)/mdm/assets/\(reference.sha256)"),
                    "ContentType": .string(reference.encoding.mediaType),
                    "Size": .integer(Int64(reference.size)),
                    "Hash-SHA-256": .string(reference.sha256),
                ]),
                "Authentication": .object(["Type": .string("MDM")]),
            ])
    }

    // MARK: The whole

    private func manifest(
        _ drafts: [Draft], _ apps: [CompiledApp], _ settings: CompiledSettings, changed: Date
    ) -> Manifest {
        let sorted = drafts.sorted { Self.precedes($0.identifier, $1.identifier) }
        var hash = SHA256()
        for draft in sorted {
            Self.update(&hash, with: [Data(draft.identifier.utf8), Data(draft.serverToken.utf8)])
        }
        let token = Hexadecimal.text(hash.finalize())
        func items(_ kind: DeclarationKind) -> JSONValue {
            .array(sorted.filter { $0.kind == kind }.map(\.item))
        }
        let itemsDocument = JSONValue.object([
            "Declarations": .object([
                "Activations": items(.activation), "Assets": items(.asset), "Configurations": items(.configuration),
                "Management": items(.management),
            ]),
            "DeclarationsToken": .string(token),
        ])
        let tokensDocument = JSONValue.object([
            "SyncTokens": .object([
                "DeclarationsToken": .string(token), "Timestamp": .string(Self.timestamp(changed)),
            ])
        ])
        var declarations: [String: Data] = [:]
        for draft in sorted {
            declarations[Manifest.name(kind: draft.kind, identifier: draft.identifier)] = draft.document
        }
        return Manifest(
            declarationsToken: token, changed: changed, tokensDocument: tokensDocument.encoded(),
            itemsDocument: itemsDocument.encoded(), declarations: declarations,
            assets: apps.reduce(into: settings.assets) { $0.merge($1.assets) { first, _ in first } },
            files: apps.reduce(into: [:]) { $0.merge($1.files) { first, _ in first } },
            withheld: apps.flatMap(\.withheld), withheldSettings: settings.withheld,
            apps: apps.reduce(into: [:]) { $0.merge($1.names) { first, _ in first } })
    }

    /// Parts are preceded by their length, so that no two lists of parts give the same bytes.
    static func update(_ hash: inout SHA256, with parts: [Data]) {
        for part in parts {
            hash.update(data: Data("\(part.count):".utf8))
            hash.update(data: part)
        }
    }

    /// Order by bytes: the same everywhere, whatever the locale.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// `YYYY-mm-ddTHH:MM:SSZ`.
    private static func timestamp(_ date: Date) -> String {
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
            .formatted(.iso8601)
    }

    /// An identifier is at most 64 octets on the wire; a longer one becomes a digest of the app's.
    private static func identifier(_ prefix: String, _ bundleIdentifier: String) -> String {
        let plain = prefix + bundleIdentifier
        guard plain.utf8.count > 64 else { return plain }
        let digest = Hexadecimal.text(SHA256.hash(data: Data(bundleIdentifier.utf8)))
        return prefix + "sha256." + digest.prefix(64 - prefix.utf8.count - 7)
    }

    static func composedIdentifier(_ bundleIdentifier: String, team: String?) -> String {
        team.map { "\(bundleIdentifier) (\($0))" } ?? bundleIdentifier
    }
}

extension Manifest {
    /// The name of a declaration in the manifest: the last two parts of its endpoint.
    static func name(kind: DeclarationKind, identifier: String) -> String {
        "\(kind.rawValue)/\(identifier)"
    }
}
