import DeviceMessages
package import Foundation

/// By what right this device is to enroll, and where.
package enum EnrollmentWish: Sendable, Equatable {
    /// By a one-time code that an administrator made.
    case code(String, url: String)
    /// By a person's account; without what came of signing in, only what was begun goes on.
    case account(String, SignedIn?)
    /// Because the server expects this device.
    case automatic(url: String)
    /// By a profile that any MDM server may have made; with leave, its authority may answer with legacy cryptography.
    case profile(Data, allowsLegacy: Bool)

    /// What came of signing in.
    package struct SignedIn: Sendable, Equatable {
        /// Where the profile is to be had.
        package let baseURL: String
        package let token: String

        package init(baseURL: String, token: String) {
            self.baseURL = baseURL
            self.token = token
        }
    }

    /// The address of the server that the person has named; nothing if a profile or the account's domain says it.
    package var server: String? {
        switch self {
        case .code(_, let url), .automatic(let url): (try? ServerOrigin(url))?.text
        case .account(_, let signedIn): signedIn.flatMap { try? ServerOrigin(of: $0.baseURL) }?.text
        case .profile: nil
        }
    }

    /// Where a server has the profiles of devices that it expects.
    static let automaticPath = "/enroll/automatic"

    /// Tells the same wish from another one; codes have no blanks.
    var digest: String {
        switch self {
        case .code(let code, _): Data(code.utf8).digest
        case .account(let name, _): Data("account \(name.lowercased())".utf8).digest
        case .automatic: Data("expected device".utf8).digest
        case .profile(let file, let allowsLegacy): "\(file.digest) \(allowsLegacy)"
        }
    }

    var kind: EnrollmentKind {
        switch self {
        case .code: .device
        case .account: .account
        case .automatic: .automated
        case .profile: .profile
        }
    }

    /// Whether an enrollment is what this wish began.
    func began(_ enrollment: Enrollment) -> Bool {
        guard enrollment.codeDigest == digest else { return false }
        switch self {
        case .code(_, let url), .automatic(let url): return (try? ServerOrigin(url))?.text == enrollment.origin
        case .profile: return true
        // A person signs in again only if the first attempt failed.
        case .account(_, let signedIn):
            return signedIn == nil || enrollment.stage >= .isAuthenticated || signedIn?.token == enrollment.accessToken
        }
    }
}

/// A server's address, without a path.
package struct ServerOrigin: Sendable, Equatable {
    package let text: String
    package let host: String
    package let port: Int

    /// Reads an address that names a server and nothing on it.
    package init(_ url: String) throws(EnrollmentRefusal) {
        try self.init(of: url)
        guard let parts = URLComponents(string: url), parts.path.isEmpty || parts.path == "/", parts.query == nil else {
            throw .badURL
        }
    }

    /// Where something on a server is.
    package init(of url: String) throws(EnrollmentRefusal) {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let host = parts.host, !host.isEmpty,
            parts.user == nil
        else { throw .badURL }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? 443
        text = "https://\(host):\(port)"
    }
}
