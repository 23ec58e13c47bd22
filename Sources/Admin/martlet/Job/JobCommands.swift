import AdminMessages
import ArgumentParser
import Synchronization

/// The command `martlet job …`.
struct JobCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Long work of the server: how far it is, and what came of it.",
        subcommands: [JobList.self, JobShow.self, JobCancel.self])
}

/// The command `martlet job list`.
struct JobList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your jobs, or everybody's if you may see them.")

    @OptionGroup var watching: Watching
    @OptionGroup var output: Output

    func run() async throws {
        try await watching.list({ (server: Server) -> [Job] in try await server.list("jobs") }, id: \.id) { jobs in
            try output.print(jobs, nothing: "No jobs.") {
                var table = Table("ID", "KIND", "OF", "STATE", "PROGRESS", "CREATED", "ENDED")
                for job in jobs {
                    table.add(
                        job.id, job.kind, job.author, job.state, JobText.progress(job), job.created.shown,
                        job.ended?.shown)
                }
                return table
            }
        }
    }
}

/// The command `martlet job show`.
struct JobShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a job.")

    @Argument(help: "The job's ID.")
    var id: String

    @OptionGroup var watching: Watching
    @OptionGroup var output: Output

    func run() async throws {
        try await watching.one({ (server: Server) -> Job in try await server.get("jobs", id) }) { job in
            try output.print(job) { JobText.facts(job).text }
        }
    }
}

/// The command `martlet job cancel`.
struct JobCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End a job before its time; what it has done stays.")

    @Argument(help: "The job's ID.")
    var id: String

    @OptionGroup var output: Output

    func run() async throws {
        let job: Job = try await Server.inSession { server in
            try await server.delete("jobs", id)
            return try await server.get("jobs", id)
        }
        try output.print(job) { "The job \(Printable.line(id)) is \(job.state)." }
    }
}

/// Jobs as people read them.
enum JobText {
    static func progress(_ job: Job) -> String {
        job.total > 0 ? "\(job.done) of \(job.total)" : job.isOpen ? "begins" : "\(job.done)"
    }

    static func facts(_ job: Job) -> Facts {
        var facts = Facts()
        facts.add("id", job.id)
        facts.add("kind", job.kind)
        facts.add("state", job.state)
        facts.add("progress", progress(job))
        facts.add("of", job.author)
        facts.add("created", job.created.shown)
        facts.add("started", job.started?.shown)
        facts.add("ended", job.ended?.shown)
        if job.resumed > 0 { facts.add("resumed", "\(job.resumed) times") }
        facts.add("problem", job.problem)
        facts.add("result", job.result.map(DeviceText.text))
        return facts
    }
}

extension Job {
    /// Waits for the end of a job, and shows on a terminal how far it is.
    ///
    /// Ending the wait does not stop the job.
    func ended(_ server: Server, _ purpose: String) async throws -> Job {
        let shown = Mutex(JobText.progress(self))
        var quiet = server
        quiet.showsProgress = false
        let asking = quiet
        return try await Progress.during(purpose, detail: { shown.withLock { $0 } }) {
            var job = self
            var pause = Duration.milliseconds(50)
            while job.isOpen {
                try await Task.sleep(for: pause)
                pause = min(pause * 3 / 2, .seconds(1))
                job = try await asking.get("jobs", id)
                shown.withLock { $0 = JobText.progress(job) }
            }
            return job
        }
    }

    /// What came of it, read as its kind says; a failure if nothing did.
    func outcome<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        guard state == "done", let result else {
            throw Failure(
                .failed,
                "the job \(Printable.line(id)) was not done: \(state)"
                    + (problem.map { ": \(Printable.line($0))" } ?? ""))
        }
        return try AdminJSON.decode(type, from: AdminJSON.encode(result))
    }
}
