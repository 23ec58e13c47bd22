/// How a version of an app's configuration came to an app that need not say whether it decoded it.
package struct ConfigurationHandOver: Codable, Equatable, Sendable {
    package enum Way: String, Codable, Sendable {
        /// The agent wrote it to files for the app; nobody says whether the app reads them.
        case files
        /// The app fetched it over HTTP.
        case http
    }

    /// The app itself: of extensions nothing is kept.
    package let bundleIdentifier: String

    /// The version, as in `AppState`.
    package let version: String

    package let way: Way

    package init(bundleIdentifier: String, version: String, way: Way) {
        self.bundleIdentifier = bundleIdentifier
        self.version = version
        self.way = way
    }
}

extension AgentState {
    /// Keeps how an app came to its configuration; returns whether that is news.
    package mutating func handedOver(_ handOver: ConfigurationHandOver) -> Bool {
        let app = handOver.bundleIdentifier
        guard applied.apps[app] != nil, handOvers[app] != handOver else { return false }
        // That the app fetched it says more than that it lies there.
        if let known = handOvers[app], known.version == handOver.version, known.way == .http { return false }
        handOvers[app] = handOver
        return true
    }

    /// How the configuration that serves came to an app that said nothing about it.
    func handOver(of app: String) -> ConfigurationHandOver? {
        guard let handOver = handOvers[app], handOver.version == applied.apps[app]?.configuration,
            report(of: app) == nil
        else { return nil }
        return handOver
    }
}
