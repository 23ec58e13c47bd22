import AdminMessages

/// Long work: what there is, how far it is, what came of it; begun and ended.
enum JobPages {
    static let routes = [
        ConsoleRoute(.get, "/jobs", serve: { call in try await list(call) }),
        ConsoleRoute(.post, "/jobs", serve: verify),
        ConsoleRoute(.get, "/jobs/{job}", serve: show),
        ConsoleRoute(.post, "/jobs/{job}/cancel", serve: cancel),
    ]

    private static let path = ["jobs"]

    private static func list(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let live = refusal == nil ? try await LivePage.of(.jobs, call) : nil
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<Job> = try await call.door.get(RequestPath.text(path, query: query))
        let rows: [[HTML]] = page.items.map { job in
            [
                Link.html(job.id, path + [job.id]), "\(title(job))", "\(job.author)", state(job), JobOutcome.line(job),
                Moment.html(job.created, now: call.request.now),
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html(
                "No jobs", "What takes longer than an answer goes on here, also while the server starts again.")
            : Table(
                caption: "Jobs, newest first", columns: ["Job", "What", "Whose", "State", "Outcome", "Asked for"],
                rows: rows
            ).html
        return call.page(
            "Jobs", in: .jobs, aside: verification(call) ?? .empty, status: refusal?.status ?? 200, live: live,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            <section class="panel" data-part="Jobs">\(table)</section>
            \(Pager.html(next: page.next, in: path, call))
            """)
    }

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let live = try await LivePage.of(.job(call.parameter("job")), call)
        let job: Job = try await call.door.get(RequestPath.text(path + [call.parameter("job")]))
        let now = call.request.now
        let facts = Facts.html([
            ("What", "\(title(job))"), ("State", state(job)), ("Whose", "\(job.author)"),
            ("Asked for", Moment.html(job.created, now: now)), ("Begun", job.started.map { Moment.html($0, now: now) }),
            ("Ended", job.ended.map { Moment.html($0, now: now) }),
            ("Gone on with by another run of the server", job.resumed > 0 ? "\(job.resumed) times" : nil),
            ("Trouble", job.problem.map { "\($0)" }),
        ])
        // The API judges the same: one's own, or anybody's for who may change what reaches many.
        let mayEnd = job.author == call.session.name || call.may(.manage)
        let cancellation: HTML? =
            job.isOpen && mayEnd
            ? call.form(
                to: ConsolePath.text(path + [job.id, "cancel"]),
                "<button class=\"danger\">End this job</button><p class=\"hint\">What it has done stays.</p>") : nil
        let again: HTML? = job.isOpen ? "<p>\(Link.html("Look again", path + [job.id]))</p>" : nil
        return call.page(
            "Job \(job.id)", in: .jobs, trail: [Shell.Step("Jobs", path)], live: live,
            """
            \(Panel.html("How far it is", "\(facts)\(again)"))
            \(JobOutcome.html(job).map { Panel.html("What came of it", $0) })
            <div data-part="The way to end it">\(cancellation)</div>
            """)
    }

    private static func title(_ job: Job) -> String {
        switch job.kind {
        case "audit.verification": "Check of the audit log"
        case "group.devices": "Devices put into a group"
        case "group.command": "A command for every device of a group"
        default: job.kind
        }
    }

    private static func state(_ job: Job) -> HTML {
        let progress: HTML? = job.total > 0 ? " \(job.done) of \(job.total)" : nil
        return switch job.state {
        case "waiting": Badge(.plain, "Waiting").html
        case "running": "\(Badge(.busy, "Running").html)\(progress)"
        case "done": "\(Badge(.good, "Done").html)\(progress)"
        case "failed": "\(Badge(.bad, "Failed").html)\(progress)"
        default: "\(Badge(.warn, "Ended early").html)\(progress)"
        }
    }

    // MARK: Changes

    /// A button that has the audit log checked, for who may; it stands on the page of the activity, too.
    static func verification(_ call: ConsoleCall) -> HTML? {
        guard call.may(.audit) else { return nil }
        return call.form(to: ConsolePath.text(path), "<button class=\"plain\">Check the audit log</button>")
    }

    private static func verify(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            let answer = try await call.door.send("POST", RequestPath.text(["audit", "verification"]))
            return .seeOther(path + [try AdminJSON.decode(Job.self, from: answer.body).id], .begun)
        } catch let refusal as AdminRefused where refusal.status == 409 {
            return try await list(call, refusal: refusal)
        }
    }

    private static func cancel(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let job = path + [call.parameter("job")]
        try await call.door.send("DELETE", RequestPath.text(job))
        return .seeOther(job, .ended)
    }
}
