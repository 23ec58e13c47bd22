package import Foundation

/// What an app is told of its configuration, in each reply of the stream.
package struct ConfigurationState: Codable, Equatable, Sendable {
    /// Whether the device manages the app.
    package let managed: Bool

    /// Whether the device has ever synchronized with its server.
    package let synchronised: Bool

    /// Whether what is known may be out of date.
    package let stale: Bool

    /// Names the configuration; empty without one.
    package let version: String

    /// The administrator's property list; base64 on the wire.
    package let configuration: Data?

    /// Newer is greater.
    package let generation: Int

    /// Whether the app is not trusted enough to be given the secrets that are meant for it; older agents do not say.
    package let secretsWithheld: Bool?

    /// Whether this is an extension from which everything is kept until it is granted full access; older agents do not say.
    package let needsFullAccess: Bool?

    /// A configuration to be tried besides, once; only for those who asked for trials.
    package var trial: ConfigurationTrial?

    /// States what an app is told.
    package init(
        managed: Bool, synchronised: Bool, stale: Bool, version: String, configuration: Data?, generation: Int,
        secretsWithheld: Bool? = nil, needsFullAccess: Bool? = nil, trial: ConfigurationTrial? = nil
    ) {
        self.managed = managed
        self.synchronised = synchronised
        self.stale = stale
        self.version = version
        self.configuration = configuration
        self.generation = generation
        self.secretsWithheld = secretsWithheld
        self.needsFullAccess = needsFullAccess
        self.trial = trial
    }
}
