import Foundation
import NIOHTTP1
import PlayedAgent
import SwiftASN1
import Testing
import X509

/// The browser of the examples signs in with what the administrator provided: S4-SCN-01, A23.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct BrowserTests {
    private static let app = "com.example.browser"

    /// S4-GOAL-03, S4-CAP-02: address and user name from the configuration, the password from the provider, nobody asked.
    ///
    /// S4-SECRET-03: a password under an identifier that the app does not know is none; under the documented one it is.
    /// S4-BP-03: with another password the next page takes that.
    @Test func theBrowserSignsInWithoutAskingAnybody() async throws {
        let authority = try TestAuthority("Organization")
        try await Road.with { road in
            try await WebServer.run(by: authority, answer: Self.page) { site in
                let app = try await RoadApp.installed("Browser", as: Self.app, on: road)
                try await app.configure(
                    json: """
                        {"homePage": "\(site.url)/home", "userName": "ada", "homePageAuthority": "root"}
                        """)
                try await app.assign()
                try await road.setCertificate("root", pem: try authority.certificate.serializeAsPEM().pemString)
                try await road.give("root", to: Self.app, as: "root")
                try await road.enroll()
                try await road.synchronised()
                let input = Pipe()
                let running = try app.open(input: input.fileHandleForReading)
                _ = try await running.line(containing: "(the site asks for something that the administrator has not")

                var mark = running.mark
                try await road.setPassword("intranet", "first-password", userName: "ada")
                try await road.give("intranet", to: Self.app, as: "homepage")
                try await road.synchronised()
                try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
                _ = try await running.line(containing: "(the site asks for something", after: mark)

                mark = running.mark
                try await road.give("intranet", to: Self.app, as: "home-page")
                try await road.synchronised()
                try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
                _ = try await running.line(containing: "Welcome, ada:first-password", after: mark)

                mark = running.mark
                try await road.setPassword("intranet", "second-password", userName: "ada")
                try await road.synchronised()
                try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
                _ = try await running.line(containing: "Welcome, ada:second-password", after: mark)
                try input.fileHandleForWriting.close()

                // Neither a question nor anything kept: the bundle is as it was.
                #expect(!running.output.contains { $0.text.contains("?") || $0.text.lowercased().contains("enter") })
                let kept = try await road.shell("grep -rl 'second-password' apps agent || true")
                #expect(kept.isEmpty, "\(kept)")
            }
        }
    }

    /// A13, A23, S4-SCN-03: the browser's blocker, an extension of the kind that browsers have, blocks what its own list says
    /// and not what the browser's configuration says under the same key; a new list counts for the next page.
    @Test(.enabled(if: Road.appsHaveUsers, "only root gives apps users"))
    func theBlockerHasAListOfItsOwn() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/Browser/blocker.py").standardizedFileURL
        try await Road.with { road in
            let part = AppWithExtensions.Part(
                name: "blocker", kind: "com.apple.Safari.web-extension", program: "blocker.py", script: script)
            let browser = try await AppWithExtensions.installed("Browser", as: Self.app, with: [part], on: road)
            try await browser.configure("browser", json: #"{"blockedHosts": ["intranet.example.com"]}"#)
            try await browser.configure("blocked", json: #"{"blockedHosts": ["ads.example.com"]}"#)
            try await road.martlet(
                "assign", "teachers", Self.app, "--configuration", "browser", "--extension",
                "\(Self.app).blocker=blocked")
            try await road.enroll()
            try await road.synchronised()
            let host = try browser.app.open()
            _ = try await host.line(containing: "(no home page is configured)")
            let addresses = Pipe()
            let blocker = try browser.part("blocker").open(input: addresses.fileHandleForReading)
            func judge(_ host: String) async throws -> String {
                let mark = blocker.mark
                try addresses.fileHandleForWriting.write(contentsOf: Data("https://\(host)/page\n".utf8))
                return try await blocker.line(containing: host, after: mark).text
            }
            #expect(try await judge("ads.example.com") == "blocked https://ads.example.com/page")
            #expect(try await judge("cdn.ads.example.com").hasPrefix("blocked "))
            #expect(try await judge("intranet.example.com").hasPrefix("allowed "))

            let mark = host.mark
            try await browser.configure("blocked", json: #"{"blockedHosts": ["example.net"]}"#)
            try await road.synchronised()
            #expect(try await judge("ads.example.com").hasPrefix("allowed "))
            #expect(try await judge("example.net").hasPrefix("blocked "))
            #expect(host.mark == mark, "the browser hears nothing of it")

            // Assigned without it, the extension has no list.
            try await road.martlet("assign", "teachers", Self.app, "--no-extension", "\(Self.app).blocker")
            try await road.synchronised()
            #expect(try await judge("example.net").hasPrefix("allowed "))
        }
    }

    /// HTTP Basic, as every server does it.
    @Sendable private static func page(_ request: WebServer.Request) -> WebServer.Answer {
        guard let header = request.headers.first(name: "Authorization"), header.hasPrefix("Basic "),
            let credentials = Data(base64Encoded: String(header.dropFirst("Basic ".count)))
        else { return .init(status: .unauthorized, headers: ["WWW-Authenticate": "Basic realm=\"Organization\""]) }
        return .init(body: "Welcome, " + String(decoding: credentials, as: UTF8.self))
    }
}
