import Crypto
import Foundation

extension Management {
    /// Sessions kept open of one administrator at a time.
    static let sessionLimit = 100
    /// Longer passwords only cost time.
    static let passwordBytes = 1_024
    private static let shortestPassword = 12

    private static let firstName = "admin"

    /// Creates `admin` with a password that must be changed, if there is no administrator yet.
    package func createFirstAdministrator() async throws -> FirstAdministrator? {
        // Hashing takes long on purpose: not at each start.
        guard try await store.administrator(named: Self.firstName) == nil else { return nil }
        let password = Base32.text(random(15))
        let ends = moment + Administrator.oneTimePasswordSeconds
        let administrator = Administrator(
            name: Self.firstName, passwordHash: try await hash(password), mustChangePassword: true,
            passwordEnds: ends, created: moment)
        guard try await store.addFirstAdministrator(administrator) else { return nil }
        return FirstAdministrator(name: administrator.name, oneTimePassword: password, passwordEnds: ends)
    }

    /// The first administrator, as long as nobody has changed the one-time password.
    package func administratorWithUnusedPassword() async throws -> Administrator? {
        let first = try await store.administrator(named: Self.firstName)
        return first?.mustChangePassword == true ? first : nil
    }

    /// Opens a session for the right name and password; `address` is where the request came from, `browser` what a browser
    /// shows that has signed in before.
    package func logIn(
        name: String, password: String, from address: String? = nil, browser: String? = nil
    ) async throws -> Outcome<OpenedSession, LogInRefusal> {
        // A name that no administrator can have is refused as it is typed: it is not taken for another spelling of one.
        guard Self.refusal(ofAdministrator: name) == nil, password.utf8.count <= Self.passwordBytes else {
            return .refused(.wrongNameOrPassword)
        }
        let outcome = try await throttle.attempt(
            name: name, address: address, known: known(browser, as: name), now: uptime()
        ) { () -> Administrator? in
            guard let administrator = try await store.administrator(named: name) else {
                // The same work for a name that does not exist, so that the time does not tell.
                _ = try await hash(password)
                return nil
            }
            guard try await matches(password, administrator.passwordHash), !administrator.passwordHasEnded(at: now())
            else {
                refusedSignIns.note(administrator.name, from: address)
                return nil
            }
            try await renewHash(of: administrator, password)
            return administrator
        }
        if let refusal = outcome.refusal { return .refused(refusal) }
        guard case .accepted(.some(let administrator)) = outcome else { return .refused(.wrongNameOrPassword) }
        return .accepted(try await openSession(ofKnown: administrator))
    }

    /// Opens a session of somebody who has proved who they are.
    func openSession(of administrator: Administrator) async throws -> OpenedSession {
        let token = Base32.text(random(32))
        let session = Session(
            administrator: administrator.name, expires: moment.addingTimeInterval(settings.sessionSeconds),
            mustChangePassword: administrator.mustChangePassword, rights: administrator.rights)
        try await store.openSession(
            session, tokenDigest: Self.digest(token), limit: Self.sessionLimit, now: moment)
        return OpenedSession(token: token, session: session)
    }

    /// The session of a bearer token, or what an API token stands for, if it has not ended.
    package func session(token: String) async throws -> Session? {
        guard (1...256).contains(token.utf8.count) else { return nil }
        if token.hasPrefix(TokenText.prefix) { return try await tokenSession(token) }
        let digest = Self.digest(token)
        if let session = try await store.session(tokenDigest: digest, now: now()) { return session }
        return try await interimSession(tokenDigest: digest)
    }

    /// Ends the session of a bearer token.
    package func logOut(token: String) async throws {
        let digest = Self.digest(token)
        let isInterim = interimSessions.close(digest)
        do {
            try await store.closeSession(tokenDigest: digest, now: moment)
        } catch is StoreDiskRefusal where isInterim {
            // The store did not take it in the first place.
        }
    }

    /// Replaces the password of the session's administrator and ends the other sessions.
    package func changePassword(
        token: String, session: Session, old: String, new: String
    ) async throws -> PasswordRefusal? {
        guard new.utf8.count >= Self.shortestPassword, new.utf8.count <= Self.passwordBytes else {
            return .unsuitable(rule: "A password is 12 to 1024 bytes.")
        }
        guard new != old else { return .unsuitable(rule: "The new password must differ from the old one.") }
        let name = session.administrator
        guard old.utf8.count <= Self.passwordBytes else { return .wrongOldPassword }
        // An administrator with a session is known: guesses of strangers at the name do not count here.
        let own = "session " + Hexadecimal.text(Self.digest(token))
        let outcome = try await throttle.attempt(name: name, address: nil, known: own, now: uptime()) { () -> Bool? in
            guard let administrator = try await store.administrator(named: name),
                try await matches(old, administrator.passwordHash)
            else { return nil }
            return try await store.changePassword(
                of: name, from: administrator.passwordHash, to: hash(new), keeping: Self.digest(token),
                by: .administrator(name), now: moment)
        }
        if case .refused(.throttled(let seconds)) = outcome { return .throttled(seconds: seconds) }
        return outcome.value == .some(.some(true)) ? nil : .wrongOldPassword
    }

    static func digest(_ text: String) -> Data {
        Data(SHA256.hash(data: Data(text.utf8)))
    }

    /// Hashing takes long on purpose: it leaves the caller's thread.
    @concurrent func hash(_ password: String) async throws -> String {
        try PasswordHash(of: password, salt: random(16), cost: settings.passwordCost).text
    }

    @concurrent func matches(_ password: String, _ text: String) async throws -> Bool {
        guard text != PasswordHash.none else {
            // The same work for who has no password.
            _ = try await hash(password)
            return false
        }
        return try PasswordHash.matches(password, text: text)
    }

    /// Keeps a password that was just found right as passwords are kept now; its hash may be from before.
    private func renewHash(of administrator: Administrator, _ password: String) async throws {
        guard PasswordHash.isOutdated(administrator.passwordHash, cost: settings.passwordCost) else { return }
        do {
            try await store.replacePasswordHash(
                of: administrator.name, from: administrator.passwordHash, to: hash(password))
        } catch is StoreDiskRefusal {
            // The next time will do: nobody is kept out for it.
        }
    }
}

/// RFC 4648 base 32 in lower case, without padding: easy to read aloud and to type.
enum Base32 {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func text(_ data: Data) -> String {
        var result: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in data {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                result.append(digits[Int(buffer >> UInt32(bits) & 31)])
            }
        }
        if bits > 0 { result.append(digits[Int(buffer << UInt32(5 - bits) & 31)]) }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Lowercase hexadecimal.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes that such a text stands for.
    static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digits.firstIndex(of: $0) }
        guard values.count == text.utf8.count, values.count % 2 == 0 else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
