import Foundation
import Synchronization
import Testing

/// An Apple device, played by a program that has no code of ours, walks the road from the profile to the check-out.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AppleDeviceTests {
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let program = tree.appending(path: "Tests/Support/AppleDevice")
    private static let python = tree.appending(path: ".build/interop/python/bin/python3")
    private static let pythonIsThere = FileManager.default.isExecutableFile(atPath: python.path)

    /// Every habit of the program's table is tried, on servers that issue identities for seconds, for long, and by ACME.
    ///
    /// Red for a merge of status reports that lost all apps of a device for one element that it could not read.
    @Test(.enabled(if: pythonIsThere, "PyPI's cryptography is not installed: make setup does so"))
    func anAppleDeviceWalksTheRoadFromProfileToCheckOut() async throws {
        try await Road.with(options: ["--enrollment-lifetime", "15s"]) { road in
            let answer = try await road.martlet(
                "token", "create", "walk", "--role", "administrator", "--valid", "1h", "--json")
            let token = try JSONDecoder().decode(Token.self, from: Data(answer.utf8)).token
            let file = road.home.appending(path: "walk-token").path
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600])
            // The identities of these devices are to be renewed soon.
            try await Self.walk("enroll", on: road, token: file)
            try await road.stop(try road.server)
            // Others are not, and a server with such identities looks for devices that are due every ten seconds.
            try await road.startServer("--enrollment-lifetime", "200s")
            let lines = try await Self.walk("walk", on: road, token: file)
            #expect(lines.filter { $0.hasPrefix("habit ") }.count > 40, "\(lines)")
            for action in ["device.escrow.keep", "device.escrow.give", "device.escrow.remove", "device.renew"] {
                #expect(try await road.martlet("audit", "list", "--action", action).contains(action))
            }
            try await road.stop(try road.server)
            try await road.startServer("--enrollment-identity", "acme")
            try await Self.walk("acme", on: road, token: file)
        }
    }

    /// What others read of the habits is what the program has.
    @Test(.enabled(if: pythonIsThere, "Python is not installed: make setup does so"))
    func thePageListsEveryHabitWithItsSource() async throws {
        let process = try RunningProcess(
            "habits", Self.python, ["-B", Self.program.appending(path: "habits.py").path], environment: [:])
        #expect(try await process.exit() == 0)
        try await process.drained()
        let habits = process.output.map(\.text).filter { $0.hasPrefix("| `") }
        let page = try String(contentsOf: Self.tree.appending(path: "docs/apple-devices.md"), encoding: .utf8)
        let listed = page.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") }
        #expect(!habits.isEmpty && listed == habits, "python3 Tests/Support/AppleDevice/habits.py prints the table")
    }

    private struct Token: Decodable {
        let token: String
    }

    /// Runs a part of the walk to its end; answers what it said, and throws that with the reason if it broke off.
    @discardableResult
    private static func walk(_ part: String, on road: Road, token: String) async throws -> [String] {
        let process = try RunningProcess(
            "apple device: \(part)", python,
            [
                "-B", "-W", "ignore", program.appending(path: "walk.py").path, part, "--url", road.url, "--ca-file",
                road.authority, "--token-file", token, "--group", "teachers", "--folder",
                road.home.appending(path: "apple").path,
            ], environment: Road.environment(road.home))
        road.processes.withLock { $0.append(process) }
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        let lines = process.output.map(\.text)
        guard status == 0 else {
            throw Road.Broken(
                description: "walk.py \(part) ended with \(status ?? -1):\n\(lines.joined(separator: "\n"))")
        }
        return lines
    }
}
