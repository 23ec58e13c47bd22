import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet group add-devices`.
struct GroupAddDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-devices", abstract: "Put the devices of a list into a group.",
        discussion: """
            The server does it as a job, one after the other; where it is interrupted it goes on. Ends with 4 if some were \
            refused; all others are in the group then.
            """)

    @Argument(help: "The group.")
    var group: String

    @Option(
        help: ArgumentHelp(
            "A file with the devices' IDs, one on each line; - reads the standard input.", valueName: "path"),
        completion: .file())
    var file: String

    @Flag(help: "Also where an app on a device would refuse what the group gives it.")
    var force = false

    @Flag(help: "Do not wait for the end of the job.")
    var noWait = false

    @OptionGroup var output: Output

    func run() async throws {
        let wish = GroupDevicesRequest(devices: try devices(), force: force ? true : nil)
        let job: Job = try await Server.inSession { server in
            let job: Job = try await server.post(wish, "groups", group, "devices")
            return noWait ? job : try await job.ended(server, "adding devices")
        }
        if noWait { return try output.print(job) { "The job \(job.id) goes on: martlet job show \(job.id)" } }
        let result: GroupDevicesResult = try job.outcome()
        guard result.refused == 0 else {
            let first = result.refusals.prefix(20).map {
                "\(Printable.line($0.device)): \(Printable.line($0.reason))"
            }
            throw Failure(
                .refused, "\(result.refused) of \(wish.devices.count) devices were refused",
                advice: (first + ["martlet job show \(job.id) --json has the first hundred."]).joined(separator: "\n"))
        }
        try output.print(result) {
            "\(Count.text(result.inGroup, "device is", "devices are")) in \(Printable.line(group))."
        }
    }

    private func devices() throws -> [String] {
        let bytes: Data?
        if file == "-" {
            bytes = try FileHandle.standardInput.readToEnd() ?? Data()
        } else {
            bytes = try ReadFile.opened(file).readToEnd() ?? Data()
        }
        guard let bytes, let text = String(data: bytes, encoding: .utf8) else {
            throw Failure(.failed, "the list cannot be read: \(Printable.line(file))")
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }
}
