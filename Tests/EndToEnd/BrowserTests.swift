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

    /// HTTP Basic, as every server does it.
    @Sendable private static func page(_ request: WebServer.Request) -> WebServer.Answer {
        guard let header = request.headers.first(name: "Authorization"), header.hasPrefix("Basic "),
            let credentials = Data(base64Encoded: String(header.dropFirst("Basic ".count)))
        else { return .init(status: .unauthorized, headers: ["WWW-Authenticate": "Basic realm=\"Organization\""]) }
        return .init(body: "Welcome, " + String(decoding: credentials, as: UTF8.self))
    }
}
