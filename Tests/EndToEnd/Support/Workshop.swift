import Foundation
import Synchronization
import Testing

/// A developer at work: a directory of configurations, an app of their own, and `martlet dev` between them.
///
/// The developer is an ordinary user, also where tests are run by root. Everything is removed however the test ends.
final class Workshop: Sendable {
    static let developer: UInt32 = 12_346

    let home: URL
    private let processes = Mutex<[RunningProcess]>([])

    static func with(_ body: (Workshop) async throws -> Void) async throws {
        let workshop = try Workshop()
        do {
            try await body(workshop)
        } catch {
            let report = workshop.report()
            workshop.takeDown()
            throw Road.Broken(description: "\(error)\n\(report)")
        }
        workshop.takeDown()
    }

    private init() throws {
        home = FileManager.default.temporaryDirectory.appending(path: "martlet-dev-\(UUID().uuidString.prefix(8))")
        for folder in ["dev", "runtime"] {
            try FileManager.default.createDirectory(
                at: home.appending(path: folder), withIntermediateDirectories: true)
        }
        try own(home.path)
        try own(path("dev"))
        try own(path("runtime"), mode: 0o700)
    }

    // MARK: files

    func path(_ name: String) -> String { home.appending(path: name).path }

    /// Writes a file as an editor does, in one step.
    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        let file = path(name)
        try Data(text.utf8).write(to: URL(filePath: file + ".new"))
        try own(file + ".new", mode: mode)
        guard unsafe rename(file + ".new", file) == 0 else { throw Road.Broken(description: "rename: \(errno)") }
    }

    func configure(_ title: String, _ landmarks: [Int] = [1001]) throws {
        try write("dev/default.json", #"{"managedCollection": {"title": "\#(title)", "landmarks": \#(landmarks)}}"#)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    /// A program of this build as the developer's own.
    func program(_ name: String) throws -> String {
        let place = path(name)
        if !FileManager.default.fileExists(atPath: place) {
            try FileManager.default.copyItem(at: Road.binary(name), to: URL(filePath: place))
            try own(place, mode: 0o755)
        }
        return place
    }

    /// Gives a file to the developer.
    func own(_ path: String, mode: mode_t = 0o755) throws {
        let user = Road.appsHaveUsers ? Self.developer : geteuid()
        guard unsafe chown(path, user, user) == 0 || geteuid() != 0, unsafe chmod(path, mode) == 0 else {
            throw Road.Broken(description: "chown: \(errno)")
        }
    }

    static func example(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Examples/" + name)
            .standardizedFileURL.path
    }

    // MARK: programs

    var socket: String { path("runtime/martlet-dev/\(Road.app)/app.socket") }

    func dev(_ arguments: String..., launching program: [String] = [], environment: [String: String] = [:]) throws
        -> RunningProcess
    {
        try run(
            "martlet dev",
            [Road.binary("martlet").path, "dev", Road.app, "--directory", path("dev")] + arguments
                + (program.isEmpty ? [] : ["--"] + program), environment)
    }

    func run(
        _ name: String, _ command: [String], _ environment: [String: String] = [:], asDeveloper: Bool = true
    ) throws -> RunningProcess {
        let become = ["/usr/bin/setpriv", "--reuid=\(Self.developer)", "--regid=\(Self.developer)", "--clear-groups"]
        let all = (Road.appsHaveUsers && asDeveloper ? become : []) + command
        var variables = Road.environment(home)
        variables["HOME"] = home.path
        variables["XDG_RUNTIME_DIR"] = path("runtime")
        variables["XDG_STATE_HOME"] = nil
        let process = try RunningProcess(
            name, URL(filePath: all[0]), Array(all.dropFirst()), environment: variables.merging(environment) { $1 })
        processes.withLock { $0.append(process) }
        return process
    }

    /// What runs of the programs here, or with this place among its arguments.
    func running() -> [Int32] {
        let place = Data(home.path.utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).filter {
            guard $0 != getpid(), let file = FileHandle(forReadingAtPath: "/proc/\($0)/cmdline") else { return false }
            return (try? file.readToEnd())?.range(of: place) != nil
        }
    }

    private func report() -> String {
        processes.withLock { $0 }.map { process in
            (["--- \(process.name)"] + process.output.suffix(25).map { "    " + $0.text }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func takeDown() {
        for process in processes.withLock({ $0 }) where process.isRunning { process.killNow() }
        for identifier in running() { kill(identifier, SIGKILL) }
        try? FileManager.default.removeItem(at: home)
    }
}
