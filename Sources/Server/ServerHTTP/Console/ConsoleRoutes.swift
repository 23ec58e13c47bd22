import Console
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore

/// Serves the console: what comes from browsers is judged and bounded here, then handed to the pages with a door to the API.
///
/// Only POST changes something, and only with a form of ours: see `FormOrigin`. The rest is what the API allows to whom
/// the session in the cookie belongs to.
struct ConsoleRoutes: Sendable {
    let pages: ConsolePages
    let api: ConsoleDoor.API
    let limits: ServerLimits
    let now: @Sendable () -> Date
    /// The text by which the browser of a session is known from now on.
    let knownBrowser: @Sendable (_ session: String) async throws -> String?

    func add(to router: Router<MartletContext>) {
        for path in ["/console", "/console/**"] {
            router.on(RouterPath(path), method: .get) { request, context in try await answer(.get, request, context) }
            router.on(RouterPath(path), method: .post) { request, context in try await answer(.post, request, context) }
        }
        // A person who types the server's name into a browser wants the console; programs get nothing here.
        router.get("/") { request, _ in
            guard request.headers[.accept]?.contains("text/html") == true else { throw HTTPProblem.notFound }
            return ConsoleResponse.response(to: .seeOther(ConsolePages.root))
        }
    }

    /// The API's stream of changes, for pages, with the session of the cookie.
    ///
    /// Another site's page is not sent the cookie, and could not read the answer.
    private func live(_ request: Request, _ context: MartletContext) async throws -> Response {
        let token = SessionCookie.token(in: request.headers)
        let query = try FormText.query(request.uri.query ?? "")
        let after = request.headers[.lastEventID] ?? query["after"]
        let door = ConsoleDoor(api: api, context: context, token: token)
        return try await passedOn("/events", headers: after.map { [.lastEventID: $0] } ?? [:], from: door)
    }

    /// Streams an answer of the API, with the session of the cookie.
    private func passedOn(_ path: String, headers: HTTPFields, from door: ConsoleDoor) async throws -> Response {
        var response = try await door.stream(path, headers: headers)
        for field in ConsoleResponse.fields { response.headers[field.name] = field.value }
        return response
    }

    private func answer(
        _ method: ConsoleRequest.Method, _ request: Request, _ context: MartletContext
    ) async throws -> Response {
        do {
            if method == .get, request.uri.path == ConsolePages.liveSource {
                return try await live(request, context)
            }
            let token = SessionCookie.token(in: request.headers)
            var form = Form(fields: [])
            if method == .post {
                // Without a session there is nothing to do but sign in.
                let limit = token == nil ? limits.signInBytes : limits.consoleFormBytes
                let body = try await request.bytes(upTo: limit)
                form = try FormOrigin.judged(
                    try FormText.form(body, of: request.headers[.contentType]), request, session: token,
                    isSignIn: request.uri.path == "/console/sign-in")
            }
            guard let path = FormText.path(request.uri.path.dropFirst(ConsolePages.root.count)) else {
                throw HTTPProblem.notFound
            }
            let call = ConsoleRequest(
                method: method, path: path, query: try FormText.query(request.uri.query ?? ""), form: form,
                formToken: token.map(FormOrigin.token), now: now())
            // The router knows one route for all pages; the log names the page.
            if let address = ConsolePages.address(of: call) { context.coreContext.endpointPath.value = address }
            var inner = context
            inner.knownBrowser = KnownBrowserCookie.text(in: request.headers)
            let door = ConsoleDoor(api: api, context: inner, token: token)
            let answer = try await pages.answer(call, through: door)
            if case .passedOn(let path) = answer { return try await passedOn(path, headers: [:], from: door) }
            var response = ConsoleResponse.response(to: answer)
            if case .signedIn(let opened, _) = answer, let known = try await knownBrowser(opened) {
                response.headers[values: .setCookie] += [KnownBrowserCookie.set(known)]
            }
            return response
        } catch let error where !(error is CancellationError) {
            return ConsoleResponse.response(
                to: ConsolePages.problem(HTTPProblem(answering: error, context.logger).value))
        }
    }
}

/// Where the browser keeps the token of the session.
///
/// Of this host alone, over TLS alone, out of scripts' reach. `Lax`, not `Strict`: a person who follows a link from a
/// ticket or a chat, or comes back from the provider, is signed in; another site's form still comes without it, and
/// what is only looked at changes nothing. Without a lifetime: it goes with the browser, and the session ends by
/// itself.
enum SessionCookie {
    static let name = "__Host-martlet"
    private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

    static func set(_ token: String) -> String { "\(name)=\(token); \(attributes)" }
    static let forgotten = "\(name)=; Max-Age=0; \(attributes)"

    /// A token as the server makes them; anything else is none.
    static func token(in headers: HTTPFields) -> String? { value(of: name, in: headers) }

    /// The value of a cookie of this server's, which has letters, digits and `_-.` alone.
    static func value(of name: String, in headers: HTTPFields) -> String? {
        for header in headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, (1...256).contains(parts[1].utf8.count),
                    parts[1].utf8.allSatisfy(isOfToken)
                else { continue }
                return String(parts[1])
            }
        }
        return nil
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// Where a browser keeps that an administrator signed in with it.
///
/// It does not sign in, and stays after a sign-out: a browser with it does not wait because of guesses of strangers.
/// `Strict`, since it is needed on our own form alone.
enum KnownBrowserCookie {
    static let name = "__Host-martlet-known"

    static func set(_ text: String) -> String {
        "\(name)=\(text); Path=/; Max-Age=\(Int(KnownBrowser.validSeconds)); Secure; HttpOnly; SameSite=Strict"
    }

    static func text(in headers: HTTPFields) -> String? { SessionCookie.value(of: name, in: headers) }
}
