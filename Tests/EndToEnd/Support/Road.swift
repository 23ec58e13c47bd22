import BuiltPrograms
import Foundation
import Synchronization
import Testing
import Waiting

/// The whole road on this machine: a server, an enrolled agent and the Landmarks app, real processes all.
///
/// Everything lives in a directory of its own that is removed, and every process is ended, however the test ends.
final class Road: Sendable {
    static let app = "com.example.landmarks"

    let home: URL
    let url: String
    let password = "only-in-this-test"
    let processes = Mutex<[RunningProcess]>([])
    private let serverProcess = Mutex<RunningProcess?>(nil)
    private let agentProcess = Mutex<RunningProcess?>(nil)
    private let deviceIdentifier = Mutex("")
    private let port: String

    /// Builds the road, hands it to `body` and takes it down again.
    ///
    /// With a relay, clients reach the server through it alone; `options` are more of the server's. A first start is
    /// watched from its beginning on, by who has the time.
    static func with(
        through relay: (any RoadRelay)? = nil, options: [String] = [], isFirstStart: Bool = false,
        _ body: (Road) async throws -> Void
    ) async throws {
        let furnished = isFirstStart ? nil : try await FurnishedServer.shared.value
        let road = try await Road(through: relay, options, from: furnished)
        do {
            try await isFirstStart ? road.furnish() : road.moveSession()
            try await body(road)
        } catch {
            let report = road.report()
            road.takeDown()
            throw Broken(description: "\(error)\n\(report)")
        }
        road.takeDown()
    }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// The server as every road begins with it: started, logged in to, and stopped again.
    static func furnishedServer() async throws -> FurnishedServer {
        let road = try await Road(through: nil, [], from: nil)
        defer { road.takeDown() }
        try await road.furnish()
        try await road.stop(try road.server)
        return try FurnishedServer(of: road.home)
    }

