package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// How many are kept, whatever their age.
    private static let mostKept = 500

    package func addJob(_ job: Job, limit: Int, limitOfKind: Int) async throws -> Outcome<Job, AdminRefusal> {
        try await write { db in
            let ofKind = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM job WHERE ended IS NULL AND kind = ?", arguments: [job.kind.rawValue])
            guard ofKind ?? 0 < limitOfKind else { return .refused(.tooManyWaiting(limit: limitOfKind)) }
            guard try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM job WHERE ended IS NULL") ?? 0 < limit else {
                return .refused(.tooManyWaiting(limit: limit))
            }
            try db.execute(
                sql: """
                    INSERT INTO job (id, kind, author, created, request, state, resumed, standstills, done, total)
                    VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0)
                    """,
                arguments: [
                    job.id, job.kind.rawValue, job.author, job.created.seconds, Self.text(job.request),
                    job.state.rawValue,
                ])
            try db.execute(
                sql: """
                    DELETE FROM job WHERE ended IS NOT NULL AND number <=
                        (SELECT number FROM job ORDER BY number DESC LIMIT 1 OFFSET ?)
                    """,
                arguments: [Self.mostKept])
            return .accepted(job)
        }
    }

    package func job(_ id: String) async throws -> Job? {
        try await read { db in try Self.job(id, db) }
    }

    package func jobs(of author: String?, _ page: PageRequest) async throws -> Page<Job> {
        let before = page.after.flatMap { Int64($0) } ?? Int64.max
        return try await read { db in
            let condition = author == nil ? "" : "AND author = ?"
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM job WHERE number < ? \(condition) ORDER BY number DESC LIMIT ?",
                arguments: StatementArguments([before] + (author.map { [$0] } ?? []) + [page.limit + 1]))
            let numbered = try rows.map { row in (number: row["number"] as Int64, job: try Self.job(row)) }
            return Page(cutting: numbered, to: page.limit) { String($0.number) }.map(\.job)
        }
    }

    package func takeJobs(by generation: String, now: Foundation.Date) async throws -> [Job] {
        let open = try await read { db in try Self.openJobs(db) }
        guard open.contains(where: { $0.owner != generation }) else { return open }
        return try await write { db in
            try Self.openJobs(db).map { job in
                var job = job
                job.take(by: generation, now: now)
                try Self.keep(job, db)
                return job
            }
        }
    }

    package func finish(
        _ step: JobStep, of id: String, by generation: String, now: Foundation.Date
    ) async throws -> Job? {
        try await write { db in
            guard var job = try Self.job(id, db) else { return nil }
            job.finish(step, by: generation, now: now)
            try Self.keep(job, db)
            return job
        }
    }

    package func cancelJob(
        _ id: String, of owner: String?, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard var job = try Self.job(id, db), owner.map({ $0 == job.author }) ?? true else { return .unknownJob }
            guard job.state.isOpen else { return nil }
            job.cancel(now: now)
            try Self.keep(job, db)
            try Self.audit(
                .cancelJob, id, ["kind": .string(job.kind.rawValue)], by: .administrator(author), db, now: now)
            return nil
        }
    }

    /// Ends what an administrator and their API tokens asked for, as part of what the log says of them then.
    static func cancelJobs(of administrator: String, _ db: Database, now: Foundation.Date) throws {
        for var job in try openJobs(db) where Author(job.author).administrator == administrator {
            job.cancel(now: now)
            try keep(job, db)
        }
    }

    // MARK: Rows

    private static func openJobs(_ db: Database) throws -> [Job] {
        try Row.fetchAll(db, sql: "SELECT * FROM job WHERE ended IS NULL ORDER BY number").map(job)
    }

    private static func job(_ id: String, _ db: Database) throws -> Job? {
        try Row.fetchOne(db, sql: "SELECT * FROM job WHERE id = ?", arguments: [id]).map(job)
    }

    private static func keep(_ job: Job, _ db: Database) throws {
        try db.executeCached(
            sql: """
                UPDATE job SET state = ?, owner = ?, resumed = ?, standstills = ?, done = ?, total = ?, place = ?,
                    result = ?, problem = ?, started = ?, ended = ? WHERE id = ?
                """,
            arguments: [
                job.state.rawValue, job.owner, job.resumed, job.standstills, job.progress.done, job.progress.total,
                job.place, job.result.map(text), job.problem, job.started?.seconds, job.ended?.seconds, job.id,
            ])
    }

    private static func job(_ row: Row) throws -> Job {
        var job = Job(
            id: row["id"], kind: try row.word("kind"), author: row["author"], created: row.date("created"),
            request: try json(row["request"]))
        job.state = try row.word("state")
        job.owner = row["owner"]
        job.resumed = row["resumed"]
        job.standstills = row["standstills"]
        job.progress = JobProgress(done: row["done"], total: row["total"])
        job.place = row["place"]
        job.result = try (row["result"] as String?).map(json)
        job.problem = row["problem"]
        job.started = row.optionalDate("started")
        job.ended = row.optionalDate("ended")
        return job
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.encoded(), as: UTF8.self) }

    private static func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Data(text.utf8), limits: .adminBody)
    }
}
