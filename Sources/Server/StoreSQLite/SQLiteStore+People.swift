package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putPeople(
        _ people: [PersonAmendment], dryRun: Bool, author: String, now: Foundation.Date
    ) async throws -> PeopleChange {
        dryRun
            ? try await read { db in try Self.change(of: Self.rows(after: people, db), db).change }
            : try await write { db in
                let (change, news) = try Self.change(of: Self.rows(after: people, db), db)
                try Self.keep(news, change, author: author, db, now: now)
                return change
            }
    }

    package func putPerson(
        _ person: Person, expected: ExpectedPerson, author: String, now: Foundation.Date
    ) async throws -> Outcome<PeopleChange, AdminRefusal> {
        let row = PersonRow(person: person, details: try Self.text(of: person.details))
        return try await write { db in
            let present = try Self.keptPerson(person.userName, db)
            guard expected.holds(for: present) else { return .refused(.versionMoved(current: nil)) }
            let (change, news) = try Self.change(of: [row], db)
            try Self.keep(news, change, author: author, db, now: now)
            return .accepted(change)
        }
    }

    /// What each of these people is after an amendment.
    private static func rows(after amendments: [PersonAmendment], _ db: Database) throws -> [PersonRow] {
        try amendments.map { amendment in
            let person = try amendment.amended(Self.person(amendment.userName, db))
            return PersonRow(person: person, details: try Self.text(of: person.details))
        }
    }

    /// A person as a row.
    private struct PersonRow: Sendable {
        let person: Person
        let details: String
    }

    package func person(_ userName: String) async throws -> KeptPerson? {
        try await read { db in try Self.keptPerson(userName, db) }
    }

    private static func keptPerson(_ userName: String, _ db: Database) throws -> KeptPerson? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM person WHERE user_name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [userName]) else { return nil }
        let devices = try devices(of: userName, db).map(\.key)
        return KeptPerson(person: try person(row), modified: row.date("modified"), devices: devices)
    }

    package func people(_ page: PageRequest) async throws -> Page<KeptPerson> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM person WHERE user_name > ? ORDER BY user_name LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            let people = try rows.map { KeptPerson(person: try Self.person($0), modified: $0.date("modified")) }
            return Page(cutting: people, to: page.limit, cursor: \.person.userName)
        }
    }

    package func removePerson(
        _ userName: String, expected: ExpectedPerson, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let person = try Self.keptPerson(userName, db) else { return .unknownPerson }
            guard expected.holds(for: person) else { return .versionMoved(current: nil) }
            guard person.devices.isEmpty else { return .inUse("devices") }
            try Self.endInvitation(of: userName, db)
            let values = try Self.removeSecretValues(ofPerson: userName, db)
            try db.execute(sql: "DELETE FROM person WHERE user_name = ?", arguments: [userName])
            try Self.audit(
                .removePerson, userName, values > 0 ? ["secretValues": .integer(Int64(values))] : [:],
                by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func setPerson(
        _ userName: String?, ofDevice device: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let context = try Self.context(device, db) else { return .unknownDevice }
            guard context.state == .pending || context.state == .enrolled else { return .deviceWithdrawn }
            let present = try Self.person(ofDevice: device, db)?.userName
            if let userName {
                guard try Self.person(userName, db) != nil else { return .unknownPerson }
                guard try Self.devices(of: userName, db).count < PersonLimits.devices || present == userName else {
                    return .invalid(rule: "A person has at most \(PersonLimits.devices) devices.")
                }
            } else if present == nil {
                return .unknownPerson
            }
            guard present != userName else { return nil }
            try db.execute(
                sql: "UPDATE enrollment SET person = ?, values_changed = ? WHERE key = ?",
                arguments: [userName, now.seconds, device])
            try Self.noteDue(device, lookingAt: Person.variableNames, db)
            try Self.audit(
                userName == nil ? .removeDevicePerson : .setDevicePerson, device,
                ["person": .string(userName ?? present ?? "")], by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func valueSources(of device: String, secrets: [String]) async throws -> ValueSources? {
        let names = try Self.text(of: secrets)
        return try await read { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT facts, attributes, values_changed FROM enrollment WHERE key = ?",
                    arguments: [device])
            else { return nil }
            let facts = try Self.facts(row)
            return ValueSources(
                device: device, facts: facts, person: try Self.person(ofDevice: device, db),
                attributes: try Self.attributes(row),
                secrets: try Self.ownSecrets(of: device, amongNames: names, db),
                losses: try Self.losses(of: device, amongNames: names, db),
                changed: row.optionalDate("values_changed"))
        }
    }

    // MARK: Rows

    static func person(ofDevice key: String, _ db: Database) throws -> Person? {
        try Row.fetchOne(
            db,
            sql: "SELECT p.* FROM enrollment e JOIN person p ON p.user_name = e.person WHERE e.key = ?",
            arguments: [key]
        ).map(person)
    }

    private static func person(_ userName: String, _ db: Database) throws -> Person? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM person WHERE user_name = ?"), arguments: [userName]
        ).map(person)
    }

    private static func person(_ row: Row) throws -> Person {
        try person(named: row["user_name"], details: row["details"])
    }

    /// A person, of the text in which the details are kept.
    static func person(named userName: String, details text: String) throws -> Person {
        let details = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        return Person(
            userName: userName,
            details: details.reduce(into: [:]) { known, entry in
                if let detail = Person.Detail(rawValue: entry.key) { known[detail] = entry.value }
            })
    }

    /// Whether the person is there and may be given one more device.
    static func mayHaveAnotherDevice(_ userName: String, _ db: Database) throws -> Bool {
        guard try person(userName, db) != nil else { return false }
        return try devices(of: userName, db).count < PersonLimits.devices
    }

    private static func text(of details: [Person.Detail: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Keys: ours.
        let named = Dictionary(uniqueKeysWithValues: details.map { ($0.key.rawValue, $0.value) })
        return String(decoding: try encoder.encode(named), as: UTF8.self)
    }

    private static func devices(of userName: String, _ db: Database) throws -> [ConcernedDevice] {
        try String.fetchAll(
            db.cachedStatement(sql: "SELECT key FROM enrollment WHERE person = ? ORDER BY key"), arguments: [userName]
        ).map { ConcernedDevice(key: $0, groups: try groups(of: $0, db)) }
    }

    /// What setting these people changes, and those of them who are to be written.
    private static func change(of rows: [PersonRow], _ db: Database) throws -> (change: PeopleChange, [PersonRow]) {
        var change = PeopleChange()
        var news: [PersonRow] = []
        let statement = try db.cachedStatement(sql: "SELECT details FROM person WHERE user_name = ?")
        for row in rows {
            let person = row.person
            guard let present = try String.fetchOne(statement, arguments: [person.userName]) else {
                change.added += 1
                news.append(row)
                continue
            }
            guard present != row.details, let old = try Self.person(person.userName, db), old != person else {
                change.unchanged += 1
                continue
            }
            change.changed.append(.init(old: old, new: person, devices: try devices(of: person.userName, db)))
            news.append(row)
        }
        return (change, news)
    }

    private static func keep(
        _ news: [PersonRow], _ change: PeopleChange, author: String, _ db: Database, now: Foundation.Date
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO person (user_name, details, modified) VALUES (?, ?, ?)
                ON CONFLICT (user_name) DO UPDATE SET details = excluded.details, modified = excluded.modified
                """)
        var tail = try AuditTail(db)
        for row in news {
            try statement.execute(arguments: [row.person.userName, row.details, now.seconds])
            try tail.append(.setPerson, row.person.userName, by: .administrator(author), db, now: now)
        }
        for changed in change.changed {
            let (old, new) = (changed.old.variables, changed.new.variables)
            let names = Person.variableNames.filter { old[$0] != new[$0] }
            for device in changed.devices {
                try db.executeCached(
                    sql: "UPDATE enrollment SET values_changed = ? WHERE key = ?", arguments: [now.seconds, device.key])
                try noteDue(device.key, lookingAt: names, db)
            }
        }
    }
}
