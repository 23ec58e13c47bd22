import AsyncHTTPClient
import CertificateAuthority
import Console
import Foundation
import Glibc
import InputBounds
import Management
import NIOCore
import NIOHTTP1
import NIOSSL
import OpenIDConnect
import ServerHTTP
import Testing
import Waiting

/// An OpenID Connect provider that was not written here, on a port of the loopback, well behaved or hostile.
final class PlayedProvider: Sendable {
    static let roles = """
        {"rules": [
            {"claim": "groups", "is": "fleet", "role": "administrator"},
            {"claim": "groups", "is": "teachers", "role": "app-owner", "apps": ["a.b"], "groups": ["g"]},
            {"claim": "email", "is": "ruth@example.org", "role": "reader"}
        ]}
        """

    let issuer: String
    private let process: Process

    /// Runs one beside a server that lets people sign in there.
    static func with(
        clock: TestClock = TestClock(), secret: String? = "a secret: of+the client",
        _ test: @Sendable (TestServer, PlayedProvider, Browser) async throws -> Void
    ) async throws {
        try await ForeignProgram.inFolder { folder in
            let provider = try await PlayedProvider(in: folder)
            // Not asked to end: where the server under test ignores that signal, its children do, too.
            defer { kill(provider.process.processIdentifier, SIGKILL) }
            let signIn: @Sendable (String) throws -> MartletServer.SignIn = { baseURL in
                let root = try NIOSSLCertificate(bytes: Array(SharedAuthority.authority().certificateDER), format: .der)
                return MartletServer.SignIn(
                    provider: OpenIDProvider(
                        issuer: provider.issuer, client: "martlet", secret: secret,
                        redirect: baseURL + MartletServer.SignIn.callback, roots: [root]),
                    rules: try .init(parsing: Data(roles.utf8)))
            }
            try await TestServer.run(clock: clock, signIn: signIn) { (server) async throws in
                try await Browser.with(server) { (browser) async throws in
                    try await test(server, provider, browser)
                }
            }
        }
    }

    private init(in folder: URL) async throws {
        let identity = try SharedAuthority.authority().issueServer(hostnames: ["localhost"], now: Date())
        try Data(identity.certificatePEM.utf8).write(to: folder.appending(path: "tls.pem"))
        try Data(identity.keyPEM.utf8).write(to: folder.appending(path: "tls.key"))
        process = Process()
        process.executableURL = URL(filePath: ForeignProgram.python)
        process.arguments = [ForeignProgram.script("openid_provider.py"), folder.path]
        process.standardInput = FileHandle.nullDevice
        // Whoever reads what tests say waits for everybody who could still say something.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let port = folder.appending(path: "port")
        try await eventually("the provider listens") { [process] in
            FileManager.default.fileExists(atPath: port.path) || !process.isRunning
        }
        issuer = "https://localhost:\(try String(contentsOf: port, encoding: .utf8))"
    }

    /// Says what it shall do next, and answers what it has counted.
    @discardableResult
    func play(
        _ variant: String = "good", claims: String = "{}", rotate: Bool = false, habits: String = "{}",
        in browser: Browser
    ) async throws -> [String: Int] {
        let wish = #"{"variant": "\#(variant)", "claims": \#(claims), "rotate": \#(rotate), "habits": \#(habits)}"#
        let body = Data(wish.utf8)
        let answer = try await browser.send("POST", issuer + "/control", body: body)
        return try JSONDecoder().decode([String: Int].self, from: answer.body)
    }
}

/// A browser, as far as signing in needs one: it follows no redirect by itself, and keeps a server's cookies.
final class Browser: Sendable {
    struct Page: Sendable {
        let status: UInt
        let location: String?
        let cookies: [String]
        let headers: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        /// Whether somebody who looks at the page reads this.
        func shows(_ sentence: String) -> Bool { text.contains(("\(sentence)" as HTML).text) }

        func cookie(_ name: String) -> String? {
            cookies.last { $0.hasPrefix(name + "=") }?.split(separator: ";").first
                .map { String($0.dropFirst(name.count + 1)) }
        }
    }

    private let client: HTTPClient
    private let server: TestServer

    static func with(_ server: TestServer, _ test: @Sendable (Browser) async throws -> Void) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(server.authority.certificateDER), format: .der)
        ])
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .minutes(10)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        try await client.with { _ in try await test(Browser(client, server)) }
    }

    private init(_ client: HTTPClient, _ server: TestServer) { (self.client, self.server) = (client, server) }

    func send(
        _ method: String, _ url: String, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Page {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let answer = try await client.execute(request, timeout: .minutes(10))
        let bytes = try await answer.body.collect(upTo: 1 << 20)
        return Page(
            status: answer.status.code, location: answer.headers.first(name: "location"),
            cookies: answer.headers["set-cookie"],
            headers: Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
            body: Data(bytes.readableBytesView))
    }

    /// Begins a sign-in: where it leads to, and what this browser was given.
    func begin(_ query: String = "") async throws -> (location: String, cookie: String) {
        let page = try await send("GET", server.baseURL + "/sign-in/oidc" + query)
        try #require(page.status == 303, "\(page.text)")
        return (try #require(page.location), try #require(page.cookie("__Host-martlet-sign-in")))
    }

    /// Signs in at the provider: where that sends the browser back to.
    func visit(_ location: String) async throws -> String {
        let page = try await send("GET", location)
        return try #require(page.location, "\(page.status) \(page.text)")
    }

    /// Comes back from the provider, with the cookie.
    func comeBack(_ location: String, cookie: String?) async throws -> Page {
        try await send(
            "GET", location, headers: cookie.map { ["Cookie": "other=1; __Host-martlet-sign-in=\($0)"] } ?? [:])
    }

    /// The whole way.
    func signIn(_ query: String = "") async throws -> Page {
        let (location, cookie) = try await begin(query)
        return try await comeBack(try await visit(location), cookie: cookie)
    }
}
