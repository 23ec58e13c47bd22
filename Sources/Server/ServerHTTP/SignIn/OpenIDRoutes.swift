import AdminMessages
import Console
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import OpenIDConnect

/// Signing in at the organization's provider, for a browser and for a program beside one.
///
/// `GET /sign-in/oidc` sends the browser to the provider, which sends it back to `/sign-in/oidc/callback`. There a browser
/// gets the console's session. A program that listens on the same machine (RFC 8252) gets a grant instead, which it
/// exchanges for its session with the verifier that only it has.
struct OpenIDRoutes: Sendable {
    static let path = "/sign-in/oidc"
    static let callback = path + "/callback"
    private static let cookie = "__Host-martlet-sign-in"

    let management: Management
    let client: OpenIDClient
    let rules: SignInRules
    let limits: ServerLimits
    let traffic: Traffic
    let now: @Sendable () -> Date
    private let attempts = SignInAttempts()
    private let grants = SignInGrants()
    private let begun: PeerRate

    init(
        management: Management, client: OpenIDClient, rules: SignInRules, limits: ServerLimits, traffic: Traffic,
        now: @escaping @Sendable () -> Date
    ) {
        self.management = management
        self.client = client
        self.rules = rules
        self.limits = limits
        self.traffic = traffic
        self.now = now
        begun = PeerRate(perNetwork: limits.signInsBegun)
    }

    func add(to router: Router<MartletContext>) {
        router.get(RouterPath(Self.path), use: begin)
        router.get(RouterPath(Self.callback), use: end)
        router.post(RouterPath(Self.path + "/session"), use: redeem)
    }

    // MARK: To the provider

    private func begin(_ request: Request, _ context: MartletContext) async throws -> Response {
        guard begun.admits(context.peer.standing.network) else {
            traffic.count(.throttled)
            throw HTTPProblem(
                .tooManyRequests, "throttled", "Too many sign-ins were begun", headers: [.retryAfter: "600"])
        }
        let purpose = try Self.purpose(of: request)
        let browser = Proof.text(Management.systemRandom(32))
        let attempt = SignInAttempt(
            state: Proof.text(Management.systemRandom(32)), nonce: Proof.text(Management.systemRandom(32)),
            verifier: Proof.text(Management.systemRandom(32)), browser: Proof.digest(browser), began: now(),
            purpose: purpose)
        let location: String
        do throws(OpenIDRefusal) {
            location = try await client.address(for: attempt)
        } catch {
            return refused(error.rule, context)
        }
        attempts.add(attempt)
        var response = Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
        response.headers[.setCookie] =
            "\(Self.cookie)=\(browser); Path=/; Max-Age=\(Int(SignInAttempts.validSeconds)); Secure; HttpOnly; SameSite=Lax"
        return response
    }

    /// A program names its port and nothing else of where people are sent, so that nobody is sent elsewhere.
    private static func purpose(of request: Request) throws(HTTPProblem) -> SignInAttempt.Purpose {
        let query = request.uri.queryParameters
        guard let text = query["port"] else { return .browser }
        guard let port = Int(text), (1_024...65_535).contains(port), let state = query["state"].map(String.init),
            let challenge = query["challenge"].map(String.init), isProof(state), isProof(challenge)
        else {
            throw HTTPProblem(
                .badRequest, "invalid", "A program gives its port, a state and the challenge of its verifier")
        }
        return .program(port: port, state: state, challenge: challenge)
    }

    /// 32 bytes in the base 64 of URLs.
    private static func isProof(_ text: String) -> Bool {
        text.utf8.count == 43 && text.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil
    }

    // MARK: And back

    private func end(_ request: Request, _ context: MartletContext) async throws -> Response {
        let query = request.uri.queryParameters
        let attempt: SignInAttempt
        let token: IdentityToken
        do throws(OpenIDRefusal) {
            attempt = try attempts.take(
                state: query["state"].map(String.init) ?? "", browser: Self.browser(of: request), now: now())
            if let error = query["error"] { throw OpenIDRefusal.sentBack(with: String(error)) }
            guard let code = query["code"], (1...4_096).contains(code.utf8.count) else {
                throw OpenIDRefusal.denied.because("its answer has no “code” of 1 to 4096 bytes")
            }
            token = try await client.redeem(
                code: String(code), of: attempt, answeredBy: query["iss"].map(String.init),
                isUndecided: { [rules] claims in rules.isUndecided(claims.known) })
        } catch {
            return refused(error.rule, context)
        }
        let identity = ExternalIdentity(issuer: token.issuer, subject: token.subject)
        let claims = token.claims
        let admitted = try await management.admit(
            rules.judge(identity, texts: claims.texts(of:), description: claims.description(of:)))
        if let refusal = admitted.refusal { return refused(refusal.reason, context) }
        switch attempt.purpose {
        case .browser:
            guard let opened = try await management.openSession(of: identity) else { throw HTTPProblem.notLoggedIn }
            return Self.signedIn(opened)
        case .program(let port, let state, let challenge):
            let grant = Proof.text(Management.systemRandom(32))
            grants.add(grant, for: identity, challenge: challenge, now: now())
            return Response(
                status: .seeOther,
                headers: [
                    .location: "http://127.0.0.1:\(port)/?grant=\(grant)&state=\(state)", .cacheControl: "no-store",
                    .setCookie: Self.forgotten,
                ])
        }
    }

    /// To the console, with its session in the cookie.
    private static func signedIn(_ opened: OpenedSession) -> Response {
        var headers = ConsoleResponse.fields
        headers[.location] = ConsolePages.root
        headers[.cacheControl] = "no-store"
        headers[values: .setCookie] = [forgotten, SessionCookie.set(opened.token)]
        return Response(status: .seeOther, headers: headers)
    }

    private func refused(_ rule: String, _ context: MartletContext) -> Response {
        traffic.count(.signIn)
        context.logger.notice(
            "sign-in refused",
            metadata: ["rule": "\(rule)", "from": "\(PeerAddress.text(of: context.channel.remoteAddress) ?? "")"])
        let page: HTML = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not signed in – Martlet</title></head>
            <body><main><h1>Not signed in</h1><p>\(rule)</p><p><a href="\(Self.path)">Try again</a></p></main></body></html>
            """
        var response = PagePolicy.response(page, status: .forbidden, ConsoleResponse.fields)
        response.headers[.setCookie] = Self.forgotten
        return response
    }

    private static let forgotten = "\(cookie)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"

    /// What the browser was given when it began; two of one name are none.
    private static func browser(of request: Request) -> String {
        let found = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix(cookie + "=") }
        return found.count == 1 ? String(found[0].dropFirst(cookie.count + 1)) : ""
    }

    // MARK: A program's session

    private func redeem(_ request: Request, _ context: MartletContext) async throws -> Response {
        let wish = try await AdminBody.json(
            SignInGrantRequest.self, of: request,
            as: .object([.required("grant", .string), .required("verifier", .string)]), upTo: limits.formBytes)
        guard let identity = grants.take(wish.grant, verifier: wish.verifier, now: now()),
            let opened = try await management.openSession(of: identity)
        else {
            traffic.count(.signIn)
            throw HTTPProblem(.unauthorized, "sign-in", "The sign-in is over, or was another program's")
        }
        return try AdminAnswer.json(
            SessionAnswer(token: opened.token, expires: opened.session.expires, mustChangePassword: false))
    }
}
