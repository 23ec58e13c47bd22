import DeviceMessages

/// What is left of apps while something of theirs is taken back.
extension AppsSystem {
    package static func withdraw(from applied: inout Applied, beyond meant: Applied) {
        var left: [String: AppliedApp] = [:]
        for (bundle, app) in applied.apps { left[bundle] = meant.apps[bundle].map(app.within) }
        applied.apps = left
    }

    /// An app that nothing declares any more leaves, and what it said is forgotten; one that a declaration has taken over
    /// from commands is no longer theirs.
    package static func follow(_ previous: Applied, in state: inout AgentState) {
        let managed = state.applied.apps
        state.reports = state.reports.filter { managed[$0.value.bundleIdentifier] != nil }
        state.handOvers = state.handOvers.filter { managed[$0.key] != nil }
        state.settle()
    }

    /// What an app had and has no more is gone at once, also the dictionary that a command gave it.
    package static func takesBack(from state: AgentState, in applied: Applied) -> Bool {
        state.applied.apps.contains { bundle, app in applied.apps[bundle].map { app.hasMore(than: $0) } ?? true }
            || state.commanded.contains { $0.value.configuration != nil && applied.apps[$0.key] != nil }
    }
}

extension AppliedApp {
    fileprivate func within(_ meant: AppliedApp) -> AppliedApp {
        var left = self
        // If the declaration names another team, apps of other teams get nothing.
        left.composedIdentifier = meant.composedIdentifier
        if meant.configuration == nil { left.configuration = nil }
        if meant.defaults == nil { left.defaults = nil }
        left.extensions = extensions.filter { meant.extensions[$0.key] != nil }
        left.secrets = Self.within(secrets, meant.secrets)
        left.extensionSecrets = extensionSecrets.reduce(into: [:]) { left, one in
            left[one.key] = meant.extensionSecrets[one.key].map { Self.within(one.value, $0) }
        }
        let trust = meant.lowestTrust ?? .launched
        if trust > lowestTrust ?? .launched { left.lowestTrust = trust }
        return left
    }

    private static func within(_ entries: [AppSecrets.Entry], _ meant: [AppSecrets.Entry]) -> [AppSecrets.Entry] {
        entries.filter { entry in
            meant.contains { $0.kind == entry.kind && $0.identifier.utf8.elementsEqual(entry.identifier.utf8) }
        }
    }
}
