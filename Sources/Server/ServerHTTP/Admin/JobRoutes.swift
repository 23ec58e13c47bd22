import AdminMessages
import Foundation
import Hummingbird
import InputBounds
import Management

/// Long work: what is asked for here goes on after the answer.
struct JobRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/jobs", operation: "listJobs",
                summary: "Your jobs, newest first; everybody's for who may see what others do.",
                query: QueryParameter.paging, answer: .json(.page(of: "Job")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/jobs/{id}", operation: "showJob",
                summary: "One job: how far it is, or what came of it.", answer: .json(.named("Job")),
                service: .session(show)),
            AdminRoute(
                method: .delete, path: "/jobs/{id}", operation: "cancelJob",
                summary: "End a job before its time; what it has done stays, and so does a job that has ended.",
                status: .noContent,
                service: .session(cancel)),
            AdminRoute(
                method: .post, path: "/audit/verification", operation: "startAuditVerification",
                summary: "Have the whole audit log checked by a job; its result is an AuditVerification.",
                status: .accepted, answer: .json(.named("Job")), service: .session(verify)),
            AdminRoute(
                method: .post, path: "/groups/{group}/devices", operation: "addDevicesToGroup",
                summary: "Have up to 5000 devices put into a group by a job, which says which were refused and why.",
                body: .json(.named("GroupDevicesRequest")), status: .accepted, answer: .json(.named("Job")),
                service: .session(fill)),
            AdminRoute(
                method: .post, path: "/groups/{group}/commands", operation: "sendCommandToGroup",
                summary: """
                    Have a command queued for every device of a group by a job, as sendCommand does for one: each device gets \
                    it once. The job's result says for how many it was queued, and why it was refused for the first ten others.
                    """,
                query: [
                    QueryParameter(
                        name: "perSecond", schema: .whole(1...1_000),
                        summary: "Queue it for at most so many devices a second; 50 if left out."),
                    QueryParameter(
                        name: "force", schema: .boolean,
                        summary: """
                            Send a configuration although a published version of the app refuses it, or a value looks \
                            like a secret.
                            """),
                ],
                body: .jsonOrPropertyList(.named("CommandRequest")), status: .accepted, answer: .json(.named("Job")),
                service: .session(command)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.jobs(for: call.session, call.page()), AdminMessages.Job.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let job = try await management.job(call.parameter("id"), for: call.session) else {
            throw HTTPProblem(.unknownJob)
        }
        return try AdminAnswer.json(AdminMessages.Job(job))
    }

    private func cancel(_ call: AdminCall) async throws -> Response {
        try await management.cancelJob(call.parameter("id"), by: call.session).check()
        return AdminAnswer.nothing
    }

    private func verify(_ call: AdminCall) async throws -> Response {
        try accepted(try await management.startAuditVerification(author: call.session.administrator).get())
    }

    private func fill(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(GroupDevicesRequest.self)
        return try accepted(
            try await management.startAddingDevices(
                wish.devices, toGroup: call.parameter("group"), isForced: wish.force ?? false,
                author: call.session.administrator
            ).get())
    }

    private func command(_ call: AdminCall) async throws -> Response {
        let request = try await CommandRoutes.request(of: call)
        var perSecond: Int?
        if let text = call.query("perSecond") {
            guard let number = Int(text) else {
                throw HTTPProblem(.badRequest, "invalid", "The parameter “perSecond” is a whole number")
            }
            perSecond = number
        }
        return try accepted(
            try await management.startGroupCommand(
                request, toGroup: call.parameter("group"), perSecond: perSecond, isForced: call.flag("force"),
                author: call.session.administrator
            ).get())
    }

    private func accepted(_ job: JobRecord) throws -> Response {
        var response = try AdminAnswer.json(AdminMessages.Job(job), status: .accepted)
        response.headers[.location] = "\(AdminAPI.prefix)/jobs/\(job.id)"
        return response
    }
}

extension AdminMessages.Job {
    fileprivate init(_ record: JobRecord) {
        self.init(
            id: record.id, kind: record.kind.rawValue, author: record.author, state: record.state.rawValue,
            done: record.progress.done, total: record.progress.total, resumed: record.resumed,
            created: record.created, started: record.started, ended: record.ended, problem: record.problem,
            result: record.result.map(JSON.init))
    }
}
