package import AppPackages
import DeviceMessages
package import Foundation

/// A team's certificate, and what it says.
package struct TrustedTeam: Sendable {
    package let team: Team
    package let certificate: TrustedCertificate
}

extension Management {
    /// Has the fleet trust the packages of a team, or of all teams that an authority certifies.
    package func addTeam(der: Data, author: String) async throws -> Outcome<TrustedTeam, AdminRefusal> {
        let certificate: TrustedCertificate
        do throws(PackageRefusal) {
            certificate = try TrustedCertificate(der)
        } catch {
            return .refused(.invalid(rule: "The certificate is refused: \(error.rule.description)."))
        }
        guard certificate.notAfter > now() else {
            return .refused(.invalid(rule: "The certificate has expired."))
        }
        let team = Team(
            fingerprint: Hexadecimal.text(certificate.fingerprint), der: der, author: author, added: moment)
        return try await store.addTeam(team, limit: AppTrustConfiguration.mostTeams, now: moment).map { changed in
            announce(changed.groups)
            return TrustedTeam(team: changed.value, certificate: certificate)
        }
    }

    /// By fingerprint; one that a later version of the rules would refuse is left out.
    package func teams() async throws -> [TrustedTeam] {
        try await store.teams().compactMap { team in
            (try? TrustedCertificate(team.der)).map { TrustedTeam(team: team, certificate: $0) }
        }
    }

    /// Has the fleet trust a team no longer; what is installed stays.
    package func removeTeam(_ fingerprint: String, author: String) async throws -> AdminRefusal? {
        switch try await store.removeTeam(fingerprint.lowercased(), author: author, now: moment) {
        case .accepted(let changed):
            announce(changed.groups)
            return nil
        case .refused(let refusal): return refusal
        }
    }
}
