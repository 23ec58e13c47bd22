package import Foundation

/// A certificate by which the fleet trusts packages: a team's, or that of an authority which certifies teams.
package struct Team: Sendable, Equatable {
    /// SHA-256 in lowercase hexadecimal.
    package let fingerprint: String
    package let der: Data
    package let author: String
    package let added: Date

    package init(fingerprint: String, der: Data, author: String, added: Date) {
        self.fingerprint = fingerprint
        self.der = der
        self.author = author
        self.added = added
    }
}

/// The teams whose packages the fleet trusts, as a store keeps them.
package protocol TeamStore: Sendable {
    /// Adds a certificate, unless there are `limit` of them; one that is there stays as it is. Answers with all groups.
    func addTeam(_ team: Team, limit: Int, now: Date) async throws -> Outcome<Changed<Team>, AdminRefusal>
    /// By fingerprint.
    func teams() async throws -> [Team]
    func removeTeam(_ fingerprint: String, author: String, now: Date) async throws -> Outcome<
        Changed<Team>, AdminRefusal
    >
}
