/// How an app fares on devices. `GET /apps/{app}/states`
package struct AppStates: Codable, Hashable, Sendable {
    /// Devices that report the app.
    package var states: AppStateCounts
    /// Devices that get the app by their groups and have not reported it.
    package var unreported: Int
    /// Devices on which something is left to do until the app works as it is assigned; 0 of a fleet in order.
    package var notInOrder: Int

    package init(states: AppStateCounts, unreported: Int) {
        self.states = states
        self.unreported = unreported
        notInOrder = states.notInOrder + unreported
    }
}

/// On how many devices an app is in which state: each device counts once, in the worst state that holds.
package struct AppStateCounts: Codable, Hashable, Sendable {
    /// The app and its extensions decoded their configurations.
    package var decoded = 0
    /// The app is there, and has no configuration that it would report: none, or one delivered as its defaults dictionary,
    /// in files or over HTTP.
    package var unconfigured = 0
    /// The app, or an extension, has not read its configuration yet.
    package var unknown = 0
    /// The app, or an extension, refuses its configuration.
    package var refused = 0
    /// The device could not apply the newest version of the configuration or of a secret.
    package var unapplied = 0
    /// The app does not have a secret that it was given, or the server withholds something of it from the device.
    package var withheld = 0
    /// The device could not install or update the app.
    package var failed = 0
    /// The app is not on the device yet.
    package var waiting = 0
    /// The person at the device decides whether to install the app.
    package var offered = 0

    package init() {}

    /// Devices on which something is left to do.
    package var notInOrder: Int { unknown + refused + unapplied + withheld + failed + waiting }

    /// The number of devices on which the app has this standing.
    package subscript(_ standing: AppStanding) -> Int {
        switch standing {
        case .decoded: decoded
        case .unconfigured: unconfigured
        case .unknown: unknown
        case .refused: refused
        case .unapplied: unapplied
        case .withheld: withheld
        case .failed: failed
        case .waiting: waiting
        case .offered: offered
        default: 0
        }
    }

    /// Each state with its count, in the order in which people read them.
    package var all: [(name: String, meaning: String, devices: Int)] {
        AppStanding.reported.map { ($0.rawValue, $0.meaning, self[$0]) }
    }
}
