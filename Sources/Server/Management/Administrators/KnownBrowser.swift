import Crypto
package import Foundation

/// A browser with which an administrator signed in before, as it says so itself: it keeps a text of the server's.
///
/// The text does not sign in. A browser with it has its own count of failed log-ins, so a stranger who guesses at the
/// administrator's name does not keep it out.
package struct KnownBrowser: Sendable, Equatable {
    /// For how long a browser stays known.
    package static let validSeconds: TimeInterval = 365 * 86_400
    private static let longest = 256

    /// Of this browser alone.
    let id: String
    let expires: Int

    /// The text that the browser keeps, for one administrator.
    func text(of name: String, _ key: SymmetricKey) -> String {
        "\(id).\(expires).\(Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: said(of: name), using: key)))"
    }

    /// Reads what a browser shows; nothing unless the server made it under one of its keys, for this administrator.
    init?(_ text: String, of name: String, _ keys: [SymmetricKey], now: Date) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let expires = Int(parts[1]), now.timeIntervalSince1970 < TimeInterval(expires) else {
            return nil
        }
        self.init(id: parts[0], expires: expires)
        let said = said(of: name)
        guard let code = Hexadecimal.bytes(parts[2]),
            keys.contains(where: { HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: said, using: $0) })
        else { return nil }
    }

    init(id: String, expires: Int) {
        self.id = id
        self.expires = expires
    }

    private func said(of name: String) -> Data { Data("\(id)\n\(expires)\n\(name)".utf8) }
}

extension Management {
    /// The text by which a browser is known from now on, for the administrator of the session that it has; nothing if there is
    /// no such session.
    package func knownBrowser(ofSession token: String) async throws -> String? {
        guard let session = try await session(token: token) else { return nil }
        let browser = KnownBrowser(
            id: Base32.text(random(10)), expires: Int(now().timeIntervalSince1970 + KnownBrowser.validSeconds))
        return browser.text(of: session.administrator, Self.browserKey(masterKeys.present.current))
    }

    /// What a browser that shows this text is counted as; nothing for a stranger's.
    func known(_ text: String?, as name: String) -> String? {
        guard let text else { return nil }
        let present = masterKeys.present
        let keys = ([present.current] + present.older).map(Self.browserKey)
        return KnownBrowser(text, of: name, keys, now: now()).map { "browser \($0.id)" }
    }

    /// A key of its own, that says nothing of the master key.
    private static func browserKey(_ master: MasterKeys.Key) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master.key, info: Data("martlet known browser".utf8), outputByteCount: 32)
    }
}
