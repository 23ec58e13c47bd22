/// A change of a person, new or not, that names what it changes: every other detail stays as it is.
package struct PersonAmendment: Sendable, Equatable {
    package let userName: String
    /// The details that are mentioned.
    package let details: [Person.Detail: Amendment<String>]

    package init(userName: String, details: [Person.Detail: Amendment<String>] = [:]) {
        self.userName = userName
        self.details = details
    }

    /// The person after it.
    ///
    /// - Parameter present: The person before it, if there is one of this user name.
    /// - Returns: The person with everything that is not mentioned as it was.
    package func amended(_ present: Person?) -> Person {
        var kept = present?.details ?? [:]
        for (detail, amendment) in details { kept[detail] = amendment.applied(to: kept[detail]) }
        return Person(userName: userName, details: kept)
    }
}
