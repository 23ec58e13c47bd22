import AdminMessages
import Foundation
import Testing
import Waiting

extension AdminClient {
    /// The job at a path, once it has ended.
    func ended(_ path: String) async throws -> AdminMessages.Job {
        try await eventually("the end of \(path)") { () async throws -> AdminMessages.Job? in
            let job: AdminMessages.Job = try await get(path)
            return job.isOpen ? nil : job
        }
    }

    /// What a job says of the audit log as it is now.
    func verifiedAudit() async throws -> AuditVerification {
        let started = try await send("POST", "/audit/verification")
        try #require(started.status == 202, "\(started.text)")
        let job = try await ended("/jobs/\(AdminJSON.decode(AdminMessages.Job.self, from: started.body).id)")
        return try AdminJSON.decode(AuditVerification.self, from: AdminJSON.encode(#require(job.result)))
    }
}
