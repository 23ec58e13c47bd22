import Crypto
import Foundation
import Synchronization

/// The programs of `Tests/Impostors` on a road: an app in Python, and strangers to it.
struct Impostors {
    static let secret = "for-the-app"

    let road: Road
    let app: RoadApp

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Impostors").standardizedFileURL

    /// A road with an enrolled device whose app has a password.
    static func with(_ body: (Impostors) async throws -> Void) async throws {
        try await Road.with { road in
            let impostors = Impostors(road: road, app: RoadApp(road: road, identifier: "com.example.victim"))
            try impostors.install("com.example.victim")
            try await road.martlet("app", "create", "com.example.victim", "--name", "Victim")
            try await road.martlet("assign", "teachers", "com.example.victim")
            try await road.enroll()
            try await road.setPassword("account", secret)
            try await road.give("account", to: "com.example.victim", as: "account")
            try await road.synchronised()
            try await body(impostors)
        }
    }

    /// Puts the app in Python into the device's app directory, under some identifier.
    func install(_ identifier: String) throws {
        let bundle = road.home.appending(path: "apps/\(identifier).app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Self.folder.appending(path: "app.py"), to: bundle.appending(path: "app"))
        let information = ["CFBundleIdentifier": identifier, "CFBundleExecutable": "app", "CFBundleVersion": "1"]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }

    var program: URL { road.home.appending(path: "apps/com.example.victim.app/app") }
    var agentSocket: String { road.agentDirectory + "/app.socket" }

    /// What the app says of what it does; `what` is its first argument.
    func app(_ what: String, _ argument: String? = nil) async throws -> String {
        let process = try argument.map { try app.open(what, $0) } ?? app.open(what)
        return String(try await process.line(containing: what + ": ").text.dropFirst(what.count + 2))
    }

    /// A program outside the agent, as another user.
    func stranger(
        _ arguments: [String], as user: UInt32 = 65_534, environment: [String: String] = [:]
    ) throws -> RunningProcess {
        try play("stranger.py", arguments, as: user, environment: environment)
    }

    /// The server that is taken in by paths, or by digests.
    func naiveServer(
        at place: String, trusting program: String, by what: String = "path"
    ) async throws -> RunningProcess {
        let server = try play("naive.py", [place, what, program], as: 0, environment: [:])
        _ = try await server.line(containing: "naive: listening")
        return server
    }

    /// Where a script lies that everybody may read; the folder of the tests may be closed to others.
    func script(_ name: String) throws -> String {
        let kept = road.home.appending(path: name)
        if !FileManager.default.fileExists(atPath: kept.path) {
            try FileManager.default.copyItem(at: Self.folder.appending(path: name), to: kept)
        }
        return kept.path
    }

    /// Runs a script in Python, or in a program that is Python.
    func play(
        _ script: String, _ arguments: [String], as user: UInt32, environment: [String: String],
        program: String = "/usr/bin/python3"
    ) throws -> RunningProcess {
        // The variables are for the program alone: what is loaded by them is not to be loaded on the way.
        let process = try RunningProcess(
            script, URL(filePath: "/usr/bin/setpriv"),
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/env"]
                + environment.map { "\($0.key)=\($0.value)" } + [program, try self.script(script)] + arguments,
            environment: [:])
        road.processes.withLock { $0.append(process) }
        return process
    }
}

/// What is mounted where.
enum Mounts {
    /// Where the cgroups of version 2 begin.
    static func cgroups() throws -> String? {
        for line in try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count > 2, fields[2] == "cgroup2" { return String(fields[1]) }
        }
        return nil
    }
}

extension Mounts {
    /// Ends what is left in the cgroups that an agent has made for its apps, and removes them.
    ///
    /// An agent that is killed does neither, and a process that an app started need not name the road.
    static func removeCgroups(of agentDirectory: String) {
        let digest = SHA256.hash(data: Data(agentDirectory.utf8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        guard let root = try? cgroups(), let own = try? KernelStatus(of: getpid()).cgroup else { return }
        let base = root + own + "/martlet-apps-" + digest.joined().prefix(8)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? [] {
            let path = base + "/" + name
            var attempts = 0
            while unsafe rmdir(path) != 0, errno == EBUSY, attempts < 500 {
                try? FileHandle(forWritingAtPath: path + "/cgroup.kill")?.write(contentsOf: Data("1".utf8))
                usleep(10_000)
                attempts += 1
            }
        }
        unsafe rmdir(base)
    }
}

/// What the kernel says of a process.
struct KernelStatus {
    let users: [UInt32]
    let groups: [UInt32]
    let hasNoNewPrivileges: Bool
    let cgroup: String

    init(of process: Int32) throws {
        var fields: [Substring: [Substring]] = [:]
        for line in try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0]] = parts.count == 2 ? parts[1].split(whereSeparator: \.isWhitespace) : []
        }
        users = (fields["Uid"] ?? []).compactMap { UInt32($0) }
        groups = ((fields["Gid"] ?? []) + (fields["Groups"] ?? [])).compactMap { UInt32($0) }
        hasNoNewPrivileges = fields["NoNewPrivs"] == ["1"]
        cgroup =
            try String(contentsOfFile: "/proc/\(process)/cgroup", encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) } ?? ""
    }
}
