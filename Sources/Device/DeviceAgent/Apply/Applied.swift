package import DeviceMessages
package import Foundation

/// What the device has made of the declarations it holds.
package struct Applied: Codable, Equatable, Sendable {
    /// Counts what has been applied; newer is greater.
    package var generation = 0

    /// Managed apps by bundle identifier.
    package var apps: [String: AppliedApp] = [:]

    /// What became of each declaration.
    package var verdicts: [String: Verdict] = [:]

    /// Assets whose data is here and verified.
    package var assets: [String: AppliedAsset] = [:]

    /// Secrets that are here, by the identifier of their asset.
    package var secrets: [String: ProvisionedSecret] = [:]

    /// Manifests that were had, by the identifier of the declaration that names them.
    package var manifests: [String: KnownManifest] = [:]

    /// Whose packages may be installed: certificates of teams and of authorities, in DER.
    package var teams: [Data] = []

    /// Status items the server has subscribed to.
    package var subscriptions: [String] = []

    /// What the systems hold that keep a form of their own.
    package var systems = HeldStates()

    /// The types of configurations that were known when this was judged, sorted; empty before they were noted.
    package var knownTypes: [String] = []

    /// Whether every asset that is needed is here; what could not be had for now is asked for again.
    package var isComplete = true

    package init() {}

    /// The contents that this state needs.
    package var digests: Set<String> {
        DeviceSystems.all.reduce(into: secretDigests.union(assets.values.map(\.digest))) { digests, system in
            digests.formUnion(system.digests(of: self))
        }
    }

    /// The contents among them that are secrets.
    package var secretDigests: Set<String> {
        Set(apps.values.flatMap(\.allSecrets).map(\.digest) + secrets.values.map(\.digest))
    }

    /// Puts a renewed secret in the place of the old one, wherever that served.
    package mutating func replaceSecret(of asset: String, with new: ProvisionedSecret) {
        guard let old = secrets[asset]?.digest else { return }
        secrets[asset] = new
        for bundle in apps.keys { apps[bundle]?.replaceSecret(old, with: new.digest) }
        generation += 1
    }
}

/// A managed app, and the configuration that serves.
package struct AppliedApp: Codable, Equatable, Sendable {
    /// `bundle (TEAM)` or the bundle identifier alone.
    package var composedIdentifier: String
    package var declarationIdentifier: String

    /// SHA-256 of the configuration's bytes; after an update that failed still that of the one before (D9).
    package var configuration: String?

    /// The same of the dictionary for its user defaults.
    package var defaults: String?

    /// The same for each of its extensions, by composed identifier.
    package var extensions: [String: String] = [:]

    /// Its secrets that serve, in the order of the administrator.
    package var secrets: [AppSecrets.Entry] = []

    /// Those that were given to it and cannot be had.
    package var absences: [AppSecrets.Absence] = []

    /// The same for each of its extensions, by composed identifier; none is ever the app's.
    package var extensionSecrets: [String: [AppSecrets.Entry]] = [:]

    /// Those that were given to extensions and cannot be had.
    package var extensionAbsences: [String: [AppSecrets.Absence]] = [:]

    /// The least trust at which app and extensions are given their secrets; nothing said means launched.
    package var lowestTrust: AppTrust?

    /// Why the app cannot be managed as asked.
    package var reasons: [StatusReason]

    /// The manifest by which it is installed; nothing for an app that is only managed where it is.
    package var manifest: ManifestSource?

    /// Whether nothing happens until the user asks for it.
    package var isOptional = false

    package init(
        composedIdentifier: String, declarationIdentifier: String, configuration: String? = nil,
        reasons: [StatusReason] = []
    ) {
        self.composedIdentifier = composedIdentifier
        self.declarationIdentifier = declarationIdentifier
        self.configuration = configuration
        self.reasons = reasons
    }

    /// Whether a declaration manages it; otherwise commands do.
    var isDeclared: Bool { !declarationIdentifier.isEmpty }

    /// The team in the composed identifier, if that names one.
    var team: String? { ComposedIdentifier(composedIdentifier).team }

    /// What is meant for its extensions: by bundle identifier, the composed one under which that is kept here.
    ///
    /// An extension is signed as its app is, so of several for one bundle identifier that counts which names the team
    /// of the app, if that is known.
    func extensionKeys(signedBy known: String?) -> [String: ComposedIdentifier] {
        let keys = Set(extensions.keys).union(extensionSecrets.keys).union(extensionAbsences.keys)
        let team = known ?? self.team
        return Dictionary(grouping: keys.sorted().map(ComposedIdentifier.init), by: \.bundle).compactMapValues { keys in
            let named = keys.filter { $0.team != nil }
            return named.first { $0.team == team } ?? named.first ?? keys.first
        }
    }

    /// Whether it has a configuration that `other` has not.
    func hasMore(than other: AppliedApp) -> Bool {
        (configuration != nil && other.configuration == nil)
            || (defaults != nil && other.defaults == nil)
            || extensions.keys.contains { other.extensions[$0] == nil }
    }

    /// The app's and its extensions'.
    var allSecrets: [AppSecrets.Entry] { secrets + extensionSecrets.values.joined() }

    fileprivate mutating func replaceSecret(_ old: String, with new: String) {
        func replaced(_ entry: AppSecrets.Entry) -> AppSecrets.Entry {
            entry.digest == old ? AppSecrets.Entry(entry.kind, entry.identifier, digest: new) : entry
        }
        secrets = secrets.map(replaced)
        extensionSecrets = extensionSecrets.mapValues { $0.map(replaced) }
    }
}

/// `bundle (TEAM)`, or a bundle identifier alone.
struct ComposedIdentifier: Hashable, Sendable {
    let text: String
    let bundle: String
    let team: String?

    init(_ text: String) {
        self.text = text
        let parts = text.split(separator: " ", maxSplits: 1)
        bundle = parts.first.map(String.init) ?? text
        let isTeam = parts.count == 2 && parts[1].hasPrefix("(") && parts[1].hasSuffix(")")
        team = isTeam ? String(parts[1].dropFirst().dropLast()) : nil
    }
}

/// Data of an asset, downloaded and verified.
package struct AppliedAsset: Codable, Equatable, Sendable {
    package let serverToken: String
    package let digest: String

    package init(serverToken: String, digest: String) {
        self.serverToken = serverToken
        self.digest = digest
    }
}

/// What became of one declaration.
package struct Verdict: Codable, Equatable, Sendable {
    package var kind: DeclarationKind
    package var serverToken: String
    package var active: Bool
    package var valid: DeclarationStatus.Validity
    package var reasons: [StatusReason] = []

    package init(
        kind: DeclarationKind, serverToken: String, active: Bool, valid: DeclarationStatus.Validity,
        reasons: [StatusReason] = []
    ) {
        self.kind = kind
        self.serverToken = serverToken
        self.active = active
        self.valid = valid
        self.reasons = reasons
    }
}

extension Applied {
    /// Whether it was judged by all systems that there are; an agent that learns a type judges anew what it holds.
    package var knowsAllTypes: Bool { knownTypes == DeviceSystems.configurations.sorted() }
}
