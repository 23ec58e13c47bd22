import Foundation
import Synchronization
import Testing

/// An app on the road beside Landmarks.
struct RoadApp {
    let road: Road
    let identifier: String

    /// Puts a built program into the device's app directory and makes it known to the administrator.
    static func installed(_ program: String, as identifier: String, on road: Road) async throws -> RoadApp {
        let kept = road.home.appending(path: "programs/" + program)
        if !FileManager.default.fileExists(atPath: kept.path) {
            try FileManager.default.createDirectory(
                at: kept.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Road.binary(program), to: kept)
        }
        let bundle = road.home.appending(path: "apps/\(identifier).app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.linkItem(at: kept, to: bundle.appending(path: program))
        let information = ["CFBundleIdentifier": identifier, "CFBundleExecutable": program, "CFBundleVersion": "1"]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try await road.martlet("app", "create", identifier, "--name", program)
        return RoadApp(road: road, identifier: identifier)
    }

    /// Sets the app's configuration to these bytes; returns the output for the administrator.
    @discardableResult
    func configure(_ list: Data) async throws -> String {
        let (status, text) = try await set(list)
        guard status == 0 else { throw Road.Broken(description: "configuration set exited with \(status): \(text)") }
        return text
    }

    /// Tries to set a configuration that must be refused; returns the output for the administrator.
    func refused(_ list: Data) async throws -> String {
        let (status, text) = try await set(list)
        guard status != 0 else { throw Road.Broken(description: "the configuration was accepted: \(text)") }
        return text
    }

    private func set(_ list: Data) async throws -> (status: Int32, text: String) {
        let file = road.home.appending(path: "\(UUID().uuidString).plist")
        try list.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await road.run("martlet", ["configuration", "set", identifier, "default", "--file", file.path])
    }

    /// Sets the configuration to a dictionary in XML.
    @discardableResult
    func configure(dictionary body: String) async throws -> String {
        try await configure(Data("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8))
    }

    /// Sets the configuration to JSON.
    @discardableResult
    func configure(json: String) async throws -> String {
        let file = road.home.appending(path: "\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await road.martlet("configuration", "set", identifier, "default", "--file", file.path)
    }

    func assign() async throws {
        try await road.martlet("assign", "teachers", identifier, "--configuration", "default")
    }

    /// Starts the app as a person does.
    func open(
        _ arguments: String..., input: FileHandle = .nullDevice, environment: [String: String] = [:]
    ) throws -> RunningProcess {
        let app = try RunningProcess(
            identifier, Road.binary("martlet-agent"),
            ["open", identifier, "--directory", road.agentDirectory, "--"] + arguments,
            environment: Road.environment(road.home).merging(environment) { $1 }, input: input)
        road.processes.withLock { $0.append(app) }
        return app
    }
}
