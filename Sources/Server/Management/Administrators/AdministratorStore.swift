package import Foundation

/// Administrators and their sessions, as a store keeps them.
package protocol AdministratorStore: Sendable {
    /// Adds the first administrator; answers false when there already is one.
    func addFirstAdministrator(_ administrator: Administrator) async throws -> Bool
    func administrator(named name: String) async throws -> Administrator?
    /// Opens a session, and drops the expired ones and the oldest beyond `limit` of the same administrator.
    func openSession(_ session: Session, tokenDigest: Data, limit: Int, now: Date) async throws
    func session(tokenDigest: Data, now: Date) async throws -> Session?
    func closeSession(tokenDigest: Data, now: Date) async throws
    /// Replaces the password if it is still the old one, ends the duty to change it and every other session.
    func changePassword(
        of name: String, from oldHash: String, to newHash: String, keeping tokenDigest: Data, by actor: AuditActor,
        now: Date
    ) async throws -> Bool
}
