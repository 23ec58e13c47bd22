package import Foundation
import InputBounds

extension Management {
    /// Sets one person, new or not; their user name is taken as it is, or refused.
    package func putPerson(
        _ person: Person, expected: ExpectedPerson = .any, author: String
    ) async throws -> Outcome<KeptPerson, AdminRefusal> {
        if let (_, rule) = person.brokenRule { return .refused(.invalid(rule: Self.sentence(rule))) }
        switch try await store.putPerson(person, expected: expected, author: author, now: moment) {
        case .accepted(let change): try await announce(change)
        case .refused(let refusal): return .refused(refusal)
        }
        guard let kept = try await store.person(person.userName) else { return .refused(.unknownPerson) }
        return .accepted(kept)
    }

    /// Sets all people of a table, or none when a line of it is refused; with `dryRun`, only says what it would do.
    ///
    /// What the table does not mention stays; with `removesEmpty` an empty field takes a detail away.
    ///
    /// They are written in parts, so that nobody else waits for the whole. A table is held to nothing that was seen; who
    /// changes one of its people by a condition is judged by the store, before or after their part. A store that fails in between keeps the parts
    /// before: `PartlyImported` says how many, and the same table can be sent again.
    package func importPeople(
        _ table: Data, removesEmpty: Bool = false, dryRun: Bool, author: String
    ) async throws -> Outcome<PeopleChange, AdminRefusal> {
        let people: [PersonAmendment]
        do {
            people = try PersonTable.people(in: table, removesEmpty: removesEmpty)
        } catch {
            return .refused(.table(error))
        }
        var whole = PeopleChange()
        var kept = 0
        for start in stride(from: 0, to: people.count, by: PersonLimits.part) {
            let part = Array(people[start..<min(start + PersonLimits.part, people.count)])
            do {
                let change = try await store.putPeople(part, dryRun: dryRun, author: author, now: moment)
                whole.add(change)
                kept += part.count
                if !dryRun { try await announce(change) }
            } catch {
                throw kept > 0 && !dryRun ? PartlyImported(kept: kept, of: people.count) : error
            }
        }
        return .accepted(whole)
    }

    package func person(_ userName: String) async throws -> KeptPerson? {
        try await store.person(Person.composed(userName))
    }

    package func people(_ page: PageRequest) async throws -> Page<KeptPerson> {
        try await store.people(page)
    }

    /// Removes a person who has no device.
    package func removePerson(
        _ userName: String, expected: ExpectedPerson = .any, author: String
    ) async throws -> AdminRefusal? {
        try await store.removePerson(Person.composed(userName), expected: expected, author: author, now: moment)
    }

    /// Assigns a device to a person, or to none.
    package func setPerson(
        _ userName: String?, ofDevice device: String, author: String
    ) async throws -> AdminRefusal? {
        let refusal = try await store.setPerson(
            userName.map(Person.composed), ofDevice: device, author: author, now: moment)
        if refusal == nil {
            try await valuesChanged(of: device)
        }
        return refusal
    }

    /// Wakes the devices of people who changed in what the devices use of them.
    private func announce(_ change: PeopleChange) async throws {
        // Before anything that may fail: no device is served a manifest with the former values.
        for device in change.changed.flatMap(\.devices) { manifests.forget(device: device.key) }
        for changed in change.changed {
            let old = changed.old.variables
            let new = changed.new.variables
            let names = Person.variableNames.filter { old[$0] != new[$0] }
            try await announce(changed.devices) { !$0.variables.isDisjoint(with: names) }
        }
        if change.changed.contains(where: { !$0.devices.isEmpty }) { await beginJudgingDue() }
    }

    private static func sentence(_ rule: String) -> String { rule.prefix(1).uppercased() + rule.dropFirst() + "." }
}
