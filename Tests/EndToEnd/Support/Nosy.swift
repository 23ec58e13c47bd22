import Foundation
import Synchronization
import Testing

/// The app of `Tests/Impostors/nosy.py`, isolated as `com.example.bound` and not as `com.example.free`.
struct Nosy {
    static let forbidden: Set = [
        "other-app", "other-app-by-child", "app-directory", "shared-file", "shared-list", "shared-write", "tmp", "root",
        "abstract-socket",
    ]
    static let allowed: Set = ["home", "system", "program", "itself", "agent"]

    let road: Road
    /// A directory that everybody may use, as `/tmp`.
    let shared: URL
    private let neighbour: RunningProcess
    private let socket = "martlet-neighbour-\(UUID().uuidString)"

    /// The apps lie on a device whose agent runs, unless it is to run elsewhere.
    static func with(
        _ agentOptions: [String] = [], startsAgent: Bool = true, _ body: (Nosy) async throws -> Void
    ) async throws {
        try await Road.with { road in
            let nosy = try await Nosy(road)
            if startsAgent {
                _ = try await road.launchAgent(options: agentOptions).line(containing: "martlet-agent ready ")
            }
            try await body(nosy)
        }
    }

    private init(_ road: Road) async throws {
        self.road = road
        shared = road.home.appending(path: "shared")
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: shared.path)
        try Data("a note".utf8).write(to: shared.appending(path: "note"))
        neighbour = try RunningProcess(
            "neighbour", URL(filePath: "/usr/bin/python3"), ["-c", Self.listening(at: socket)],
            environment: Road.environment(road.home))
        road.processes.withLock { [neighbour] in $0.append(neighbour) }
        _ = try await neighbour.line(containing: "ready")
        for (name, isIsolated) in [("free", false), ("bound", true), ("other", false)] {
            try install("com.example.\(name)", isIsolated: isIsolated)
        }
    }

    private func install(_ identifier: String, isIsolated: Bool) throws {
        let bundle = road.home.appending(path: "apps/\(identifier).app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Impostors/nosy.py")
        try FileManager.default.copyItem(at: script.standardizedFileURL, to: bundle.appending(path: "app"))
        var information: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "app", "CFBundleVersion": "1",
        ]
        if isIsolated { information["MartletIsolated"] = true }
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }

    /// A program with an abstract socket.
    private static func listening(at name: String) -> String {
        "import socket,time; s=socket.socket(1); s.bind('\\0\(name)'); s.listen(9); print('ready', flush=True); time.sleep(3600)"
    }

    private var other: String { road.home.appending(path: "apps/com.example.other.app").path }

    /// The same in a script of a virtual machine.
    func script(_ name: String) -> String {
        """
        test -e /run/neighbour || {
            python3 -c "\(Self.listening(at: socket))" >/run/neighbour &
            awaited /run/neighbour ready; }
        opened \(name) com.example.\(name) '\(other)' '\(shared.path)' '\(socket)'

        """
    }

    func open(_ identifier: String) throws -> RunningProcess {
        try RoadApp(road: road, identifier: identifier).open(other, shared.path, socket)
    }

    /// What the app could do and what it could not.
    func attempts(as identifier: String) async throws -> (done: Set<String>, refused: Set<String>) {
        let app = try open(identifier)
        _ = try await app.line(containing: "end")
        for name in ["mine", "link"] { try? FileManager.default.removeItem(at: shared.appending(path: name)) }
        return Self.attempts(app.output.map(\.text))
    }

    /// What the app called `name` in a virtual machine could do, and what not.
    static func attempts(_ name: String, _ said: [String]) -> (done: Set<String>, refused: Set<String>) {
        attempts(said.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) })
    }

    private static func attempts(_ lines: [String]) -> (done: Set<String>, refused: Set<String>) {
        let lines = lines.map { $0.components(separatedBy: ": ") }.filter { $0.count == 2 }
        func named(_ outcome: String) -> Set<String> { Set(lines.filter { $0[1] == outcome }.map { $0[0] }) }
        return (named("done"), named("refused"))
    }
}
