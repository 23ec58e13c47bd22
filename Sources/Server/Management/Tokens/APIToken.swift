package import Foundation

/// What a program shows in the place of an administrator: some of their rights, for some time.
package struct APIToken: Sendable, Equatable {
    /// How long one lives at most: a year, and a day to replace it.
    package static let longestValidity = 366 * 24 * 3_600
    /// Shorter ones would end before they are used.
    package static let shortestValidity = 60
    /// How many of one administrator live at a time.
    package static let most = 100

    package let id: String
    package let administrator: String
    /// What its administrator calls it; no two that live have the same.
    package let name: String
    package let scope: TokenScope
    package let created: Date
    package let expires: Date
    package let revoked: Date?
    package let lastUsed: Date?

    package init(
        id: String, administrator: String, name: String, scope: TokenScope, created: Date, expires: Date,
        revoked: Date? = nil, lastUsed: Date? = nil
    ) {
        self.id = id
        self.administrator = administrator
        self.name = name
        self.scope = scope
        self.created = created
        self.expires = expires
        self.revoked = revoked
        self.lastUsed = lastUsed
    }

    /// The author of what is done with it.
    package var author: String { Author.token(name, of: administrator).text }

    /// What it may do: what both allow, it and its administrator as they are now.
    func rights(of owner: Administrator) -> Rights {
        scope.rights.forToken(isReadOnly: scope.isReadOnly, administers: scope.administers, of: owner.rights)
    }

    func used(_ time: Date?) -> APIToken {
        APIToken(
            id: id, administrator: administrator, name: name, scope: scope, created: created, expires: expires,
            revoked: revoked, lastUsed: time ?? lastUsed)
    }
}

/// What an API token may do, as far as its administrator may.
package struct TokenScope: Sendable, Equatable {
    package let rights: Rights
    package let isReadOnly: Bool
    /// Whether it may say who may do what; without it no token does, whatever its role.
    package let administers: Bool

    package init(rights: Rights, isReadOnly: Bool = false, administers: Bool = false) {
        self.rights = rights
        self.isReadOnly = isReadOnly
        self.administers = administers
    }
}

/// An API token together with its text, which is known only now.
package struct IssuedToken: Sendable {
    package let text: String
    package let token: APIToken
}

/// The text of an API token: `martlet_`, 32 digits that are random, and 8 that are a checksum of what stands before.
///
/// Scanners of source code know it by `martlet_[a-z2-7]{40}` and can tell by the checksum that it is none of something
/// else; a mistyped one is refused without a look at the store.
package enum TokenText {
    package static let prefix = "martlet_"

    static func make(_ random: Data) -> String {
        let body = prefix + Base32.text(random)
        return body + checksum(of: body)
    }

    package static func isWhole(_ text: String) -> Bool {
        text.utf8.count == prefix.utf8.count + 40 && text.hasPrefix(prefix)
            && String(text.suffix(8)) == checksum(of: String(text.dropLast(8)))
    }

    /// The first forty bits of SHA-256.
    private static func checksum(of body: String) -> String { Base32.text(Management.digest(body).prefix(5)) }
}
