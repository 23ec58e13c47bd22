import DeviceMessages

/// Taking away what the server has taken back, also while the disk refuses to keep that.
///
/// An app can fill the disk that its home lies on. What it has lost leaves the service first, which needs no disk.
extension Applied {
    /// What is left of this where the device is to hold `meant` alone; nothing that is only in `meant` is added.
    ///
    /// A value in whose place another is meant stays until that is on the disk.
    package func within(_ meant: Applied) -> Applied {
        var left = self
        left.apps = [:]
        for (bundle, app) in apps { left.apps[bundle] = meant.apps[bundle].map(app.within) }
        left.secrets = secrets.filter { meant.secrets[$0.key] != nil }
        left.assets = assets.filter { meant.assets[$0.key] != nil }
        if left != self { left.generation += 1 }
        return left
    }
}

extension AppliedApp {
    fileprivate func within(_ meant: AppliedApp) -> AppliedApp {
        var left = self
        // Where another team is meant, nobody else is told anything.
        left.composedIdentifier = meant.composedIdentifier
        if meant.configuration == nil { left.configuration = nil }
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
