package import Foundation

/// An app that the agent has installed from a package: a directory that nothing changes any more.
package struct InstalledApp: Codable, Equatable, Sendable {
    /// The name of its directory below `managed-apps`.
    package let directory: String
    package let version: String
    package let shortVersion: String
    /// The team that signed the package.
    package let team: String
    /// The manifest it came from, and the token of the declaration that named it then.
    package var manifestURL: String
    package var serverToken: String
    /// Whether it is there for its own sake: the declaration that brought it has made way for one that only manages it.
    package var stays = false
    /// Whether the kernel refuses every change of its files; nothing where it was installed before that was asked.
    package let isImmutable: Bool?

    package init(
        directory: String, version: String, shortVersion: String, team: String, manifestURL: String,
        serverToken: String, isImmutable: Bool? = nil
    ) {
        self.isImmutable = isImmutable
        self.directory = directory
        self.version = version
        self.shortVersion = shortVersion
        self.team = team
        self.manifestURL = manifestURL
        self.serverToken = serverToken
    }
}

/// A directory of an app that is to be removed.
package struct LeavingApp: Codable, Equatable, Sendable {
    package enum Reason: String, Codable, Sendable {
        /// A newer version has taken its place; what runs of it may run on.
        case replaced
        /// The app is no longer on this device, nor are its processes and what it kept.
        case removed
    }

    package let bundleIdentifier: String
    package let directory: String
    package let reason: Reason

    package init(bundleIdentifier: String, directory: String, reason: Reason) {
        self.bundleIdentifier = bundleIdentifier
        self.directory = directory
        self.reason = reason
    }
}

/// What is known of an app's installation, beside what was declared.
package struct Installation: Codable, Equatable, Sendable {
    /// Why the last attempt came to nothing.
    package struct Failure: Codable, Equatable, Sendable {
        package let code: String
        package let sentence: String
        package let at: Date
        /// How often it has been tried, this time included.
        package let attempts: Int
        /// Whether the same may go better later, with nothing else changed.
        package let mayHeal: Bool
        /// The token of the declaration it was tried for: another is another chance.
        package let serverToken: String

        // A server that is down for a minute delays a minute; one that is gone is asked once in an hour.
        private static let firstWait: TimeInterval = 10
        private static let longestWait: TimeInterval = 3_600

        package init(
            code: String, sentence: String, at: Date, attempts: Int, mayHeal: Bool, serverToken: String
        ) {
            self.code = code
            self.sentence = sentence
            self.at = at
            self.attempts = attempts
            self.mayHeal = mayHeal
            self.serverToken = serverToken
        }

        /// When to try again.
        package var due: Date? {
            guard mayHeal else { return nil }
            let wait = Self.firstWait * pow(2, Double(min(attempts, 16) - 1))
            return at.addingTimeInterval(min(wait, Self.longestWait))
        }
    }

    /// Whether the user has asked for this optional app.
    package var isRequested = false
    /// Whether the user has asked for the newest version.
    package var isAsked = false
    package var failure: Failure?
    /// When the manifest was last looked at without a reason from the server.
    package var checked: Date?
    /// A newer version than the installed one, as the manifest says.
    package var newer: String?

    package init() {}
}

extension AgentState {
    /// Holds what is installed against what is declared: an app that nothing declares any more leaves, unless commands
    /// manage it.
    ///
    /// Part of the change that takes its configuration, so that no moment knows the one without the other (D14).
    package mutating func settle() {
        // A declaration takes an app over from the commands, whose configuration is dropped then.
        commanded = commanded.filter { applied.apps[$0.key] == nil }
        for (bundle, app) in installed {
            if let declared = applied.apps[bundle] {
                // Only managed where it is: such an app stays when that ends.
                installed[bundle]?.stays = declared.manifest == nil
            } else if commanded[bundle] == nil, !app.stays {
                leave(bundle)
            }
        }
        installations = installations.filter { applied.apps[$0.key] != nil || commanded[$0.key] != nil }
    }

    /// Has packages tried again that were refused for their signatures.
    mutating func forgetRefusedSignatures() {
        for (bundle, one) in installations where one.failure?.code == InstallRefusal.signature {
            installations[bundle]?.failure = nil
        }
    }

    /// Takes an app off the device; its directory goes as soon as nothing of it runs.
    mutating func leave(_ bundle: String) {
        guard let app = installed.removeValue(forKey: bundle) else { return }
        leaving.append(LeavingApp(bundleIdentifier: bundle, directory: app.directory, reason: .removed))
        fullAccess = fullAccess.filter { $0.app != bundle }
    }

    /// What is installed is what the manifest of this declaration names, or is to be kept in spite of it.
    package mutating func keep(_ bundle: String, for source: ManifestSource, newer: String?, now: Date) {
        installed[bundle]?.manifestURL = source.url
        installed[bundle]?.serverToken = source.serverToken
        var installation = installations[bundle] ?? Installation()
        (installation.failure, installation.newer, installation.isAsked) = (nil, newer, false)
        installation.checked = now
        installations[bundle] = installation
    }

    /// Puts a version in place; the one before makes way.
    package mutating func install(_ app: InstalledApp, as bundle: String) {
        if let old = installed[bundle], old.directory != app.directory {
            leaving.append(LeavingApp(bundleIdentifier: bundle, directory: old.directory, reason: .replaced))
        }
        installed[bundle] = app
        installations[bundle, default: Installation()].failure = nil
        installations[bundle]?.newer = nil
        installations[bundle]?.isAsked = false
    }
}
