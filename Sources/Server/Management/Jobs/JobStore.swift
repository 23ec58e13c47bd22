package import Foundation

/// Jobs, as a store keeps them.
package protocol JobStore: Sendable {
    /// Adds a job unless `limit` of them have not ended.
    /// Keeps a job unless so many are open, or so many of its kind.
    func addJob(_ job: Job, limit: Int, limitOfKind: Int) async throws -> Outcome<Job, AdminRefusal>
    func job(_ id: String) async throws -> Job?
    /// Newest first; an author's own, or everybody's.
    func jobs(of author: String?, _ page: PageRequest) async throws -> Page<Job>
    /// Gives a run of the server every job that has not ended, those of other runs, too; the oldest first.
    func takeJobs(by generation: String, now: Date) async throws -> [Job]
    /// Writes down what came of a part, if the job is still this run's; answers with the job as it is then.
    func finish(_ step: JobStep, of id: String, by generation: String, now: Date) async throws -> Job?
    /// Cancels a job, only one of `owner` if that is given; a job that has ended stays as it is.
    func cancelJob(_ id: String, of owner: String?, author: String, now: Date) async throws -> AdminRefusal?
}

extension JobStore {
    /// Keeps a job unless so many are open.
    package func addJob(_ job: Job, limit: Int) async throws -> Outcome<Job, AdminRefusal> {
        try await addJob(job, limit: limit, limitOfKind: limit)
    }
}
