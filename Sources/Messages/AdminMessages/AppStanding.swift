/// The standing of an app on a device: the worst word that applies by the device's newest report.
///
/// The server decides the word once. The API, the console, the command line and the measurements all show this word, or
/// count devices by it.
package struct AppStanding: Word {
    /// The app, and each of its extensions that has a configuration, decoded it.
    package static let decoded = AppStanding(rawValue: "decoded")
    /// The app is there, and has no configuration that it would report, or one in its defaults, in files or over HTTP.
    package static let unconfigured = AppStanding(rawValue: "unconfigured")
    /// The app, or an extension, has not read its configuration yet.
    package static let unknown = AppStanding(rawValue: "unknown")
    /// The app, or an extension, refuses its configuration.
    package static let refused = AppStanding(rawValue: "refused")
    /// The device could not apply the newest version of the configuration or of a secret.
    package static let unapplied = AppStanding(rawValue: "unapplied")
    /// The app does not have a secret that it was given, or the server withholds something of it from the device.
    package static let withheld = AppStanding(rawValue: "withheld")
    /// The device could not install or update the app.
    package static let failed = AppStanding(rawValue: "failed")
    /// The app is not on the device yet.
    package static let waiting = AppStanding(rawValue: "waiting")
    /// The person at the device decides whether to install the app.
    package static let offered = AppStanding(rawValue: "offered")
    /// The device gets the app by its groups and has not reported it.
    package static let unreported = AppStanding(rawValue: "unreported")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

extension AppStanding {
    /// The standings of apps that a device has reported, in the order in which people read them.
    package static let reported: [AppStanding] = [
        .decoded, .unconfigured, .unknown, .refused, .unapplied, .withheld, .failed, .waiting, .offered,
    ]

    /// Whether an administrator has to act, because waiting does not help.
    package var isFailing: Bool { [Self.refused, .unapplied, .withheld, .failed].contains(self) }

    /// A sentence for people; empty for a word that a newer server added.
    package var meaning: String {
        switch self {
        case .decoded: "The app decoded its configuration."
        case .unconfigured:
            "The app is there, and has no configuration, or one in its defaults, in files or over HTTP, of which it says nothing."
        case .unknown: "The app has not read its configuration yet."
        case .refused: "The app refuses its configuration."
        case .unapplied: "The device could not apply the newest configuration or secret."
        case .withheld: "The app lacks a secret or a configuration that was meant for it."
        case .failed: "The device could not install or update the app."
        case .waiting: "The app is not on the device yet."
        case .offered: "The person at the device decides whether to install it."
        case .unreported: "The device gets the app and has not reported it."
        default: ""
        }
    }
}
