package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putSpecification(
        _ document: SpecificationDocument, limit: Int, now: Foundation.Date
    ) async throws -> Outcome<SpecificationRecord, AdminRefusal> {
        let record = document.record
        return try await write { db in
            guard try Self.app(record.app, db) != nil else { return .refused(.unknownApp) }
            let present = try Self.specificationRecords(record.app, db)
            let known = present.first { $0.version == record.version }
            if let known, record.package != nil, known.package == nil { return .accepted(known) }
            if let known, known.sha256 == record.sha256, (known.package == nil) == (record.package == nil) {
                return .accepted(known)
            }
            guard known != nil || present.count < limit else {
                return .refused(
                    .invalid(rule: "Of an app at most \(limit) versions are kept: remove one that no device runs."))
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO specification VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    record.app, record.version, record.sha256, record.size, record.author, record.added.seconds,
                    document.bytes, record.package,
                ])
            try Self.audit(
                .setSpecification, "\(record.app)/\(record.version)",
                record.package.map { ["package": .string($0)] } ?? [:], by: .administrator(record.author), db, now: now)
            return .accepted(record)
        }
    }

    package func specifications(of app: String) async throws -> Outcome<[SpecificationRecord], AdminRefusal> {
        try await read { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            return .accepted(try Self.specificationRecords(app, db))
        }
    }

    package func specification(of app: String, version: String) async throws -> SpecificationDocument? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM specification WHERE app = ? AND version = ?", arguments: [app, version]
            ).map(Self.specificationDocument)
        }
    }

    package func specificationDocuments(of app: String) async throws -> [SpecificationDocument] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM specification WHERE app = ?", arguments: [app])
                .map(Self.specificationDocument)
        }
    }

    package func removeSpecification(
        of app: String, version: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM specification WHERE app = ? AND version = ?", arguments: [app, version])
            guard db.changesCount > 0 else { return .unknownSpecification }
            try Self.audit(.removeSpecification, "\(app)/\(version)", by: .administrator(author), db, now: now)
            return nil
        }
    }

    private static func specificationRecords(_ app: String, _ db: Database) throws -> [SpecificationRecord] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT app, version, sha256, size, author, added, package FROM specification WHERE app = ? ORDER BY version
                """,
            arguments: [app]
        ).map(specificationRecord)
    }

    private static func specificationDocument(_ row: Row) -> SpecificationDocument {
        SpecificationDocument(record: specificationRecord(row), bytes: row["document"])
    }

    private static func specificationRecord(_ row: Row) -> SpecificationRecord {
        SpecificationRecord(
            app: row["app"], version: row["version"], sha256: row["sha256"], size: row["size"], author: row["author"],
            added: row.date("added"), package: row["package"])
    }
}
