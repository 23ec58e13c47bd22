/// Administrators who sign in at the organization's provider.
extension Management {
    /// Lets in who the provider vouches for, with what the rules give them now.
    ///
    /// Whom the rules give nothing is refused, and what they had here from before ends.
    package func admit(
        _ identity: ExternalIdentity, name: String?, rights: Rights?
    ) async throws -> Outcome<Administrator, SignInRefusal> {
        guard let rights else {
            try await store.shutOut(identity, now: moment)
            return .refused(.noRole)
        }
        guard let name, Self.refusal(ofAdministrator: name) == nil else { return .refused(.noName) }
        switch try await store.takeIn(identity, name: name, rights: rights, now: moment) {
        case .accepted(let administrator): return .accepted(administrator)
        case .refused(.lastAdministrator): return .refused(.lastAdministrator)
        case .refused: return .refused(.nameTaken)
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
    case noRole
    case noName
    case nameTaken
    case lastAdministrator

    package var reason: String {
        switch self {
        case .noRole: "Nobody gave this account a role here."
        case .noName: "The provider does not say a name by which the account could be known here."
        case .nameTaken: "Somebody else has the account's name here."
        case .lastAdministrator: "At least one administrator must keep the right to do everything."
        }
    }
}
