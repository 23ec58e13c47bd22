import Foundation
import Testing

/// A device with mounts, processes and a network of its own: an agent and its peers run in namespaces of theirs.
///
/// A shell is the first process in there, and the test holds its input: with the test, however it ends, the shell ends,
/// and with the shell the kernel ends all others. What is mounted inside is not outside. The network has only a
/// loopback device, which is down.
final class DeviceRoom {
    let home: URL
    private let shell: RunningProcess
    private let input: FileHandle
    /// The shell's number outside of the room.
    private let first: String
    private var processes: [RunningProcess] = []

    /// Whether namespaces can be made here: in many containers they cannot.
    static let isPossible = geteuid() == 0 && canUnshare(apart)

    /// Whether user namespaces can be made here, and in them the others.
    static let letsUsersMakeNamespaces = canUnshare(["--user", "--map-root-user", "--mount", "--net"])

    private static func canUnshare(_ options: [String]) -> Bool {
        let look = Process()
        look.executableURL = unshare
        look.arguments = options + ["/bin/true"]
        look.standardError = FileHandle.nullDevice
        guard (try? look.run()) != nil else { return false }
        look.waitUntilExit()
        return look.terminationStatus == 0
    }

    private static let unshare = URL(filePath: "/usr/bin/unshare")
    private static let apart = [
        "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
    ]

    /// Makes a room, hands it to `body` and ends all that runs in it.
    static func with(_ body: (DeviceRoom) async throws -> Void) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "martlet-room-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let room = try await DeviceRoom(home)
        do {
            try await body(room)
        } catch {
            let report = room.report()
            await room.end()
            throw Road.Broken(description: "\(error)\n\(report)")
        }
        await room.end()
    }

    private init(_ home: URL) async throws {
        let given = Pipe()
        let unshare = try RunningProcess(
            "room", Self.unshare, Self.apart + ["/bin/sh"], environment: Road.environment(home),
            input: given.fileHandleForReading)
        let held = given.fileHandleForWriting
        do {
            // It reads once the namespaces are made.
            try held.write(contentsOf: Data("echo inside\n".utf8))
            try given.fileHandleForReading.close()
            _ = try await unshare.line(containing: "inside")
            let children = "/proc/\(unshare.identifier)/task/\(unshare.identifier)/children"
            let names = try String(contentsOfFile: children, encoding: .utf8).split(separator: " ").map(String.init)
            first = try #require(names.first)
        } catch {
            unshare.killNow()
            throw error
        }
        self.home = home
        shell = unshare
        input = held
    }

    /// Starts a program in the room; what it prints is what the answer prints.
    func start(_ name: String, _ command: [String]) throws -> RunningProcess {
        let process = try RunningProcess(
            name, URL(filePath: "/usr/bin/nsenter"),
            ["--target", first, "--mount", "--net", "--pid", "--"] + command, environment: Road.environment(home))
        processes.append(process)
        return process
    }

    // MARK: The agent and its apps

    private var agentDirectory: String { home.appending(path: "agent").path }

    /// Starts the room's agent, through programs that become it if there are any, with these settings in its file.
    func startAgent(_ settings: [String: Any], through programs: [String] = []) async throws -> RunningProcess {
        let file = home.appending(path: "agent.json")
        try JSONSerialization.data(withJSONObject: settings).write(to: file)
        let agent = try start(
            "martlet-agent",
            programs + [
                Road.binary("martlet-agent").path, "run", "--directory", agentDirectory, "--apps",
                home.appending(path: "apps").path, "--config", file.path,
            ])
        _ = try await agent.line(containing: "martlet-agent ready ")
        return agent
    }

    /// Puts a shell script into the room as an app that says no more of itself than these `keys`.
    func install(_ identifier: String, _ script: String, keys: [String: Bool] = [:]) throws {
        let bundle = home.appending(path: "apps/\(identifier).app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let program = bundle.appending(path: "app")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        var information: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "app", "CFBundleVersion": "1",
        ]
        for (key, value) in keys { information[key] = value }
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }

    /// Opens an app as root in the room does, and waits for its end.
    func open(_ identifier: String) async throws -> (status: Int32, lines: [String]) {
        let app = try start(
            identifier, [Road.binary("martlet-agent").path, "open", identifier, "--directory", agentDirectory])
        let status = try await app.exit()
        if status == nil { app.killNow() }
        try await app.drained()
        return (status ?? -1, app.output.map(\.text))
    }

    // MARK: The end

    private func report() -> String {
        processes.suffix(8).map { process in
            (["--- \(process.name)"] + process.output.suffix(25).map { "    " + $0.text }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func end() async {
        try? input.close()
        // What runs in the room ends before the shell is collected.
        if (try? await shell.exit(within: .seconds(30))) == nil { shell.killNow() }
        for process in processes where process.isRunning { process.killNow() }
        Mounts.removeCgroups(of: agentDirectory)
    }
}
