import Logging

/// What a device no longer has once its enrollment has ended, as the agent's log says it.
struct Departure {
    /// How many apps are named; of more only the number is said.
    private static let mostNamed = 20

    private let server: String
    /// Apps that are not managed any more, sorted.
    private let unmanaged: [String]
    /// Those of them that are removed from the disk.
    private let removed: [String]
    private let secrets: Int
    private let declarations: Int
    private let profiles: Int

    /// Compares the state that had the enrollment with the one without it.
    init(from before: AgentState, to after: AgentState) {
        server = before.enrollment?.origin ?? ""
        unmanaged = before.managed.keys.sorted()
        let leaving = after.leaving.filter { $0.reason == .removed && !before.leaving.contains($0) }
        removed = Set(leaving.map(\.bundleIdentifier)).sorted()
        secrets = before.applied.secretDigests.count
        declarations = before.declarations.all.count
        profiles = before.profiles.count
    }

    /// For the line that says that the enrollment has ended.
    var metadata: Logger.Metadata {
        [
            "server": "\(server)", "unmanagedApps": "\(Self.named(unmanaged))",
            "removedApps": "\(Self.named(removed))", "secrets": "\(secrets)", "declarations": "\(declarations)",
            "profiles": "\(profiles)",
        ]
    }

    private static func named(_ apps: [String]) -> String {
        guard !apps.isEmpty else { return "none" }
        let more = apps.count > mostNamed ? " and \(apps.count - mostNamed) more" : ""
        return apps.prefix(mostNamed).joined(separator: ", ") + more
    }
}

extension Unenroll.Farewell {
    /// What the server knows of it, as the agent's log says it.
    var logged: String {
        switch self {
        case .told: "told"
        case .endedBefore: "had ended the enrollment already"
        case .untold: "not told; an administrator has to withdraw this device there, unless that is done already"
        }
    }
}