    private init(through relay: (any RoadRelay)?, _ options: [String], from furnished: FurnishedServer?) async throws {
        home = FileManager.default.temporaryDirectory.appending(path: "martlet-road-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try furnished?.copy(to: home)
        // It comes back there when it is started again.
        let place = try relay?.serverPort ?? KeptPort.next()
        let server = try RunningProcess(
            "martlet-server", Self.binary("martlet-server"),
            ["run", "--data-directory", home.appending(path: "server").path, "--port", "\(place)"]
                + (relay.map { ["--url", $0.url] } ?? []) + options,
            environment: Self.environment(home))
        processes.withLock { $0.append(server) }
        let ready: RunningProcess.Line
        do {
            ready = try await server.line(containing: "martlet-server ready https://")
        } catch {
            server.killNow()
            try? FileManager.default.removeItem(at: home)
            throw error
        }
        url = String(ready.text.split(separator: " ").last ?? "")
        port = String(url.split(separator: ":").last ?? "0")
        serverProcess.withLock { $0 = server }
    }

    /// Logs in and makes what every test needs.
    private func furnish() async throws {
        let first = try await server.line(after: 0, "the one-time password") {
            $0.localizedCaseInsensitiveContains("password")
        }
        let once = String(first.text.split(separator: " ").last ?? "")
        try await martlet(
            "login", "--server", url, "--ca-file", authority, "--name", "admin", "--password-stdin",
            "--new-password-stdin", input: "\(once)\n\(password)\n")
        try await martlet("group", "create", "teachers")
        try await martlet("app", "create", Self.app, "--name", "Landmarks")
    }

    // MARK: Where things are

    /// A program of the package, or a library of its tests.
    static func binary(_ name: String) -> URL { BuiltPrograms.url(name) }

    /// Whether apps run as users of their own here: only root gives them, and Swift's libraries must be open to them.
    static let appsHaveUsers: Bool = {
        // As a whole: Foundation takes a page of such a file for all of it.
        guard geteuid() == 0, let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd(),
            let library = String(decoding: maps, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasSuffix("/libswiftCore.so") })
        else { return false }
        var folder = URL(filePath: String(library.drop { $0 != "/" }))
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path)
            guard let mode = attributes?[.posixPermissions] as? NSNumber, mode.intValue & 1 != 0 else { return false }
        }
        return true
    }()

    static func environment(_ home: URL) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MARTLET_") }
        // The machine that tests run on keeps its chip to itself.
        environment["MARTLET_AGENT_TPM"] = "none"
        // Nor is it restarted, whatever directory an agent has, as root too.
        environment["MARTLET_AGENT_POWER"] = "none"
        // Nor does it greet people with a test's texts.
        environment["MARTLET_AGENT_LOGIN_MESSAGES"] = "none"
        if !appsHaveUsers { environment["MARTLET_AGENT_APP_USERS"] = "shared" }
        environment["MARTLET_SESSION"] = home.appending(path: "session.json").path
        return environment
    }

    var authority: String { home.appending(path: "server/ca.pem").path }
    var serverDirectory: String { home.appending(path: "server").path }
    var agentDirectory: String { home.appending(path: "agent").path }
    var server: RunningProcess { get throws { try #require(serverProcess.withLock { $0 }) } }
    var agent: RunningProcess { get throws { try #require(agentProcess.withLock { $0 }) } }
    var udid: String { deviceIdentifier.withLock { $0 } }

    // MARK: The administrator

    /// Runs the command line tool; fails the test when it exits with anything but `status`.
    @discardableResult
    func martlet(_ arguments: String..., input: String? = nil, status: Int32 = 0) async throws -> String {
        // Where apps share a user they are given secrets only if their assignment says that this is enough.
        let isForShared =
            !Self.appsHaveUsers && arguments.first == "assign" && !arguments.contains("--no-lowest-trust")
        let result = try await run(
            "martlet", arguments + (isForShared ? ["--lowest-trust", "shared"] : []), input: input)
        guard result.status == status else {
            throw Broken(
                description: "martlet \(arguments.joined(separator: " ")) exited with \(result.status): \(result.text)")
        }
        return result.text
    }

    func run(
        _ program: String, _ arguments: [String], input: String? = nil, crash: CrashPoint? = nil,
        within patience: Duration = patience
    ) async throws -> (status: Int32, text: String) {
        let given = Pipe()
        let process = try RunningProcess(
            program, Self.binary(program), arguments,
            environment: Self.environment(home).merging(crash?.environment ?? [:]) { $1 },
            input: given.fileHandleForReading)
        if let input { try given.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try given.fileHandleForWriting.close()
        let status = try await process.exit(within: patience)
        if status == nil { process.killNow() }
        try await process.drained()
        return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
    }

    func configure(_ title: String, _ landmarks: [Int] = [1001, 1002]) async throws {
        try await configure(json: #"{"managedCollection": {"title": "\#(title)", "landmarks": \#(landmarks)}}"#)
    }

    func configure(json: String) async throws {
        let file = home.appending(path: "configuration-\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        try await martlet("configuration", "set", Self.app, "default", "--file", file.path)
    }

    func assign() async throws {
        try await martlet("assign", "teachers", Self.app, "--configuration", "default")
    }

    func deviceShown() async throws -> String {
        try await martlet("device", "show", udid)
    }

    // MARK: The device

    /// Runs `martlet-agent enroll` once, the agent's own directory being `directory`.
    func tryToEnroll(code: String, directory: String? = nil) async throws -> (status: Int32, text: String) {
        try await run("martlet-agent", enrollment(code: code, directory: directory ?? agentDirectory))
    }

    /// Enrolls this machine and starts the agent.
    func enroll() async throws {
        try await enroll(code: enrollmentCode())
    }

    /// Enrolls this machine with Landmarks configured, and waits until it has the configuration.
    func enrollConfigured(_ title: String) async throws {
        try await configure(title)
        try await assign()
        try await enroll()
        try await synchronised()
    }

    func enroll(code: String) async throws {
        try installLandmarks()
        let enrolled = try await tryToEnroll(code: code)
        guard enrolled.status == 0 else { throw Broken(description: "enroll: \(enrolled.text)") }
        try await startAgent()
    }

    func installLandmarks() throws {
        let bundle = home.appending(path: "apps/Landmarks.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let plist = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Examples/Landmarks/Info.plist").standardizedFileURL
        try FileManager.default.copyItem(at: plist, to: bundle.appending(path: "Info.plist"))
        try FileManager.default.copyItem(at: Self.binary("Landmarks"), to: bundle.appending(path: "Landmarks"))
    }

    func enrollmentCode(_ options: String...) async throws -> String {
        let (status, answer) = try await run(
            "martlet", ["enrollment-code", "create", "--group", "teachers", "--json"] + options)
        guard status == 0 else { throw Broken(description: "enrollment-code create: \(answer)") }
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        return try #require(fields["code"] as? String)
    }

    /// The agent's arguments for an enrollment.
    func enrollment(code: String, directory: String) -> [String] {
        ["enroll", "--url", url, "--code-file", codeFile(code), "--ca-file", authority, "--directory", directory]
    }

    /// A file with a code: in an argument everybody on the machine would read it.
    func codeFile(_ code: String) -> String {
        let file = home.appending(path: "code-\(UUID().uuidString)").path
        _ = FileManager.default.createFile(
            atPath: file, contents: Data("\(code)\n".utf8), attributes: [.posixPermissions: 0o600])
        return file
    }

    /// Enrolls by saying the same again until it succeeds; answers with the device's name.
    @discardableResult
    func enroll(code: String, directory: String) async throws -> String {
        var last = ""
        return try await eventually("the device enrolls, but \(last)") { () -> String? in
            let result = try await run("martlet-agent", enrollment(code: code, directory: directory))
            last = result.text
            return result.status == 0 ? String(result.text.split(separator: " ").last ?? "") : nil
        }
    }

    func startAgent(_ options: String...) async throws {
        try await agentIsReady(try launchAgent(options: options))
    }

    /// Starts the agent on a system that trusts the certificate authorities of a file alone.
    ///
    /// It has a view of the files of its own, which only root can give it.
    func startAgent(whereTheSystemTrusts authorities: String) async throws {
        let script = "mount --bind \"$1\" /etc/ssl/certs/ca-certificates.crt && shift && exec \"$@\""
        try await startAgent(through: "/usr/bin/unshare", "-m", "sh", "-c", script, "sh", authorities)
    }

    /// Starts the agent by another program that becomes it.
    func startAgent(through program: String, _ arguments: String...) async throws {
        let agent = try RunningProcess(
            "martlet-agent", URL(filePath: program), arguments + [Self.binary("martlet-agent").path] + runningAgent,
            environment: Self.environment(home))
        processes.withLock { $0.append(agent) }
        agentProcess.withLock { $0 = agent }
        try await agentIsReady(agent)
    }

    /// Starts the agent without waiting for it; with `crash` it ends at that point.
    func launchAgent(_ crash: CrashPoint? = nil, options: [String] = []) throws -> RunningProcess {
        let agent = try launch("martlet-agent", runningAgent + options, crash)
        agentProcess.withLock { $0 = agent }
        return agent
    }

    private var runningAgent: [String] {
        ["run", "--directory", agentDirectory, "--apps", home.appending(path: "apps").path]
    }

    private func agentIsReady(_ agent: RunningProcess) async throws {
        let ready = try await agent.line(containing: "martlet-agent ready ")
        deviceIdentifier.withLock { $0 = String(ready.text.split(separator: " ").last ?? "") }
    }

    func startServer(_ options: String...) async throws {
        _ = try await launchServer(options: options).line(containing: "martlet-server ready https://")
    }

    /// Starts the server without waiting for it; with `crash` it ends at that point.
    func launchServer(_ crash: CrashPoint? = nil, options: [String] = []) throws -> RunningProcess {
        let place = ["--data-directory", serverDirectory, "--port", port]
        let server = try launch("martlet-server", ["run"] + place + options, crash)
        serverProcess.withLock { $0 = server }
        return server
    }

    /// Starts the server with more in its environment.
    func startServer(environment: [String: String]) async throws {
        let server = try RunningProcess(
            "martlet-server", Self.binary("martlet-server"),
            ["run", "--data-directory", serverDirectory, "--port", port],
            environment: Self.environment(home).merging(environment) { $1 })
        keep(server)
        serverProcess.withLock { $0 = server }
        _ = try await server.line(containing: "martlet-server ready https://")
    }

    /// Starts a built program as a person does, with no agent in between.
    func startAlone(_ program: String, _ arguments: [String]) throws -> RunningProcess {
        try launch(program, arguments, nil)
    }

    private func launch(_ program: String, _ arguments: [String], _ crash: CrashPoint?) throws -> RunningProcess {
        let process = try RunningProcess(
            program, Self.binary(program), arguments,
            environment: Self.environment(home).merging(crash?.environment ?? [:]) { $1 })
        processes.withLock { $0.append(process) }
        return process
    }

    /// Has a process end as it is asked to, and waits for it.
    func stop(_ process: RunningProcess) async throws {
        process.send(SIGTERM)
        guard try await process.exit() != nil else {
            throw Broken(description: "\(process.name) did not stop")
        }
    }

    /// For how long a command is to wait that waits for a device: it says so itself before a test's own patience ends.
    static let longest = "200s"

    /// Waits until a device, or the one of this road, has applied everything.
    func synchronised(_ device: String? = nil) async throws {
        try await martlet("device", "wait", device ?? udid, "--synchronised", "--timeout", Self.longest)
    }

    /// Starts Landmarks as a person does; its view arrives as the lines of the answer.
    func openLandmarks(_ arguments: String...) throws -> RunningProcess {
        let app = try RunningProcess(
            "Landmarks", Self.binary("martlet-agent"),
            ["open", Self.app, "--directory", agentDirectory, "--"] + arguments, environment: Self.environment(home))
        processes.withLock { $0.append(app) }
        return app
    }

    /// The process identifiers of the running Landmarks app.
    func landmarksProcesses() throws -> [Int32] {
        try appProcesses(under: "Landmarks.app/Landmarks")
    }

    /// The process identifiers of the running apps whose executable lies under a path of the app directory.
    func appProcesses(under path: String) throws -> [Int32] {
        let prefix = home.appending(path: "apps/" + path).path
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter {
            let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")
            return executable?.hasPrefix(prefix) == true
        }
    }

    // MARK: The end

    private func report() -> String {
        processes.withLock { $0 }.suffix(8).map { process in
            (["--- \(process.name)"] + process.output.suffix(25).map { "    " + $0.text }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// What runs because of this road and is not its own child: apps, scripts among them.
    private func leftProcesses() -> [Int32] {
        let home = Data(home.path.utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).filter {
            guard $0 != getpid(), let file = FileHandle(forReadingAtPath: "/proc/\($0)/cmdline") else { return false }
            return (try? file.readToEnd())?.range(of: home) != nil
        }
    }

    private func takeDown() {
        for process in processes.withLock({ $0 }).reversed() where process.isRunning { process.killNow() }
        for identifier in leftProcesses() { kill(identifier, SIGKILL) }
        // An agent that was killed leaves the memory mounted in which it kept apps' files.
        unsafe umount2(agentDirectory + "/app-files", Int32(MNT_DETACH))
        Mounts.removeCgroups(of: agentDirectory)
        try? FileManager.default.removeItem(at: home)
    }
}
