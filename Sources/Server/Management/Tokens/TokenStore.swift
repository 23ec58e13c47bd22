package import Foundation

/// API tokens, as a store keeps them: digests, never their text.
package protocol TokenStore: Sendable {
    /// Adds one, unless its administrator has a live one of that name, or as many as there may be.
    func addToken(_ token: APIToken, digest: Data) async throws -> AdminRefusal?
    /// The live one of a digest, with what its administrator may do now and whether their password must be changed.
    func token(digest: Data, now: Date) async throws -> (token: APIToken, owner: Administrator)?
    /// The live one that an administrator calls so, with the same.
    func token(
        named name: String, of administrator: String, now: Date
    ) async throws -> (token: APIToken, owner: Administrator)?
    /// The newest first, of everybody or of one administrator, ended ones too until their retention is over.
    func tokens(of administrator: String?, _ page: PageRequest) async throws -> Page<APIToken>
    /// Ends a live one, of anybody or of one administrator.
    func revokeToken(id: String, of administrator: String?, author: String, now: Date) async throws -> AdminRefusal?
    /// When tokens were last used, by their IDs.
    func recordTokenUses(_ uses: [String: Date]) async throws
}
