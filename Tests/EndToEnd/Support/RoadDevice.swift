import Foundation
import Synchronization

/// An agent of its own on this machine, enrolled and running.
struct RoadDevice {
    let road: Road
    let directory: String
    let id: String

    /// The device runs the apps in a folder of the road.
    init(_ number: Int, on road: Road, apps: String = "apps", _ options: String...) async throws {
        self.road = road
        directory = road.home.appending(path: "device-\(number)").path
        let enrollment = road.enrollment(code: try await road.enrollmentCode(), directory: directory)
        let enrolled = try await road.run("martlet-agent", enrollment + options)
        guard enrolled.status == 0 else { throw Road.Broken(description: "enroll: \(enrolled.text)") }
        id = String(enrolled.text.split(separator: " ").last ?? "")
        let agent = try RunningProcess(
            "martlet-agent \(number)", Road.binary("martlet-agent"),
            ["run", "--directory", directory, "--apps", road.home.appending(path: apps).path] + options,
            environment: Road.environment(road.home))
        road.processes.withLock { $0.append(agent) }
        _ = try await agent.line(containing: "martlet-agent ready ")
    }

    /// Starts an app as a person does.
    func open(
        _ app: String, _ arguments: String..., input: FileHandle = .nullDevice
    ) throws -> RunningProcess {
        let process = try RunningProcess(
            app, Road.binary("martlet-agent"), ["open", app, "--directory", directory, "--"] + arguments,
            environment: Road.environment(road.home), input: input)
        road.processes.withLock { $0.append(process) }
        return process
    }
}
