package import DeviceMessages
package import Foundation

/// The state that one app gets: whether it is managed, and its configuration.
package struct AppState: Equatable, Sendable {
    /// The state of an app without a declaration, on a device that has its declarations.
    package static let unmanaged = AppState(managed: false, synchronised: true)

    /// Whether the device manages the app.
    package let managed: Bool

    /// Whether the device has ever synchronized with its server.
    package let synchronised: Bool

    /// Whether what is known may be out of date: the server has not been reached for too long.
    package let stale: Bool

    /// The administrator's property list, as it was sent.
    package let configuration: Data?

    /// Names the configuration: the SHA-256 of its bytes in hexadecimal digits, empty without one.
    package let version: String

    /// The administrator's property list for the app's user defaults, as it was sent.
    package let defaults: Data?

    /// Counts what the device has applied; newer is greater.
    package let generation: Int

    /// The secrets that the app may ask for; no value is among it.
    package let secrets: AppSecrets

    /// The least trust at which it is given them.
    package let lowestTrust: AppTrust

    /// Whether it is an extension from which everything is kept until it is granted full access.
    package let needsFullAccess: Bool

    /// The team that must have signed it to be the app that is meant; nothing where any app of the identifier is.
    package let team: String?

    /// Says what an app is to be told.
    package init(
        managed: Bool, synchronised: Bool, stale: Bool = false, configuration: Data? = nil, defaults: Data? = nil,
        generation: Int = 0,
        secrets: AppSecrets = AppSecrets(), lowestTrust: AppTrust = .launched, needsFullAccess: Bool = false,
        team: String? = nil
    ) {
        self.managed = managed
        self.synchronised = synchronised
        self.stale = stale
        self.configuration = configuration
        self.defaults = defaults
        self.generation = generation
        self.secrets = secrets
        self.lowestTrust = lowestTrust
        self.needsFullAccess = needsFullAccess
        self.team = team
        version = configuration.map(Self.version(of:)) ?? ""
    }

    /// Whether an app that is trusted so far is not given the secrets that are meant for it.
    package func withholds(from trust: AppTrust) -> Bool { !secrets.isEmpty && trust < lowestTrust }

    /// As managed and as new, and without configuration and secrets.
    func withoutContent(needsFullAccess: Bool = false) -> AppState {
        AppState(
            managed: managed, synchronised: synchronised, stale: stale, generation: generation,
            needsFullAccess: needsFullAccess, team: team)
    }

    /// The name of a configuration.
    package static func version(of configuration: Data) -> String {
        configuration.digest
    }
}
