import Foundation
import InputBounds
import Management
import StoreSQLite
import Testing

extension TestServer {
    /// Keeps a job that nobody is told of: it waits until the server looks for some by itself, once a minute.
    func keepWaiting(_ id: String, of author: String) async throws {
        let job = Job(
            id: id, kind: .groupDevices, author: author, created: Date(), request: .object([:]))
        guard case .accepted = try await store.addJob(job, limit: Job.mostOpen) else {
            Issue.record("the store does not keep the job \(id)")
            return
        }
    }
}
