import AdminMessages
import Hummingbird
import Management

/// What Apple devices need of this server.
struct AppleRoutes: Sendable {
    let management: Management
    /// Whether the certificate that clients are shown is one of the server's own authority; it may be another later.
    let showsOwnCertificate: @Sendable () -> Bool

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apple-devices", operation: "showAppleReadiness",
                summary: "What Apple devices need of this server, what is missing, and what was never tried.",
                answer: .json(.named("AppleReadiness")), service: .session(show))
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.json(
            AppleReadiness(try await management.appleNeeds(showsOwnCertificate: showsOwnCertificate())))
    }
}

extension AppleReadiness {
    init(_ needs: AppleNeeds) {
        self.init(
            needs: needs.needs.map {
                AppleNeedSummary(
                    name: $0.name.rawValue, state: AppleNeedState(rawValue: $0.state.rawValue), detail: $0.detail)
            }, topic: needs.topic, capabilities: needs.capabilities, identity: needs.means?.rawValue,
            untried: AppleNeeds.untried)
    }
}
