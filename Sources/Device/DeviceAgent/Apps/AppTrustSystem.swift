package import DeviceMessages
package import Foundation

/// `dev.martlet.configuration.app-trust`: whose packages may be installed.
package enum AppTrustSystem: DeviceSystem {
    package static let name = "app-trust"
    package static let configurations = [AppTrustConfiguration.type]
    package static let nothing: [Data] = []

    package static func judge(_ declaration: Declaration, in set: JudgedSet, _ desired: inout [Data]) -> Judgment {
        guard let trust = try? declaration.read(AppTrustConfiguration.self) else {
            return .invalid(.about(declaration, "Error.InvalidPayload"))
        }
        desired += trust.teams.filter { !desired.contains($0) }
        return .valid(.unknownKeys(AppTrustConfiguration.self, declaration))
    }

    package static func settle(_ desired: [Data], _ had: HadAssets, previous: Applied, in applied: inout Applied) {
        applied.teams = desired
    }

    /// What none of the teams before could vouch for is worth another try.
    package static func follow(_ previous: Applied, in state: inout AgentState) {
        guard state.applied.teams != previous.teams else { return }
        state.forgetRefusedSignatures()
    }
}
