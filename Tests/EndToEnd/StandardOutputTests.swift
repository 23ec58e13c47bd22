import Foundation
import Testing
import Waiting

/// A server serves, whether what it says can be written or not.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct StandardOutputTests {
    /// Red where a line that could not be written ended the process.
    @Test(arguments: [">/dev/full", ">&-"])
    func aServerServesThoughItsOutputTakesNothing(_ output: String) async throws {
        let name = "martlet-output-\(UUID().uuidString.prefix(8))"
        let home = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let port = try KeptPort.next()
        let server = try Self.shell(
            "exec '\(Road.binary("martlet-server").path)' run --data-directory '\(home.path)/server' --port \(port) \(output)",
            in: home)
        defer { server.killNow() }
        try await eventually("the server serves, or has ended") { () -> Bool in
            guard server.isRunning else { return true }
            return try await Self.isAlive(port, home)
        }
        let said = server.output.map(\.text).joined(separator: "\n")
        #expect(server.isRunning, "\(said)")
        server.send(SIGTERM)
        let status = try await server.exit()
        #expect(status == 0)
        // No file of the server's took the place of the output that was closed.
        let directory = home.appending(path: "server")
        for file in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            guard let bytes = try? Data(contentsOf: directory.appending(path: file)) else { continue }
            #expect(bytes.range(of: Data("one-time password: ".utf8)) == nil, "\(file)")
        }
    }

    private static func isAlive(_ port: Int, _ home: URL) async throws -> Bool {
        let process = try shell(
            "curl -sf -o answer --cacert '\(home.path)/server/ca.pem' https://localhost:\(port)/healthz", in: home)
        return try await process.exit() == 0
    }

    private static func shell(_ command: String, in home: URL) throws -> RunningProcess {
        try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\" && \(command)", "sh", home.path],
            environment: Road.environment(home))
    }
}
