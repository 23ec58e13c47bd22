import Foundation
import InputBounds

/// API tokens: what programs show in the place of an administrator.
extension Management {
    /// Makes a token for the administrator of a session, which may do no more than they.
    package func createToken(
        named name: String, scope: TokenScope, validSeconds: Int, of session: Session
    ) async throws -> Outcome<IssuedToken, AdminRefusal> {
        if let refusal = Self.refusal(ofToken: name) ?? scope.rights.refusal { return .refused(refusal) }
        guard (APIToken.shortestValidity...APIToken.longestValidity).contains(validSeconds) else {
            return .refused(
                .invalid(
                    rule: "An API token is valid for \(APIToken.shortestValidity) to "
                        + "\(APIToken.longestValidity) seconds."))
        }
        guard session.rights.include(scope.rights) else {
            return .refused(.invalid(rule: "An API token may do no more than who makes it."))
        }
        guard !scope.administers || (scope.rights.role == .administrator && !scope.isReadOnly) else {
            return .refused(.invalid(rule: "Only a token of the role administrator manages administrators."))
        }
        let text = TokenText.make(random(20))
        let token = APIToken(
            id: Base32.text(random(10)), administrator: session.administrator, name: name, scope: scope,
            created: moment, expires: moment.addingTimeInterval(TimeInterval(validSeconds)))
        if let refusal = try await store.addToken(token, digest: Self.digest(text)) { return .refused(refusal) }
        return .accepted(IssuedToken(text: text, token: token))
    }

    /// The tokens that the administrator of a session may see: their own, or everybody's for who manages them.
    package func tokens(for session: Session, _ page: PageRequest) async throws -> Page<APIToken> {
        let everybodys = session.rights.allow(.audit, app: nil, group: nil)
        return try await store.tokens(of: everybodys ? nil : session.administrator, page)
            .map { $0.used(tokenUses.latest($0.id)) }
    }

    /// Ends a token, of their own, or anybody's for who manages administrators.
    package func revokeToken(id: String, by session: Session) async throws -> AdminRefusal? {
        let anybodys = session.rights.allow(.administer, app: nil, group: nil)
        return try await store.revokeToken(
            id: id, of: anybodys ? nil : session.administrator, author: session.administrator, now: moment)
    }

    /// What a token stands for: a session that is as long as it lives and may do what both allow, it and its administrator.
    func tokenSession(_ text: String) async throws -> Session? {
        guard TokenText.isWhole(text),
            let (token, owner) = try await store.token(digest: Self.digest(text), now: now())
        else { return nil }
        tokenUses.note(token.id, now: now())
        return Session(
            administrator: token.author, expires: token.expires, mustChangePassword: owner.mustChangePassword,
            rights: token.rights(of: owner), owner: token.administrator)
    }

    private static func refusal(ofToken name: String) -> AdminRefusal? {
        NameRule(.word(and: "._-"), upTo: 64).brokenRule(by: name).map { .invalid(rule: "An API token's name \($0).") }
    }
}
