import AdminMessages
import Foundation
import Testing

extension AdminClient {
    /// The job at a path, once it has ended.
    func ended(_ path: String) async throws -> AdminMessages.Job {
        let deadline = ContinuousClock.now + .seconds(120)
        var job: AdminMessages.Job
        repeat {
            job = try await get(path)
        } while job.isOpen && ContinuousClock.now < deadline
        return job
    }

    /// What a job says of the audit log as it is now.
    func verifiedAudit() async throws -> AuditVerification {
        let started = try await send("POST", "/audit/verification")
        try #require(started.status == 202, "\(started.text)")
        let job = try await ended("/jobs/\(AdminJSON.decode(AdminMessages.Job.self, from: started.body).id)")
        return try AdminJSON.decode(AuditVerification.self, from: AdminJSON.encode(#require(job.result)))
    }
}
