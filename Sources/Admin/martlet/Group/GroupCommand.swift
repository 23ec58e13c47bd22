import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet group command`.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Send a command of the MDM protocol to every device of a group.",
        discussion: """
            The server queues it by a job, once for each device; where it is interrupted it goes on. What a device answers is \
            with its commands: martlet device commands. With --wait it waits for the end of the job, not for the devices, \
            and ends with 4 if the command was refused for some; it is queued for all others then.
            """)

    @Argument(help: "The group.")
    var group: String

    @Argument(help: "The command's request type, such as DeviceInformation or InstallApplication.")
    var requestType: String

    @Option(help: ArgumentHelp("A JSON object with the command's other keys.", valueName: "JSON"))
    var parameters: String?

    @Option(
        help: ArgumentHelp("Queue it for at most so many devices a second: 1 to 1000, usually 50.", valueName: "number")
    )
    var perSecond: Int?

    @Flag(
        help: """
            Also where a published version of an app would refuse a configuration in the command, or a value in it looks \
            like a secret.
            """)
    var force = false

    @Option(help: ArgumentHelp("Wait for the end of the job for at most this long.", valueName: "span"))
    var wait: TimeSpan?

    @OptionGroup var output: Output

    func run() async throws {
        let request = try CommandRequest(requestType: requestType, parametersText: parameters)
        try await Server.inSession { server in
            let job = try await start(request, server)
            guard let wait else {
                try output.print(job) { "The job \(job.id) goes on: martlet job show \(job.id)" }
                return
            }
            let ended: Job? = try await Patience(wait.duration, for: "queuing the command").wait {
                let present: Job = try await server.get("jobs", job.id)
                return present.isOpen ? nil : present
            }
            guard let ended else {
                throw Failure(
                    .failed, "the job did not end within \(wait.defaultValueDescription)",
                    advice: "It goes on: martlet job show \(job.id)")
            }
            let result: GroupCommandResult = try ended.outcome()
            if let failure = GroupCommandText.failure(result, job: ended.id) { throw failure }
            try output.print(result) { GroupCommandText.sentence(result, group: group) }
        }
    }

    private func start(_ request: CommandRequest, _ server: Server) async throws -> Job {
        var query = perSecond.map { [("perSecond", "\($0)")] } ?? []
        if force { query.append(("force", "true")) }
        return try await server.send(
            .post, ["groups", group, "commands"], query: query, body: .init(json: request)
        ).decoded()
    }
}

extension CommandRequest {
    /// A command whose other keys are written as a JSON object.
    init(requestType: String, parametersText text: String?) throws {
        guard let text else {
            self.init(requestType: requestType)
            return
        }
        guard let value = try? AdminJSON.decode(JSON.self, from: Data(text.utf8)), case .object = value else {
            throw ValidationError("--parameters is a JSON object")
        }
        self.init(requestType: requestType, parameters: value)
    }
}
