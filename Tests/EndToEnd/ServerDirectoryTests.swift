import Crypto
import Foundation
import Synchronization
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
            for file in ["ca.pem", "ca.key", "identities.pem", "identities.key", "issued-server.pem", "martlet.sqlite"]
            {
                #expect(try mode(of: directory.appending(path: file)) == 0o600, "\(file)")
            }
            let first = try road.server
            #expect(first.output.contains { $0.text.hasPrefix("one-time password: ") })
            // What the first sign-in needs is said beside it, as the help of `martlet login` promises.
            let authority = directory.appending(path: "ca.pem").path
            #expect(first.output.contains { $0.text == "data directory: \(directory.path)" })
            #expect(first.output.contains { $0.text == "authority: \(authority)" })
            let said = "authority's fingerprint (SHA-256): "
            let fingerprint = first.output.first { $0.text.hasPrefix(said) }.map { $0.text.dropFirst(said.count) }
            let der = try #require(
                Data(
                    base64Encoded: String(decoding: before, as: UTF8.self).split(separator: "\n")
                        .filter { !$0.hasPrefix("-----") }.joined()))
            let digits = SHA256.hash(data: der).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            #expect(fingerprint.map(String.init) == digits.joined())
            first.send(SIGTERM)
            #expect(try await first.exit() == 0)
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
            #expect(!(try road.server.output.contains { $0.text.hasPrefix("authority") }))
            #expect(try Data(contentsOf: directory.appending(path: "ca.pem")) == before)
            // The session of before still holds, and a second server keeps away from the same directory.
            try await road.martlet("group", "list")
            let second = try await road.run(
                "martlet-server", ["run", "--data-directory", directory.path, "--port", "0"])
            #expect(second.status != 0)
            #expect(second.text.contains("another process uses the store"))
            #expect(second.text.contains("--data-directory"), "\(second.text)")
            // Nor does one begin a directory of its own at an address that is in use.
            let port = String(road.url.split(separator: ":").last ?? "")
            let unmade = road.home.appending(path: "unmade")
            let third = try await road.run(
                "martlet-server", ["run", "--data-directory", unmade.path, "--port", port])
            #expect(third.status != 0 && third.text.contains("is in use"), "\(third.text)")
            #expect(!files.fileExists(atPath: unmade.path))
        }
    }

    /// Each device that waits for a wake-up is an open file: the server takes as many as it may have, and says so.
    @Test func theServerTakesAsManyOpenFilesAsItMayHave() async throws {
        try await Road.with { road in
            let server = try await Self.startServer(of: road, after: "ulimit -Sn 256 && ulimit -Hn 3000")
            let limits = try String(contentsOfFile: "/proc/\(server.identifier)/limits", encoding: .utf8)
            let files = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
            #expect(files.split(separator: " ").dropFirst(3).prefix(2) == ["3000", "3000"], "\(files)")
            _ = try await server.line("that it took them") { $0.contains("open files") && $0.contains("limit=3000") }
        }
    }

    /// The server logs nothing of its open files if it began with as many as it may have.
    ///
    /// Red where every start said so, with the same number twice.
    @Test func theServerIsSilentOfOpenFilesThatItHadAlready() async throws {
        try await Road.with { road in
            let server = try await Self.startServer(of: road, after: "ulimit -n 3000")
            #expect(!server.output.contains { $0.text.contains("open files") })
        }
    }

    /// Starts the road's server anew, by a shell that runs these commands first, and waits until it is ready.
    private static func startServer(of road: Road, after commands: String) async throws -> RunningProcess {
        try await road.stop(try road.server)
        let server = try RunningProcess(
            "martlet-server", URL(filePath: "/bin/sh"),
            [
                "-c", "\(commands) && exec \"$@\"", "sh", Road.binary("martlet-server").path, "run",
                "--data-directory", road.serverDirectory, "--port", "0",
            ], environment: Road.environment(road.home))
        road.processes.withLock { $0.append(server) }
        _ = try await server.line(containing: "martlet-server ready")
        return server
    }

    private func mode(of url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
}
