import AdminMessages
import AppPackages
import Foundation
import Hummingbird
import Management

/// The teams whose packages the fleet trusts.
struct TeamRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/teams", operation: "listTeams",
                summary: "The certificates by which the fleet trusts packages.", query: QueryParameter.cutting,
                answer: .json(.page(of: "Team")),
                service: .session(list)),
            AdminRoute(
                method: .post, path: "/teams", operation: "addTeam",
                summary: "Have the fleet trust the packages of a team, or of all teams that an authority certifies.",
                body: .json(.named("TeamRequest")), answer: .json(.named("Team")), service: .session(add)),
            AdminRoute(
                method: .delete, path: "/teams/{fingerprint}", operation: "removeTeam",
                summary: "Have the fleet trust a certificate no longer.", status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let teams = try await management.teams()
        return try AdminAnswer.list(teams.map(AdminMessages.Team.init), by: .teams, call)
    }

    private func add(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(TeamRequest.self)
        guard let der = Data(base64Encoded: wish.certificate) else {
            throw HTTPProblem(.unprocessableContent, "invalid", "A team's certificate is DER in Base64.")
        }
        let team = try await management.addTeam(der: der, author: call.session.administrator).get()
        return try AdminAnswer.json(AdminMessages.Team(team))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeTeam(call.parameter("fingerprint"), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.Team {
    fileprivate init(_ trusted: TrustedTeam) {
        self.init(
            fingerprint: trusted.team.fingerprint, name: trusted.certificate.commonName,
            team: trusted.certificate.team, authority: trusted.certificate.isAuthority,
            expires: trusted.certificate.notAfter, author: trusted.team.author, added: trusted.team.added,
            certificate: trusted.team.der.base64EncodedString())
    }
}
