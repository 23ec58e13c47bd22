import AdminMessages
import AsyncHTTPClient
import Console
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What every page of the console has in common.
@Suite("Console: pages")
struct ConsolePageTests {
    /// Every page there is, with something in the places of its parameters; and answers that are none.
    private static let addresses =
        ConsolePages.addresses.map { $0.replacing(/\{[a-z]+\}/, with: "nothing") } + [
            "/console/sign-in", "/console/password", "/console/nothing/here", "/console/files/0/console.css",
        ]

    @Test("every page says what browsers may do with it: nothing from elsewhere, nothing inside others, nothing kept")
    func headers() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (_) async throws in
                try await ConsoleBrowser.with(server) { (browser) async throws in
                    #expect(Self.addresses.count > 10)
                    for signedIn in [false, true] {
                        if signedIn { try await browser.signIn() }
                        for address in Self.addresses {
                            let answer = try await browser.get(address)
                            #expect(answer.status < 500, "\(address): \(answer.status)")
                            #expect(answer.headers["cache-control"] == "no-store", "\(address)")
                            Self.expectSafe(answer, address)
                        }
                    }
                    Self.expectSafe(try await browser.send("POST", "/console/sign-in", [:], [:]), "refused form")
                }
            }
        }
    }

    private static func expectSafe(_ answer: Answer, _ address: String) {
        let policy = (answer.headers["content-security-policy"] ?? "").split(separator: "; ").map(String.init)
        #expect(
            Set(policy) == [
                "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:",
                "connect-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
            ], "\(address)")
        #expect(answer.headers["x-content-type-options"] == "nosniff", "\(address)")
        #expect(answer.headers["referrer-policy"] == "same-origin", "\(address)")
        #expect(answer.headers["strict-transport-security"] == "max-age=31536000", "\(address)")
        #expect(answer.headers["cross-origin-opener-policy"] == "same-origin", "\(address)")
        #expect(answer.headers["x-request-id"] != nil, "\(address)")
        // Nothing that the policy would refuse, and no address of elsewhere.
        for forbidden in [" style=", "<style", " onclick=", "javascript:", "http://", "<script>", "//fonts"] {
            #expect(!answer.text.contains(forbidden), "\(address): \(forbidden)")
        }
    }

    @Test("whatever an administrator or a device calls something, it is shown as text on every page")
    func hostileNames() async throws {
        let hostile = #"<script>alert(1)</script>"><img src=x onerror=alert(1)>'"#
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    let app = App(bundleIdentifier: "org.swift.landmarks", name: hostile)
                    try #require(try await admin.send("PUT", "/apps/org.swift.landmarks", app).status == 200)
                    let status = AppStatus(
                        identifier: "org.swift.landmarks", name: hostile, shortVersion: hostile, state: hostile,
                        reasons: [
                            StatusReason(
                                code: AppStatus.configurationRefused,
                                details: .object(["Message": .string(hostile), "KeyPath": .string(hostile)])),
                            StatusReason(code: hostile, description: hostile),
                        ])
                    var report = StatusReport(fullReport: true)
                    report.set(.array([status.value]), at: AppStatus.name)
                    try #require(try await device.ask(.status, report.encoded()).status == 200)
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        var shown = 0
                        for address in ConsolePages.addresses {
                            let address = address.replacing("{app}", with: "org.swift.landmarks")
                                .replacing("{device}", with: device.identifier.id)
                                .replacing(/\{[a-z]+\}/, with: "nothing")
                            let page = try await browser.get(address)
                            // A file is saved, and its bytes are what the log says.
                            if page.headers["content-disposition"]?.hasPrefix("attachment") == true {
                                #expect(page.headers["content-type"] == "application/jsonl", "\(address)")
                                continue
                            }
                            #expect(!page.text.contains("<script>") && !page.text.contains("<img"), "\(address)")
                            shown += page.text.contains("&lt;script&gt;") ? 1 : 0
                        }
                        #expect(shown >= 4)
                    }
                }
            }
        }
    }

    @Test("pages show what the role may do, and the rest is refused behind them, too")
    func roles() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for (role, sees) in [("reader", false), ("auditor", true)] {
                    let wish = AdministratorRequest(name: role, role: AdministratorRole(rawValue: role))
                    let added = try await admin.send("POST", "/administrators", wish)
                    let once = try AdminJSON.decode(AdministratorPassword.self, from: added.body).oneTimePassword
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn(role, once)
                        let page = "/console/password"
                        let fields = ["old": once, "new": AdminClient.password, "again": AdminClient.password]
                        #expect(try await browser.post(page, fields, from: page).status == 303)
                        let overview = try await browser.get("/console")
                        #expect(overview.text.contains("href=\"/console/activity\"") == sees)
                        let activity = try await browser.get("/console/activity")
                        #expect(activity.status == (sees ? 200 : 403))
                        #expect(activity.text.contains("Your role does not allow this") != sees)
                    }
                }
            }
        }
    }

    @Test("style sheets and scripts are kept by browsers, under an address that changes with them")
    func files() async throws {
        try await TestServer.run { (server) async throws in
            try await ConsoleBrowser.with(server) { (browser) async throws in
                let page = try await browser.get("/console/sign-in").text
                for (pattern, type) in [(/href="([^"]+\.css)"/, "text/css"), (/src="([^"]+\.js)"/, "text/javascript")] {
                    let address = String(try #require(page.firstMatch(of: pattern)).1)
                    let file = try await browser.get(address)
                    #expect(file.status == 200 && file.headers["content-type"]?.hasPrefix(type) == true)
                    #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
                    Self.expectSafe(file, address)
                    let older = address.replacing(/[0-9a-f]{16}/, with: "0123456789abcdef")
                    #expect(try await browser.get(older).status != 200)
                }
            }
        }
    }

    @Test("a browser that asks for the server's name is led to the console, a program is not")
    func root() async throws {
        try await TestServer.run { (server) async throws in
            try await ConsoleBrowser.with(server) { (browser) async throws in
                let led = try await browser.get("/", headers: ["Accept": "text/html,*/*;q=0.8"])
                #expect(led.status == 303 && led.headers["location"] == "/console")
                let program = try await browser.get("/", headers: ["Accept": "*/*"])
                #expect(program.status == 404 && program.headers["content-type"] == "application/problem+json")
            }
        }
    }
}
