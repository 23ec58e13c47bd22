package import Foundation

/// Lets one person enroll one device of their own, by an account and a password that are good for that once.
///
/// The password itself is shown once and kept only as a salted hash.
package struct Invitation: Sendable, Equatable {
    /// An account with a domain, in lower case throughout: people do not mind how they write it.
    package let account: String
    package let person: String
    package let group: String
    package let passwordHash: String
    package let author: String
    package let created: Date
    package let expires: Date
    /// Whether its author may give secrets; otherwise it leads into no group that gives one.
    package let reachesSecrets: Bool

    package init(
        account: String, person: String, group: String, passwordHash: String, author: String, created: Date,
        expires: Date, reachesSecrets: Bool = true
    ) {
        self.reachesSecrets = reachesSecrets
        self.account = account
        self.person = person
        self.group = group
        self.passwordHash = passwordHash
        self.author = author
        self.created = created
        self.expires = expires
    }

    /// People get an invitation on one day and enroll on another.
    package static let defaultValidity = 7 * 24 * 3_600
    /// After signing in a device fetches its profile and its certificate; one that lost its network has an hour.
    package static let rightSeconds: TimeInterval = 3_600
}

/// A new invitation: the only moment at which its password is known.
package struct IssuedInvitation: Sendable {
    package let password: String
    package let invitation: Invitation
}

/// Invitations and the rights that come of them, as a store keeps them.
package protocol InvitationStore: Sendable {
    /// Invites a person, in the place of an earlier invitation; an account is one person's.
    func putInvitation(_ invitation: Invitation) async throws -> AdminRefusal?
    func invitation(account: String) async throws -> Invitation?
    func invitation(of person: String) async throws -> Invitation?
    /// By account.
    func invitations(_ page: PageRequest) async throws -> Page<Invitation>
    func removeInvitation(of person: String, author: String, now: Date) async throws -> AdminRefusal?
    /// Keeps the right of who signed in; rights that the invitation gave before and that nobody used end.
    ///
    /// Answers false when the invitation is gone or another by now.
    func addAccountRight(_ code: EnrollmentCode, digest: Data, of invitation: Invitation) async throws -> Bool
}
