/// Administrators who sign in at the organization's provider.
extension Management {
    /// Lets in who the provider vouches for, with what the rules give them now.
    ///
    /// Whom the rules give nothing is refused, and what they had here from before ends.
    package func admit(_ person: SignInCandidate) async throws -> Outcome<Administrator, SignInRefusal> {
        guard let rights = person.rights else {
            try await store.shutOut(person.identity, now: moment)
            return .refused(.noRole(found: person.rightsFound))
        }
        guard let name = person.name else { return .refused(.noName(found: person.nameFound)) }
        if let rule = ProvidedName.brokenRule(by: name) {
            return .refused(.unsuitableName(found: person.nameFound, bytes: name.utf8.count, rule: rule))
        }
        switch try await store.takeIn(person.identity, name: name, rights: rights, now: moment) {
        case .accepted(let administrator): return .accepted(administrator)
        case .refused(.lastAdministrator): return .refused(.lastAdministrator)
        case .refused(.nameTaken): return .refused(.nameTaken)
        case .refused(let other): return .refused(.other(reason: other.reason))
        }
    }

    /// Opens a session of an administrator who has proved elsewhere who they are; nothing if they are gone by now.
    package func openSession(of identity: ExternalIdentity) async throws -> OpenedSession? {
        guard let administrator = try await store.administrator(identity) else { return nil }
        return try await openSession(of: administrator)
    }
}

/// Why somebody whom the provider vouches for is not let in.
package enum SignInRefusal: Error, Sendable, Equatable {
    /// No rule fits; `found` says what there is of the claims that the rules look at.
    case noRole(found: String)
    case noName(found: String)
    /// The name is a text of so many bytes that breaks a rule.
    case unsuitableName(found: String, bytes: Int, rule: String)
    case nameTaken
    case lastAdministrator
    case other(reason: String)

    package var reason: String {
        switch self {
        case .noRole(let found):
            "Nobody gave this account a role here. No rule fits what the provider says: \(found). "
                + "Have the provider send what a rule asks for, or add a rule to the file of roles."
        case .noName(let found):
            "The provider gives no name by which the account could be known here: \(found). "
                + "Have the provider send that claim, or set another one as “name” in the file of roles."
        case .unsuitableName(let found, let bytes, let rule):
            "The provider's name for the account cannot be used here: \(found), of \(bytes) bytes; an administrator's "
                + "name \(rule). Change it at the provider, or set another claim as “name” in the file of roles."
        case .nameTaken:
            "Somebody else has the account's name here. Remove that administrator, or set a claim as “name” in the file "
                + "of roles in which no two people are the same."
        case .lastAdministrator: "At least one administrator must keep the right to do everything."
        case .other(let reason): reason
        }
    }
}
