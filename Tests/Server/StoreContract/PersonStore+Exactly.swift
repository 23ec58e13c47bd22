package import Foundation
package import Management

extension PersonStore {
    /// Makes people exactly these: a detail without a value goes.
    package func putPeople(
        _ people: [Person], dryRun: Bool, author: String, now: Date
    ) async throws -> PeopleChange {
        let amendments = people.map { person in
            var details: [Person.Detail: Amendment<String>] = [:]
            for detail in Person.Detail.allCases {
                if let text = person.details[detail] {
                    details[detail] = Amendment<String>.becomes(text)
                } else {
                    details[detail] = Amendment<String>.goes
                }
            }
            return PersonAmendment(userName: person.userName, details: details)
        }
        return try await putPeople(amendments, dryRun: dryRun, author: author, now: now)
    }
}
