import Foundation
import Testing

/// What a server makes when it is started for the first time, and only then.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ServerDirectoryTests {
    @Test func aFirstStartMakesWhatAServerNeedsAndASecondOneKeepsIt() async throws {
        try await Road.with(isFirstStart: true) { road in
            let directory = road.home.appending(path: "server")
            let files = FileManager.default
            let before = try Data(contentsOf: directory.appending(path: "ca.pem"))
            #expect(try mode(of: directory) == 0o700)
            for file in ["ca.pem", "ca.key", "identities.pem", "identities.key", "server.pem", "martlet.sqlite"] {
                #expect(try mode(of: directory.appending(path: file)) == 0o600, "\(file)")
            }
            let first = try road.server
            #expect(first.output.contains { $0.text.hasPrefix("one-time password: ") })
            first.send(SIGTERM)
            #expect(try await first.exit(within: .seconds(20)) == 0)
            // Neither password nor its hash's cleartext is kept anywhere.
            let once = first.output.compactMap { line -> String? in
                line.text.hasPrefix("one-time password: ") ? String(line.text.dropFirst(19)) : nil
            }.first
            let password = try #require(once)
            for name in try files.subpathsOfDirectory(atPath: directory.path) {
                let attributes = try files.attributesOfItem(atPath: directory.appending(path: name).path)
                guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
                let bytes = try Data(contentsOf: directory.appending(path: name))
                #expect(bytes.range(of: Data(password.utf8)) == nil, "\(name)")
                #expect(bytes.range(of: Data(road.password.utf8)) == nil, "\(name)")
            }
            try await road.startServer()
            #expect(!(try road.server.output.contains { $0.text.contains("password") }))
            #expect(try Data(contentsOf: directory.appending(path: "ca.pem")) == before)
            // The session of before still holds, and a second server keeps away from the same directory.
            try await road.martlet("group", "list")
            let second = try await road.run(
                "martlet-server", ["run", "--data-directory", directory.path, "--port", "0"])
            #expect(second.status != 0)
            #expect(second.text.contains("another process uses the store"))
        }
    }

    private func mode(of url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
}
