import Foundation
import InputBounds

/// The administrators and their rights.
extension Management {
    /// Adds an administrator with a password that must be changed at the first log-in.
    package func addAdministrator(
        named name: String, rights: Rights, author: String
    ) async throws -> Outcome<NewPassword, AdminRefusal> {
        if let refusal = Self.refusal(ofAdministrator: name) ?? rights.refusal { return .refused(refusal) }
        let password = Base32.text(random(15))
        let administrator = Administrator(
            name: name, passwordHash: try await hash(password), mustChangePassword: true,
            passwordEnds: moment + Administrator.oneTimePasswordSeconds, created: moment, rights: rights)
        if let refusal = try await store.addAdministrator(administrator, author: author, now: moment) {
            return .refused(refusal)
        }
        return .accepted(NewPassword(administrator: administrator, oneTimePassword: password))
    }

    package func administrators() async throws -> [Administrator] { try await store.administrators() }

    package func administrator(named name: String) async throws -> Administrator? {
        try await store.administrator(named: name)
    }

    /// Changes what an administrator may do, in sessions that are open already, too.
    package func setRights(
        of name: String, to rights: Rights, author: String
    ) async throws -> Outcome<Administrator, AdminRefusal> {
        if let refusal = rights.refusal { return .refused(refusal) }
        return try await store.setRights(of: name, to: rights, author: author, now: moment)
    }

    /// Gives an administrator another password that must be changed, and ends their sessions.
    package func resetPassword(
        of name: String, author: String
    ) async throws -> Outcome<NewPassword, AdminRefusal> {
        let password = Base32.text(random(15))
        let hash = try await hash(password)
        switch try await store.resetPassword(
            of: name, to: hash, ends: moment + Administrator.oneTimePasswordSeconds, author: author, now: moment)
        {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let administrator):
            return .accepted(NewPassword(administrator: administrator, oneTimePassword: password))
        }
    }

    /// Removes an administrator and ends their sessions; the last one who may do everything stays.
    package func removeAdministrator(named name: String, author: String) async throws -> AdminRefusal? {
        try await store.removeAdministrator(named: name, author: author, now: moment)
    }

    /// Ends the other sessions of a session's administrator, wherever they were opened.
    package func logOutElsewhere(token: String, session: Session) async throws {
        let digest = Self.digest(token)
        interimSessions.close(of: session.administrator, keeping: digest)
        try await store.closeSessions(of: session.administrator, keeping: digest, now: moment)
    }

    static func refusal(ofAdministrator name: String) -> AdminRefusal? {
        NameRule(.word(and: "._@+-"), upTo: 128).brokenRule(by: name).map {
            .invalid(rule: "An administrator's name \($0).")
        }
    }
}

/// A password that was made, and is known only now.
package struct NewPassword: Sendable {
    package let administrator: Administrator
    package let oneTimePassword: String
}
