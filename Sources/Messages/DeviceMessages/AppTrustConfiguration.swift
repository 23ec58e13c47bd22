package import Foundation
package import InputBounds

/// `dev.martlet.configuration.app-trust`: whose packages this device may install.
///
/// Our own: Apple's devices have their trust built in. Only sent to Martlet's agents.
package struct AppTrustConfiguration: DeclarationPayload {
    package static let type = "dev.martlet.configuration.app-trust"
    package static let keys: Set = ["Teams"]

    /// A fleet trusts a handful of teams; a certificate takes a few kilobytes.
    package static let mostTeams = 64
    package static let longestCertificate = 16_384

    /// Certificates of teams, or of authorities that certify teams, in DER.
    package var teams: [Data]

    package init(teams: [Data]) {
        self.teams = teams
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        teams = []
        let items = try JSONFields(payload).array("Teams")
        guard items.count <= Self.mostTeams else { throw InputRefusal("the key Teams has too many entries") }
        for item in items {
            let text = try JSONFields(item).string("Certificate", limit: Self.longestCertificate / 3 * 4 + 4)
            guard let certificate = Data(base64Encoded: text), !certificate.isEmpty else {
                throw InputRefusal("the key Certificate is not Base64")
            }
            teams.append(certificate)
        }
    }

    package var payload: JSONValue {
        .object([
            "Teams": .array(teams.map { .object(["Certificate": .string($0.base64EncodedString())]) })
        ])
    }
}
