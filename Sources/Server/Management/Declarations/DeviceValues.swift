import Crypto
package import Foundation

/// What manifests of a set of groups have to know of a device; where they need nothing, all devices share one.
package struct ManifestNeeds: Sendable, Equatable {
    /// The variables whose values count: those in configurations, and those of people and attributes in secrets.
    package var variables: Set<String> = []
    /// The other variables of devices in secrets: their values change only with a new enrollment, so it counts only
    /// whether the device has them, and devices that differ in nothing else share a manifest.
    package var presences: Set<String> = []
    /// The secrets of which single devices or people have values of their own, and those that single devices lost.
    package var secrets: Set<String> = []
    /// A configuration is written anew for each device, if only for its `$${`.
    package var hasTemplates = false

    package init() {}

    package var isEmpty: Bool { variables.isEmpty && presences.isEmpty && secrets.isEmpty && !hasTemplates }

    mutating func add(_ other: ManifestNeeds) {
        variables.formUnion(other.variables)
        presences.formUnion(other.presences)
        secrets.formUnion(other.secrets)
        hasTemplates = hasTemplates || other.hasTemplates
    }
}

/// What of a device's own its manifest depends on.
package struct DeviceValues: Sendable, Equatable {
    /// Of the variables that are needed, those that have a value.
    package let variables: [String: String]
    /// Of the variables of which only that counts, those that have a value.
    package let presences: Set<String>
    /// Of the secrets that are needed, those with a value of this device's own, or of its person's.
    package let secrets: [String: OwnSecret]
    /// Of the secrets that are needed, how often the device lost an identity by them: the next one is another.
    package let losses: [String: Int]
    /// When it last changed, if it ever did.
    package let changed: Date?

    /// Of a device of which nothing is known.
    package static let none = DeviceValues(variables: [:], secrets: [:])

    package init(
        variables: [String: String], presences: Set<String> = [], secrets: [String: OwnSecret],
        losses: [String: Int] = [:], changed: Date? = nil
    ) {
        self.variables = variables
        self.presences = presences
        self.secrets = secrets
        self.losses = losses
        self.changed = changed
    }

    init(_ sources: ValueSources, needed needs: ManifestNeeds) {
        let values = DeviceVariables(sources).values
        self.init(
            variables: values.filter { needs.variables.contains($0.key) },
            presences: needs.presences.filter { values[$0] != nil },
            secrets: sources.secrets.filter { needs.secrets.contains($0.key) },
            losses: sources.losses.filter { needs.secrets.contains($0.key) }, changed: sources.changed)
    }

    /// The same for the same values, on every machine.
    var digest: Data {
        var hash = SHA256()
        ManifestCompiler.update(&hash, with: [Data("\(changed?.timeIntervalSince1970 ?? -1)".utf8)])
        ManifestCompiler.update(&hash, with: Self.parts(of: variables))
        ManifestCompiler.update(&hash, with: [Data("presences".utf8)] + presences.sorted().map { Data($0.utf8) })
        ManifestCompiler.update(&hash, with: [Data("secrets".utf8)])
        // Two people may have values of one version.
        ManifestCompiler.update(
            &hash, with: Self.parts(of: secrets.mapValues { "\($0.version)\($0.person.map { "/\($0)" } ?? "")" }))
        ManifestCompiler.update(&hash, with: [Data("losses".utf8)])
        ManifestCompiler.update(&hash, with: Self.parts(of: losses.mapValues { "\($0)" }))
        return Data(hash.finalize())
    }

    /// Names and values in the order of names.
    static func parts(of values: [String: String]) -> [Data] {
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .flatMap { [Data($0.key.utf8), Data($0.value.utf8)] }
    }
}

/// Something that a device is not given: a value of its own is missing, or it is not a device for it.
package struct Withheld: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// The app, and all that goes with it.
        case app
        case configuration
        /// That of an extension.
        case extensionConfiguration(String)
        case secret(AssignmentSnapshot.SecretReference.Place, name: String)
    }

    package enum Reason: Sendable, Equatable {
        /// The device has no value for these variables.
        case noValue([String])
        /// Only single devices or people have a value of this secret; this device has none, or is not the only one with
        /// its name, and its person has none.
        case noDeviceValue(secret: String)
        /// With the device's values the configuration is larger than one may be.
        case tooLarge
        /// The device's system is below the version, or has not said which it is.
        case systemTooOld(DevicePlatform, minimum: SystemVersion)
        /// The same of Martlet's agent.
        case agentTooOld(minimum: SystemVersion)
        /// The app has no source for devices of this platform.
        case noSource(DevicePlatform)
    }

    package let app: String
    package let subject: Subject
    package let reason: Reason

    package init(app: String, subject: Subject, reason: Reason) {
        self.app = app
        self.subject = subject
        self.reason = reason
    }
}
