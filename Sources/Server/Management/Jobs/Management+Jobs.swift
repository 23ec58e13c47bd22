import Foundation
import InputBounds

/// Long work: asked for, looked at, ended, and done.
extension Management {
    /// Has the chain of the audit log followed from its beginning.
    package func startAuditVerification(author: String) async throws -> Outcome<Job, AdminRefusal> {
        try await start(.auditVerification, .object([:]), author: author)
    }

    /// Has many devices put into a group, as if one after the other were.
    package func startAddingDevices(
        _ devices: [String], toGroup group: String, isForced: Bool, author: String
    ) async throws -> Outcome<Job, AdminRefusal> {
        guard let present = try await store.group(named: group) else { return .refused(.unknownGroup) }
        guard present.rule == nil else { return .refused(.groupHasRule) }
        let request: GroupDevices
        do { request = try GroupDevices(group: group, devices: devices, isForced: isForced) } catch {
            return .refused(error)
        }
        return try await start(.groupDevices, request.json, author: author)
    }

    /// A job that a session may see: its own, or anybody's for who may see what others do.
    package func job(_ id: String, for session: Session) async throws -> Job? {
        guard let job = try await store.job(id) else { return nil }
        return session.seesOthersJobs || job.author == session.administrator ? job : nil
    }

    /// The jobs that a session may see, newest first.
    package func jobs(for session: Session, _ page: PageRequest) async throws -> Page<Job> {
        try await store.jobs(of: session.seesOthersJobs ? nil : session.administrator, page)
    }

    /// Ends a job, of their own, or anybody's for who may change what reaches many.
    package func cancelJob(_ id: String, by session: Session) async throws -> AdminRefusal? {
        let anybodys = session.rights.allow(.manage, app: nil, group: nil)
        let refusal = try await store.cancelJob(
            id, of: anybodys ? nil : session.administrator, author: session.administrator, now: moment)
        if refusal == nil { tell(try await store.job(id)) }
        return refusal
    }

    /// Leaves word that a job is not as it was.
    private func tell(_ job: Job?) {
        if let job { changes.note(Change(of: job, time: moment)) }
    }

    /// Names this life of the server: what another one had begun was interrupted.
    var generation: String { Hexadecimal.text(life) }

    /// Works on all jobs in turn, a part of each, until none is left that may go on now.
    ///
    /// Where it is interrupted, the next run goes on with the part that was not finished. It answers how long to wait before
    /// it is called again, where a job may do only so much a second; nothing where no job is left.
    @discardableResult
    package func workOnJobs() async throws -> Duration? {
        while !Task.isCancelled {
            let taken = try await store.takeJobs(by: generation, now: moment)
            let jobs = taken.filter { $0.state == .running }
            for job in taken where job.state != .running { tell(job) }
            jobPace.keep(only: Set(jobs.map(\.id)))
            guard !jobs.isEmpty else { return nil }
            let begun = uptime()
            let waits = jobs.map { jobPace.wait(for: $0.id, at: begun) }
            if !waits.contains(nil), let shortest = waits.compactMap({ $0 }).min() { return .seconds(shortest) }
            for (job, wait) in zip(jobs, waits) where wait == nil {
                try Task.checkCancellation()
                let start = uptime()
                let step = try await step(of: job)
                let pause = job.pause(after: step)
                if pause > 0 { jobPace.delay(job.id, until: start + pause) }
                tell(try await store.finish(step, of: job.id, by: generation, now: moment))
            }
        }
        return nil
    }

    func step(of job: Job) async throws -> JobStep {
        do {
            guard try await mayGoOn(job) else {
                return .failed("The administrator who asked for it may no longer do so.")
            }
            return switch job.kind {
            case .auditVerification: try await verifyPart(of: job)
            case .groupDevices: try await addPart(of: job)
            case .groupCommand: try await queuePart(of: job)
            }
        } catch let error where error is CancellationError || error is StoreOverload {
            throw error
        } catch {
            return .failed("It ended with a fault of the server (\(type(of: error))).")
        }
    }

    /// Whether the requester could ask for the job now: a role, a session or an API token that loses a right loses it
    /// for its jobs, too.
    ///
    /// An administrator's goes on after they have logged out, and while no password was reset; a token's while it lives.
    private func mayGoOn(_ job: Job) async throws -> Bool {
        guard case .token(let name, of: let maker) = Author(job.author) else {
            guard let administrator = try await store.administrator(named: job.author) else { return false }
            return !administrator.mustChangePassword
                && administrator.rights.allow(job.permission, app: nil, group: nil)
        }
        // One that was made since under the same name is another one.
        guard
            let (token, owner) = try await store.token(named: name, of: maker, now: now()),
            token.created <= job.created, !owner.mustChangePassword
        else { return false }
        return token.rights(of: owner).allow(job.permission, app: nil, group: nil)
    }

    func start(
        _ kind: Job.Kind, _ request: JSONValue, author: String
    ) async throws -> Outcome<Job, AdminRefusal> {
        let job = Job(
            id: Base32.text(random(10)), kind: kind, author: author, created: moment, request: request)
        let outcome = try await store.addJob(job, limit: Job.mostOpen, limitOfKind: kind.mostOpen)
        tell(outcome.value)
        jobBell.ring()
        return outcome
    }
}

extension Session {
    fileprivate var seesOthersJobs: Bool { rights.allow(.audit, app: nil, group: nil) }
}
