import DeviceMessages

/// What is left of apps while something of theirs is taken back.
extension AppsSystem {
    package static func withdraw(from applied: inout Applied, beyond meant: Applied) {
        var left: [String: AppliedApp] = [:]
        for (bundle, app) in applied.apps { left[bundle] = meant.apps[bundle].map(app.within) }
        applied.apps = left
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
