import Foundation
import InputBounds

/// Following the audit log's chain as a job.
extension Management {
    /// Some ten milliseconds' work.
    private static let part = 1_000

    func verifyPart(of job: Job) async throws -> JobStep {
        var chain: AuditChain
        if let place = job.place {
            chain = AuditChain(from: try JSONDecoder().decode(AuditChain.Place.self, from: place))
        } else {
            chain = AuditChain(after: try await store.auditAnchor())
        }
        let entries = try await store.auditEntries(after: chain.length, limit: Self.part)
        for entry in entries { chain.follow(entry) }
        if chain.isBroken || entries.isEmpty {
            // Meanwhile the oldest entries may have had their time: then it begins anew.
            let present = try await store.auditAnchor()
            guard present == chain.anchor else { return try await part(AuditChain(after: present)) }
            return .done(JobProgress(done: chain.count, total: chain.count), result: chain.verification)
        }
        return try await part(chain)
    }

    private func part(_ chain: AuditChain) async throws -> JobStep {
        let newest = try await store.auditEntries(AuditFilter(), PageRequest(limit: 1)).items.first?.sequence
        return .part(
            JobProgress(done: chain.count, total: max(chain.count, (newest ?? 0) - chain.first + 1)),
            place: try JSONEncoder().encode(chain.place))
    }
}

extension AuditChain {
    /// Where somebody who follows it is.
    struct Place: Codable {
        let first: Int?
        let firstHash: Data?
        let length: Int
        let head: Data
        let isRecorded: Bool
    }

    /// What was found, as the API tells it.
    var verification: JSONValue {
        var members: [String: JSONValue] = [
            "intact": .boolean(fault == nil), "entries": .integer(Int64(count)), "first": .integer(Int64(first)),
        ]
        if length > 0 { members["head"] = .string(Hexadecimal.text(head)) }
        if let fault {
            members["brokenAt"] = .integer(Int64(fault.place))
            members["rule"] = .string(fault.rule)
        }
        return .object(members)
    }
}
