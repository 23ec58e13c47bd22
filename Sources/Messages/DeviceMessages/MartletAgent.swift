package import InputBounds

/// How Martlet's agent says that it is the one that speaks, and in which version.
///
/// Apple's protocol has no place for it: it is a key of Authenticate, which others ignore, and a feature among those of
/// `management.client-capabilities`, so that an update of the agent is heard of without a new enrollment.
package enum MartletAgent {
    /// What this build of the agent says: its release's version.
    package static let version = MartletRelease.version

    /// The name of the feature.
    package static let feature = "dev.martlet.agent"

    /// What the agent itself says.
    package static let supportedFeatures: [String: JSONValue] = [
        feature: .object(["Version": .string(version)]), TryConfiguration.feature: .object([:]),
        AppFeedbackStatus.feature: .object([:]), CommandedAppStatus.feature: .object([:]),
    ]
}

extension ClientCapabilities {
    /// The version of Martlet's agent, if that is what speaks.
    package var martletAgentVersion: String? {
        supportedFeatures[MartletAgent.feature]?["Version"]?.string
    }
}
