import Foundation
import Synchronization
import Testing
import Waiting

/// A server of another make, which knows nothing of Martlet, and this machine's agent enrolled with it.
///
/// The server is `mdm_server.py` on PyPI's packages, which `make setup` installs beside the build.
final class ForeignServer: Sendable {
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = tree.appending(path: ".build/interop/python/bin/python3")
    static let pythonIsThere = FileManager.default.isExecutableFile(atPath: python.path)

    let home: URL
    private let processes = Mutex<[RunningProcess]>([])

    /// Starts a server that answers as a folder of `Tests/Interoperation/conversations` says, and ends everything afterwards.
    static func with(
        _ conversation: String, legacyAuthority: Bool = false, _ body: (ForeignServer) async throws -> Void
    ) async throws {
        let server = try ForeignServer()
        do {
            try await server.start(conversation, legacyAuthority: legacyAuthority)
            try await body(server)
        } catch {
            let output = server.processes.withLock { $0 }.map { process in
                (["--- \(process.name)"] + process.output.suffix(25).map { "    " + $0.text }).joined(separator: "\n")
            }
            let requests = ((try? server.requests()) ?? []).map { "\($0)" }
            server.takeDown()
            throw Road.Broken(description: "\(error)\n\((output + requests).joined(separator: "\n"))")
        }
        server.takeDown()
    }

    private init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "martlet-foreign-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    private func start(_ conversation: String, legacyAuthority: Bool) async throws {
        _ = try launch(
            "mdm_server.py", Self.python,
            [
                "-B", "-W", "ignore", Self.tree.appending(path: "Tests/Interoperation/mdm_server.py").path, home.path,
                conversation, legacyAuthority ? "legacy" : "modern",
            ])
        let port = home.appending(path: "port").path
        try await until("the server listens") { FileManager.default.fileExists(atPath: port) }
    }

    var agentDirectory: String { home.appending(path: "agent").path }

    // MARK: The device

    func enroll(_ profile: String, _ options: String...) async throws -> (status: Int32, text: String) {
        try await agent(["enroll", "--profile", home.appending(path: profile).path] + options)
    }

    /// Runs a command of the agent to its end.
    func agent(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let process = try RunningProcess(
            "martlet-agent", Road.binary("martlet-agent"), arguments + ["--directory", agentDirectory],
            environment: Road.environment(home))
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
    }

    /// Starts the agent; answers with it and the device's name.
    @discardableResult
    func startAgent(_ options: String...) async throws -> (agent: RunningProcess, name: String) {
        try installLandmarks()
        let agent = try launch(
            "martlet-agent", Road.binary("martlet-agent"),
            ["run", "--directory", agentDirectory, "--apps", home.appending(path: "apps").path] + options)
        let ready = try await agent.line(containing: "martlet-agent ready ")
        return (agent, String(ready.text.split(separator: " ").last ?? ""))
    }

    func openLandmarks() throws -> RunningProcess {
        try launch("Landmarks", Road.binary("martlet-agent"), ["open", Road.app, "--directory", agentDirectory])
    }

    /// Puts a shell script into the device's app directory as the app `com.example.fetch`.
    func installScript(_ lines: String) throws {
        let bundle = home.appending(path: "apps/Fetch.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let script = bundle.appending(path: "fetch")
        try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: script)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        let information = [
            "CFBundleIdentifier": "com.example.fetch", "CFBundleExecutable": "fetch", "CFBundleVersion": "1",
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }

    func openScript() throws -> RunningProcess {
        try launch(
            "fetch", Road.binary("martlet-agent"), ["open", "com.example.fetch", "--directory", agentDirectory])
    }

    /// From now on the server answers what the conversation has for later.
    func goOn() throws { try Data().write(to: home.appending(path: "later")) }

    /// Where the server listens.
    func address() throws -> String {
        "https://localhost:" + (try String(contentsOf: home.appending(path: "port"), encoding: .utf8))
    }

    private func installLandmarks() throws {
        let bundle = home.appending(path: "apps/Landmarks.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Self.tree.appending(path: "Examples/Landmarks/Info.plist"), to: bundle.appending(path: "Info.plist"))
        try FileManager.default.copyItem(at: Road.binary("Landmarks"), to: bundle.appending(path: "Landmarks"))
    }

    private func launch(_ name: String, _ program: URL, _ arguments: [String]) throws -> RunningProcess {
        let process = try RunningProcess(name, program, arguments, environment: Road.environment(home))
        processes.withLock { $0.append(process) }
        return process
    }

    // MARK: What the server saw

    /// The requests so far, each as the server noted it.
    func requests() throws -> [Request] {
        let written = try Data(contentsOf: home.appending(path: "requests.jsonl"))
        // A line that the server is writing just now comes with the next look.
        let whole = written.lastIndex(of: 0x0A).map { written[...$0] } ?? Data()
        return try whole.split(separator: 0x0A).map { try JSONDecoder().decode(Request.self, from: $0) }
    }

    struct Request: Decodable {
        let request: String
        let path: String?
        let type: String?
        let certificate: Bool?
        let signature: String?
        let status: String?
        /// A report of a command, in Base64.
        let message: Data?
        let report: Report?
        let subject: String?
        let challenge: Bool?
    }

    /// As much of a status report as is looked at.
    struct Report: Decodable {
        let items: Items?

        private enum CodingKeys: String, CodingKey {
            case items = "StatusItems"
        }

        struct Items: Decodable {
            let management: Management?
            let security: Security?
        }
        struct Security: Decodable {
            let certificate: Certificates?
        }
        struct Certificates: Decodable {
            let list: [Certificate]?
        }
        struct Certificate: Decodable {
            let subject: String?
            let isRemoved: Bool?

            private enum CodingKeys: String, CodingKey {
                case subject = "subject-summary"
                case isRemoved = "_removed"
            }
        }
        struct Management: Decodable {
            let declarations: Declarations?
        }
        struct Declarations: Decodable {
            let configurations: [Standing]?
        }
        struct Standing: Decodable {
            let identifier: String
            let valid: String
        }
    }

    func until(_ what: String, _ condition: () throws -> Bool) async throws {
        try await eventually(what) { try condition() }
    }

    private func takeDown() {
        for process in processes.withLock({ $0 }).reversed() where process.isRunning { process.killNow() }
        let prefix = home.path
        for process in (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        where (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe"))?.hasPrefix(prefix)
            == true
        {
            kill(process, SIGKILL)
        }
        unsafe umount2(agentDirectory + "/app-files", Int32(MNT_DETACH))
        try? FileManager.default.removeItem(at: home)
    }
}
