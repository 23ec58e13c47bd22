import AdminMessages
import Foundation
import GuideBlocks
import ServerHTTP
import Testing
import martlet

/// What the page "Something is wrong" shows below its commands is what the command line prints in that situation.
@Suite struct AlarmOutputTests {
    private static let file = "Tests/Server/ServerHTTPTests/AlarmOutputTests.swift"

    @Test func eachOutputOfThePageHasItsSituationHere() throws {
        let commands = try Self.shown().map(\.command)
        #expect(
            commands.sorted() == [
                "martlet configuration set com.example.landmarks default --file configuration.plist",
                "martlet group create later", "martlet health", "martlet health",
            ])
    }

    @Test func aFullDisk() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "Before"))
                let path = ["apps", "org.swift.landmarks", "configurations", "default"]
                // Larger than what is free in any page.
                let large = AdminClient.configuration(title: (0..<5_000).map { "\($0)" }.joined(separator: " "))
                try await RefusingDisk.fill(server.store)
                let refused = try await admin.send("PUT", "/" + path.joined(separator: "/"), body: large)
                try Self.expect(
                    Self.printed(refused, path),
                    of: "martlet configuration set com.example.landmarks default --file configuration.plist")
            }
        }
    }

    @Test func aDiskThatIsReadOnly() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await RefusingDisk.setReadOnly(true, server.store)
                let refused = try await admin.send("POST", "/groups", AdminMessages.Group(name: "later"))
                try Self.expect(Self.printed(refused, ["groups"]), of: "martlet group create later")
            }
        }
    }

    @Test func aCertificateThatHasEnded() throws {
        let end = Date(timeIntervalSince1970: 1_700_000_000)
        let certificate = ServerCertificate(
            name: "push", expires: end, endsWithinDays: CertificateEnd.warning(end, now: end + 60))
        let health = Health(
            ready: true, certificates: [certificate], databaseBytes: 1, logBytes: 0, waitingWrites: 0, wakeStreams: 0,
            webhooks: WebhookCounts(active: 0, failing: 0, disabled: 0))
        try Self.expect(HealthText(health).text, of: "martlet health", about: "certificate")
    }

    /// Two years, and the administrator signs in anew: a session does not last for so long.
    @Test func aClockThatIsTwoYearsOff() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                clock.leap(by: 2 * 365 * 86_400)
                let wish = SessionRequest(name: "admin", password: AdminClient.password)
                let opened = try await admin.client.send("POST", admin.base + "/session", body: AdminJSON.encode(wish))
                try #require(opened.status == 200, "\(opened.text)")
                let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
                let later = AdminClient(client: admin.client, base: admin.base, token: token)
                let health: Health = try await later.get("/health")
                try Self.expect(HealthText(health).text, of: "martlet health", about: "clock")
            }
        }
    }

    // MARK: The page

    /// The commands that the page has from here, with what it shows below each.
    private static func shown() throws -> [(command: String, promised: [String])] {
        try Guide.all().filter { $0.name == "SomethingIsWrong" }.flatMap(\.blocks)
            .filter { $0.note("done by") == file }.flatMap(\.commands)
    }

    /// `word` tells apart a command that the page has in several situations.
    private static func expect(_ printed: String, of command: String, about word: String = "") throws {
        let found = try shown().filter { shown in
            shown.command == command && (word.isEmpty || shown.promised.contains { $0.hasPrefix(word) })
        }
        try #require(found.count == 1)
        try #require(found[0].promised.isEmpty == false)
        for line in found[0].promised {
            #expect(GuideBlock.says(line, in: printed), "\(command) shows: \(printed)")
        }
    }

    /// What the command line prints where the server refuses.
    private static func printed(_ answer: Answer, _ path: [String]) throws -> String {
        let problem = try AdminJSON.decode(AdminMessages.Problem.self, from: answer.body)
        return Failure(problem: problem, status: Int(answer.status), path: path).text
    }
}
