import Crypto
import Foundation

/// What is assigned to a set of groups, with all that is needed to compile it for an audience.
package struct Assigned: Sendable {
    let entries: [AssignmentSnapshot.Entry]
    /// Those that count, each with its kind.
    let settings: [ChosenSetting]
    /// What manifests of any audience need to know of a device.
    package let needs: ManifestNeeds
    /// Configurations with variables, by the digest of what was set.
    let templates: [String: ConfigurationTemplate]
    let thresholds: AudienceThresholds
    let changed: Date
    let teams: [Data]
    let era: String?

    package init(
        _ snapshot: AssignmentSnapshot, templates: [String: ConfigurationTemplate] = [:],
        kinds: [SettingKind] = SettingKind.all
    ) {
        entries = snapshot.effective
        settings = ChosenSetting.all(of: snapshot.settings, kinds: kinds)
        var needs = ManifestNeeds()
        var thresholds = AudienceThresholds()
        for entry in entries {
            needs.add(entry.needs)
            thresholds.add(entry.thresholds)
        }
        for setting in settings {
            thresholds.types.formUnion(setting.kind.types)
            if setting.kind.isForOwnedDevices { thresholds.asksForOwner = true }
        }
        self.needs = needs
        self.thresholds = thresholds
        self.templates = templates
        changed = snapshot.changed
        teams = snapshot.teams
        era = snapshot.era
    }

    /// With the templates among its configurations, as the store has them.
    init(_ snapshot: AssignmentSnapshot, from store: any DeclarationStore) async throws {
        var templates: [String: ConfigurationTemplate] = [:]
        for reference in snapshot.effective.flatMap(\.configurations) where reference.variables != nil {
            guard let bytes = try await store.assetBytes(sha256: reference.sha256) else { throw FileMissing() }
            templates[reference.sha256] = try ConfigurationTemplate(parsing: bytes)
        }
        self.init(snapshot, templates: templates)
    }
}

/// What the manifests of a set of groups and an audience have in common: compiled once, whatever the number of devices.
package struct PreparedManifest: Sendable {
    enum App: Sendable {
        /// The same for all devices.
        case fixed(ManifestCompiler.CompiledApp)
        /// Depends on the device's values.
        case open(AssignmentSnapshot.Entry, AppSource?)
    }

    let apps: [App]
    let settings: ManifestCompiler.CompiledSettings
    let audience: DeviceAudience
    package let needs: ManifestNeeds
    /// Configurations with variables, by the digest of what was set.
    let templates: [String: ConfigurationTemplate]
    let changed: Date
    let teams: [Data]
    let era: String?
}

/// An app's entry with a device's values in it.
struct FilledEntry {
    var entry: AssignmentSnapshot.Entry
    var files: [String: Data] = [:]
    var withheld: [Withheld] = []
    /// The values that stand in the documents of secrets, and under `person` the person whose value a secret is.
    var used: [AssignmentSnapshot.SecretReference.Place: [String: String]] = [:]
    /// How often the device lost the secrets in these places.
    var losses: [AssignmentSnapshot.SecretReference.Place: Int] = [:]

    /// An entry that needs none.
    init(_ entry: AssignmentSnapshot.Entry) {
        self.entry = entry
    }
}

extension AssignmentSnapshot.Entry {
    /// The app alone, for systems that take apps and not their configurations.
    func withoutConfiguration(_ reason: Withheld.Reason) -> FilledEntry {
        var filled = FilledEntry(self)
        if configuration != nil || !extensions.isEmpty || !secrets.isEmpty {
            filled.withheld = [Withheld(app: app.bundleIdentifier, subject: .configuration, reason: reason)]
        }
        filled.entry.configuration = nil
        filled.entry.extensions = [:]
        filled.entry.secrets = []
        return filled
    }

    /// What has no value is left out and noted; the app itself stays, because removing its declaration removes the app.
    func filled(with values: DeviceValues, _ templates: [String: ConfigurationTemplate]) -> FilledEntry {
        var filled = FilledEntry(self)
        if let reference = configuration, reference.variables != nil {
            let (present, reason) = Self.configuration(templates[reference.sha256], values)
            filled.entry.configuration = present?.reference
            if let present { filled.files[present.reference.sha256] = present.bytes }
            if let reason {
                filled.withheld.append(
                    Withheld(app: app.bundleIdentifier, subject: .configuration, reason: reason))
            }
        }
        for (name, reference) in extensions.sorted(by: { $0.key < $1.key }) where reference.variables != nil {
            let (present, reason) = Self.configuration(templates[reference.sha256], values)
            filled.entry.extensions[name] = present?.reference
            if let present { filled.files[present.reference.sha256] = present.bytes }
            if let reason {
                filled.withheld.append(
                    Withheld(app: app.bundleIdentifier, subject: .extensionConfiguration(name), reason: reason))
            }
        }
        filled.entry.secrets = secrets.compactMap { reference in
            var reference = reference
            let own = values.secrets[reference.secret]
            if let own { reference = reference.own(own) }
            let missing = reference.variables.filter {
                values.variables[$0] == nil && !values.presences.contains($0)
            }
            let reason: Withheld.Reason? =
                if reference.version == nil {
                    .noDeviceValue(secret: reference.secret)
                } else if !missing.isEmpty {
                    .noValue(missing)
                } else {
                    nil
                }
            if let reason {
                filled.withheld.append(
                    Withheld(
                        app: app.bundleIdentifier, subject: .secret(reference.place, name: reference.secret),
                        reason: reason))
                return nil
            }
            filled.used[reference.place] = values.variables.filter {
                reference.variables.contains($0.key) && !DeviceVariables.isFixed($0.key)
            }
            // Two people may have values of one version: the device of another person downloads anew.
            if let person = own?.person { filled.used[reference.place]?["person"] = person }
            if let losses = values.losses[reference.secret] { filled.losses[reference.place] = losses }
            return reference
        }
        return filled
    }

    private typealias Present = (reference: AssignmentSnapshot.ConfigurationReference, bytes: Data)

    private static func configuration(
        _ template: ConfigurationTemplate?, _ values: DeviceValues
    ) -> (Present?, Withheld.Reason?) {
        guard let template else { return (nil, nil) }
        switch template.filled(values.variables) {
        case .missing(let variables): return (nil, .noValue(variables))
        case .tooLarge: return (nil, .tooLarge)
        case .bytes(let bytes):
            let reference = AssignmentSnapshot.ConfigurationReference(
                sha256: Hexadecimal.text(SHA256.hash(data: bytes)), size: bytes.count, encoding: .xml)
            return ((reference, bytes), nil)
        }
    }
}
