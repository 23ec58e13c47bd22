import DeviceMessages
import Foundation
import InputBounds

/// Finds the server of a person's account, and signs the person in there.
package struct AccountSignIn: Sendable {
    private static let answerLimit = 65_536
    /// A page is for people; of it only the head counts here.
    private static let pageLimit = 1_048_576

    private let account: EnrollmentAccount
    private let facts: DeviceFacts
    private let trust: ServerTrust
    private let origin: ServerOrigin?

    /// `url` says where the account's server is, if not the account's domain is to be asked.
    package init(account: String, facts: DeviceFacts, trust: ServerTrust, url: String?) throws {
        do {
            self.account = try EnrollmentAccount(parsing: account)
        } catch {
            throw EnrollmentRefusal.badAccount
        }
        self.facts = facts
        self.trust = trust
        origin = try url.map { try ServerOrigin($0) }
    }

    /// What the server wants of the person.
    package struct Demand: Sendable {
        package let baseURL: String
        /// On which the person signs in.
        package let page: String
        /// Whether an account and a password are all it takes, so that no browser is needed.
        package let takesPassword: Bool
        fileprivate let roots: [Data]
    }

    /// Asks where the account enrolls, and how its person signs in.
    package func demand() async throws -> Demand {
        let discovery = try await discover()
        let server = try ServerOrigin(of: discovery.baseURL)
        let roots = try await trust.roots(host: server.host, port: server.port)
        let request = ProfileRequest(facts: facts, udid: "", roots: roots)
        let challenge = try await request.challenge(at: discovery.baseURL)
        // A password is typed for the server that was found, and not for whom it points to.
        let takesPassword =
            try ServerOrigin(of: challenge.url) == server ? await asksForPassword(challenge.url, roots) : false
        return Demand(
            baseURL: discovery.baseURL, page: address(of: challenge.url), takesPassword: takesPassword, roots: roots)
    }

    /// Signs in by account and password.
    package func signIn(_ demand: Demand, password: String) async throws -> EnrollmentWish.SignedIn {
        let connection = try ServerConnection(roots: demand.roots, identity: nil)
        defer { connection.close() }
        let form = "account=\(Self.escaped(account.name))&password=\(Self.escaped(password))"
        let reply = try await connection.send(
            "POST", demand.page, contentType: "application/x-www-form-urlencoded", body: Data(form.utf8),
            answerLimit: Self.pageLimit, followsRedirects: false)
        switch reply.status {
        case 300..<400: return try signedIn(demand, result: reply.header("location") ?? "")
        case 429: throw EnrollmentRefusal.signInThrottled
        default:
            guard Busy(reply) == nil else { throw EnrollmentRefusal.serverBusy }
            throw EnrollmentRefusal.signInRefused
        }
    }

    /// Takes the address to which a page led that a person used in a browser.
    package func signedIn(_ demand: Demand, result: String) throws -> EnrollmentWish.SignedIn {
        do {
            return EnrollmentWish.SignedIn(
                baseURL: demand.baseURL,
                token: try SignInResult(parsing: result.trimmingCharacters(in: .whitespaces)).token)
        } catch {
            throw EnrollmentRefusal.signInRefused
        }
    }

    /// The document under the well-known path; a domain's web site is known by the system's authorities, or by the one that
    /// was given for the server.
    private func discover() async throws -> EnrollmentDiscovery {
        let reply: ServerReply
        if let origin {
            reply = try await document(
                at: origin.text, roots: try await trust.roots(host: origin.host, port: origin.port))
        } else {
            do {
                reply = try await document(at: nil, roots: [])
            } catch ServerSilence.untrusted where trust != .system {
                reply = try await document(at: nil, roots: try await trust.roots(host: account.domain, port: 443))
            }
        }
        guard Busy(reply) == nil else { throw EnrollmentRefusal.serverBusy }
        guard reply.status == 200 else { throw EnrollmentRefusal.noDiscovery(reply.status) }
        do { return try EnrollmentDiscovery(parsing: reply.body) } catch { throw EnrollmentRefusal.discoveryUnusable }
    }

    private func document(at origin: String?, roots: [Data]) async throws -> ServerReply {
        let connection = try ServerConnection(roots: roots, identity: nil)
        defer { connection.close() }
        return try await connection.send(
            "GET", account.discoveryURL(at: origin), answerLimit: Self.answerLimit)
    }

    private func asksForPassword(_ page: String, _ roots: [Data]) async throws -> Bool {
        let connection = try ServerConnection(roots: roots, identity: nil)
        defer { connection.close() }
        let reply = try await connection.send("GET", page, answerLimit: Self.pageLimit)
        return reply.status == 200 && reply.header("martlet-sign-in") == "password"
    }

    /// The page, told who it is that comes, as Apple's devices do.
    private func address(of page: String) -> String {
        page + (page.contains("?") ? "&" : "?") + "user-identifier=" + Self.escaped(account.name)
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
