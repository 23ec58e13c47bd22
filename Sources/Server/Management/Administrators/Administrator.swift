package import Foundation

/// A person who may use the admin API.
package struct Administrator: Sendable, Equatable {
    package let name: String
    /// Argument-free text of the password's salted hash; never shown.
    package let passwordHash: String
    package let mustChangePassword: Bool
    /// When a one-time password ends that nobody used.
    package let passwordEnds: Date?
    package let created: Date
    package let rights: Rights
    /// Their identity at the provider, if they sign in there.
    package let identity: ExternalIdentity?

    package init(
        name: String, passwordHash: String, mustChangePassword: Bool, passwordEnds: Date? = nil, created: Date,
        rights: Rights = .all, identity: ExternalIdentity? = nil
    ) {
        self.passwordEnds = passwordEnds
        self.name = name
        self.passwordHash = passwordHash
        self.mustChangePassword = mustChangePassword
        self.created = created
        self.rights = rights
        self.identity = identity
    }
}

extension Administrator {
    /// How long a one-time password may stay unused.
    package static let oneTimePasswordSeconds: TimeInterval = 7 * 24 * 3_600

    /// Whether the password is a one-time password that nobody used in time.
    package func passwordHasEnded(at now: Date) -> Bool {
        mustChangePassword && passwordEnds.map { $0 <= now } ?? false
    }
}

/// A log-in that has not ended.
///
/// While the password must be changed, nothing else is allowed.
package struct Session: Sendable, Equatable {
    /// The author of changes in this session; for an API token its administrator and its name, `anna/builds`.
    package let administrator: String
    package let expires: Date
    package let mustChangePassword: Bool
    /// What its administrator may do now, whatever that was when it was opened.
    package let rights: Rights
    /// The administrator, also if an API token of theirs is the author.
    package let owner: String

    package init(
        administrator: String, expires: Date, mustChangePassword: Bool, rights: Rights = .all, owner: String? = nil
    ) {
        self.administrator = administrator
        self.owner = owner ?? administrator
        self.expires = expires
        self.mustChangePassword = mustChangePassword
        self.rights = rights
    }
}

extension Session {
    /// How far ahead of the clock a session's opening may lie, in seconds; beyond it the session is over.
    ///
    /// A clock that was ahead and is right again would otherwise keep the sessions of that time alive for as long as it
    /// was ahead.
    package static let clockTolerance: TimeInterval = 3_600
}

/// A session together with its bearer token, which is known only now.
package struct OpenedSession: Sendable {
    package let token: String
    package let session: Session
    /// Whether it is kept in memory alone, because the disk of the store is full.
    package let isInterim: Bool

    init(token: String, session: Session, isInterim: Bool = false) {
        self.token = token
        self.session = session
        self.isInterim = isInterim
    }
}

/// The first administrator and the password that must be changed at the first log-in.
package struct FirstAdministrator: Sendable {
    package let name: String
    package let oneTimePassword: String
    /// When it ends if nobody uses it.
    package let passwordEnds: Date
}

/// Why nobody was logged in.
package enum LogInRefusal: Error, Sendable, Equatable {
    case wrongNameOrPassword
    case throttled(seconds: Int)

    package var reason: String {
        switch self {
        case .wrongNameOrPassword: "The name or the password is wrong."
        case .throttled(let seconds):
            "Too many failed log-ins. Try again in \(seconds) second\(seconds == 1 ? "" : "s")."
        }
    }
}

/// Why a password was not changed.
package enum PasswordRefusal: Error, Sendable, Equatable {
    case wrongOldPassword
    case throttled(seconds: Int)
    case unsuitable(rule: String)

    package var reason: String {
        switch self {
        case .wrongOldPassword: "The old password is wrong."
        case .throttled(let seconds):
            "Too many failed attempts. Try again in \(seconds) second\(seconds == 1 ? "" : "s")."
        case .unsuitable(let rule): rule
        }
    }
}
