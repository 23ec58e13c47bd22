/// Which of an app's sources devices of an audience get, or why they get none.
enum SourceChoice: Sendable, Equatable {
    /// Nil means that no source is set: a device that has the app takes it over.
    case source(AppSource?)
    case none(Withheld.Reason)
}

extension AssignmentSnapshot.Entry {
    func choice(for audience: DeviceAudience) -> SourceChoice {
        guard let platform = audience.platform else { return .source(nil) }
        if let limits = platform.managedApps, let version = audience.osVersion, version < limits.apps {
            return .none(.systemTooOld(platform, minimum: limits.apps))
        }
        let possible = AppSource.Origin.allCases.compactMap { origin in
            sources.first { $0.platform == platform && $0.origin == origin }
        }
        guard let preferred = possible.first else {
            // Only these can take over what is there.
            return platform == .linux || platform == .macOS ? .source(nil) : .none(.noSource(platform))
        }
        if let source = possible.first(where: { $0.isMet(by: audience) }) { return .source(source) }
        return .none(preferred.unmet(by: audience))
    }

    /// The versions that make a difference for the app.
    var thresholds: AudienceThresholds {
        var thresholds = AudienceThresholds()
        for source in sources {
            if let version = source.minimumOS { thresholds.systems[source.platform, default: []].insert(version) }
            if let version = source.minimumAgent { thresholds.agents.insert(version) }
        }
        return thresholds
    }
}

extension DeviceAudience {
    /// Why devices of this audience are given no configurations of apps, if that is so (S4-PLAT-01).
    var refusedConfigurations: Withheld.Reason? {
        guard let platform, let osVersion, let limits = platform.managedApps, osVersion < limits.configurations else {
            return nil
        }
        return .systemTooOld(platform, minimum: limits.configurations)
    }
}

extension AppSource {
    fileprivate func isMet(by audience: DeviceAudience) -> Bool {
        Self.isMet(minimumOS, by: audience.osVersion) && Self.isMet(minimumAgent, by: audience.agentVersion)
    }

    /// The first minimum that is not met.
    fileprivate func unmet(by audience: DeviceAudience) -> Withheld.Reason {
        if let minimumOS, !Self.isMet(minimumOS, by: audience.osVersion) {
            return .systemTooOld(platform, minimum: minimumOS)
        }
        return .agentTooOld(minimum: minimumAgent ?? SystemVersion([]))
    }

    /// A device that has not reported its version does not meet a minimum.
    private static func isMet(_ minimum: SystemVersion?, by version: SystemVersion?) -> Bool {
        guard let minimum else { return true }
        return version.map { $0 >= minimum } ?? false
    }
}

/// The versions at which what devices are given changes.
///
/// Devices between the same two share a manifest: cost follows what is assigned, not how many versions are about.
package struct AudienceThresholds: Sendable, Equatable {
    var systems: [DevicePlatform: Set<SystemVersion>] = [:]
    var agents: Set<SystemVersion> = []
    /// The types of configurations that decide which settings a device is given.
    var types: Set<String> = []
    /// Whether it counts that a device belongs to a person.
    var asksForOwner = false

    init() {
        for platform in DevicePlatform.allCases {
            if let limits = platform.managedApps { systems[platform] = [limits.apps, limits.configurations] }
        }
    }

    mutating func add(_ other: AudienceThresholds) {
        systems.merge(other.systems) { $0.union($1) }
        agents.formUnion(other.agents)
        types.formUnion(other.types)
        asksForOwner = asksForOwner || other.asksForOwner
    }

    /// The audience that stands for all that are given the same.
    func representative(of audience: DeviceAudience) -> DeviceAudience {
        DeviceAudience(
            platform: audience.platform,
            osVersion: Self.floor(
                audience.osVersion, audience.platform.flatMap { systems[$0] } ?? [], isTold: false),
            agentVersion: Self.floor(audience.agentVersion, agents, isTold: true),
            takenTypes: types.isEmpty ? nil : audience.takenTypes.map { $0.intersection(types) },
            tellsFeedback: audience.tellsFeedback == true ? true : nil,
            takesAppCommands: audience.takesAppCommands == true ? true : nil,
            isOfAPerson: asksForOwner && audience.isOfAPerson)
    }

    /// The highest threshold that is met; zero where none is.
    ///
    /// That a version is known counts even without a threshold where it says who speaks.
    private static func floor(
        _ version: SystemVersion?, _ thresholds: Set<SystemVersion>, isTold: Bool
    ) -> SystemVersion? {
        guard let version, isTold || !thresholds.isEmpty else { return nil }
        return thresholds.filter { $0 <= version }.max() ?? SystemVersion([])
    }
}
