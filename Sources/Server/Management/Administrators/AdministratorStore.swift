package import Foundation

/// Administrators and their sessions, as a store keeps them.
package protocol AdministratorStore: Sendable {
    /// Adds the first administrator; answers false when there already is one.
    func addFirstAdministrator(_ administrator: Administrator) async throws -> Bool
    /// Adds another one, unless there are as many as there may be.
    func addAdministrator(_ administrator: Administrator, author: String, now: Date) async throws -> AdminRefusal?
    func administrator(named name: String) async throws -> Administrator?
    /// All of them, by name.
    func administrators() async throws -> [Administrator]
    /// Changes what one may do, unless nobody would be left who may do everything.
    func setRights(
        of name: String, to rights: Rights, author: String, now: Date
    ) async throws -> Outcome<Administrator, AdminRefusal>
    /// Replaces the password by one that must be changed, and ends every session and API token.
    func resetPassword(
        of name: String, to hash: String, ends: Date, author: String, now: Date
    ) async throws -> Outcome<Administrator, AdminRefusal>
    /// Removes one with their sessions, unless nobody would be left who may do everything.
    func removeAdministrator(named name: String, author: String, now: Date) async throws -> AdminRefusal?
    func administrator(_ identity: ExternalIdentity) async throws -> Administrator?
    /// Takes in who signed in elsewhere under the rights they have there now, unless another administrator has that
    /// name.
    func takeIn(
        _ identity: ExternalIdentity, name: String, rights: Rights, now: Date
    ) async throws -> Outcome<Administrator, AdminRefusal>
    /// Ends every session and API token of one who has no rights there any more.
    func shutOut(_ identity: ExternalIdentity, now: Date) async throws
    /// Ends every session of an administrator but one.
    func closeSessions(of name: String, keeping tokenDigest: Data, now: Date) async throws
    /// Writes to the audit log that somebody failed to sign in as these, of those that are still there.
    func recordRefusedSignIns(_ refused: [RefusedSignIns], now: Date) async throws
    /// Opens a session, and drops the expired ones and the oldest beyond `limit` of the same administrator.
    func openSession(_ session: Session, tokenDigest: Data, limit: Int, now: Date) async throws
    func session(tokenDigest: Data, now: Date) async throws -> Session?
    func closeSession(tokenDigest: Data, now: Date) async throws
    /// Keeps the same password in another way, if its hash is still the old one.
    func replacePasswordHash(of name: String, from oldHash: String, to newHash: String) async throws
    /// Replaces the password if it is still the old one, ends the duty to change it and every other session; if the
    /// operator does it, every API token, too.
    func changePassword(
        of name: String, from oldHash: String, to newHash: String, keeping tokenDigest: Data, by actor: AuditActor,
        now: Date
    ) async throws -> Bool
}
