import AdminMessages
import AsyncHTTPClient
import Foundation
import Synchronization
import Testing

/// A browser as far as the console meets it: keeps the cookie, follows nothing by itself, sends forms as pages have them.
final class ConsoleBrowser: Sendable {
    let server: TestServer
    let client: HTTPClient
    private let cookie = Mutex<String?>(nil)

    /// One that nobody signed in with.
    static func with(_ server: TestServer, _ test: (ConsoleBrowser) async throws -> Void) async throws {
        try await server.client(followsRedirects: false).with { (client) async throws in
            try await test(ConsoleBrowser(server, client))
        }
    }

    /// Runs a test on a server of its own, with an administrator of the API who is signed in to the console, too.
    static func signedIn(_ test: (AdminClient, ConsoleBrowser) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    try await browser.signIn()
                    try await test(admin, browser)
                }
            }
        }
    }

    /// The same with a device that is enrolled.
    static func signedInBesideDevice(
        _ test: (TestServer, AdminClient, PlayedDevice, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await test(server, admin, device, browser)
                    }
                }
            }
        }
    }

    init(_ server: TestServer, _ client: HTTPClient) {
        (self.server, self.client) = (server, client)
    }

    /// The session's token.
    var token: String? {
        get { cookie.withLock { $0 } }
        set { cookie.withLock { $0 = newValue } }
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", path, headers, nil)
    }

    /// Sends a form of a page of ours, with the token that the page has.
    func post(_ path: String, _ fields: [String: String] = [:], from page: String = "/console/account") async throws
        -> Answer
    {
        var fields = fields
        if path != "/console/sign-in" { fields["form-token"] = try await formToken(on: page) }
        return try await send("POST", path, ["Sec-Fetch-Site": "same-origin"], fields)
    }

    /// Sends whatever is given, and nothing else.
    func send(
        _ method: String, _ path: String, _ headers: [String: String], _ fields: [String: String]?
    ) async throws -> Answer {
        var headers = headers
        if let token { headers["Cookie"] = "__Host-martlet=\(token)" }
        if fields != nil, headers["Content-Type"] == nil {
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        }
        let answer = try await client.send(
            method, server.baseURL + path, headers: headers, body: fields.map { Data(Self.text($0).utf8) })
        if let set = answer.headers["set-cookie"]?.split(separator: ";").first?.split(separator: "=", maxSplits: 1) {
            token = set.count == 2 ? String(set[1]) : nil
        }
        return answer
    }

    /// What the forms of the page carry.
    func formToken(on page: String = "/console/account") async throws -> String {
        let text = try await get(page).text
        let match = try #require(text.firstMatch(of: /name="form-token" value="([^"]+)"/))
        return String(match.1)
    }

    @discardableResult
    func signIn(_ name: String = "admin", _ password: String = AdminClient.password) async throws -> Answer {
        try await post("/console/sign-in", ["name": name, "password": password])
    }

    private static func text(_ fields: [String: String]) -> String {
        let plain = CharacterSet.alphanumerics
        return fields.map { name, value in
            let parts = [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
            return parts.joined(separator: "=")
        }.joined(separator: "&")
    }
}

extension ConsoleBrowser {
    /// Signs somebody new in, who is called as their role is, after they changed their one-time password.
    func signIn(as role: AdministratorRole, _ admin: AdminClient) async throws {
        let wish = AdministratorRequest(name: role.rawValue, role: role)
        let added = try await admin.send("POST", "/administrators", wish)
        let once = try AdminJSON.decode(AdministratorPassword.self, from: added.body).oneTimePassword
        try await signIn(role.rawValue, once)
        let fields = ["old": once, "new": AdminClient.password, "again": AdminClient.password]
        let page = "/console/password"
        try #require(try await post(page, fields, from: page).status == 303)
    }
}
