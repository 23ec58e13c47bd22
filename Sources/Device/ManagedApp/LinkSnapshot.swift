package import AppMessages
package import Foundation

/// What this process knows of its agent at one moment.
package struct LinkSnapshot: Equatable, Sendable {
    /// How far the process has come with its agent.
    package enum Standing: Sendable {
        /// No answer yet, and still time for one.
        case waiting

        /// No agent started this process, or it does not know it any more.
        case notLaunched

        /// No answer in time; one may still come.
        case unreachable

        /// The agent has answered.
        case told
    }

    /// How far it has come.
    package var standing = Standing.waiting

    /// Whether the agent is connected now.
    package var isConnected = false

    /// What the agent said last.
    package var state: ConfigurationState?

    /// How a decoder refused the configuration in `state`.
    package var refusal: DecodingRefusal?

    /// Knows nothing.
    package init() {}

    /// The property list for the app, if it is to have one.
    package var configuration: Data? {
        guard let state, state.managed else { return nil }
        return state.configuration
    }

    /// Names what the app is to have; empty for nothing.
    package var version: String {
        configuration == nil ? "" : state?.version ?? ""
    }
}
