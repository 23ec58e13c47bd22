package import DeviceMessages
package import Foundation

/// What an administrator says of one thing: nothing, that it goes, or what it becomes.
package enum Amendment<Value: Sendable & Equatable>: Sendable, Equatable {
    /// It is not mentioned.
    case stays
    case goes
    case becomes(Value)

    /// What is there then.
    package func applied(to present: Value?) -> Value? {
        switch self {
        case .stays: present
        case .goes: nil
        case .becomes(let value): value
        }
    }
}

/// A change of an assignment that names what it changes: everything else stays as it is.
package struct AssignmentAmendment: Sendable, Equatable {
    package let group: String
    package let app: String
    package let configuration: Amendment<String>
    /// The configurations of extensions by their bundle identifiers; one that is not named keeps its own.
    package let extensions: Amendment<[String: Amendment<String>]>
    package let lowestTrust: Amendment<AppTrust>
    package let install: Amendment<AppSource.Install>
    package let priority: Amendment<Int>
    package let delivery: Amendment<Assignment.Delivery>

    package init(
        group: String, app: String, configuration: Amendment<String> = .stays,
        extensions: Amendment<[String: Amendment<String>]> = .stays, lowestTrust: Amendment<AppTrust> = .stays,
        install: Amendment<AppSource.Install> = .stays, priority: Amendment<Int> = .stays,
        delivery: Amendment<Assignment.Delivery> = .stays
    ) {
        self.group = group
        self.app = app
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
    }

    /// What is assigned then; made at `now` where nothing was.
    ///
    /// What was there keeps when it was made, and with that its place among assignments of the same priority: a change
    /// of one thing does not decide which of several assignments counts.
    package func merged(with present: Assignment?, at now: Date) -> Assignment {
        Assignment(
            group: group, app: app, configuration: configuration.applied(to: present?.configuration),
            extensions: merged(extensionsOf: present?.extensions ?? [:]),
            lowestTrust: lowestTrust.applied(to: present?.lowestTrust) ?? .launched,
            install: install.applied(to: present?.install), priority: priority.applied(to: present?.priority) ?? 0,
            delivery: delivery.applied(to: present?.delivery) ?? .framework,
            assigned: present?.assigned ?? now, order: present?.order ?? 0)
    }

    private func merged(extensionsOf present: [String: String]) -> [String: String] {
        switch extensions {
        case .stays: return present
        case .goes: return [:]
        case .becomes(let named):
            var merged = present
            for (name, amendment) in named { merged[name] = amendment.applied(to: present[name]) }
            return merged
        }
    }
}

/// A thing that an assignment says, by its name in the API.
package enum AssignmentMember: String, Sendable, CaseIterable {
    case configuration
    case delivery
    case extensions
    case install
    case lowestTrust
    case priority

    func isSame(in first: Assignment, and second: Assignment) -> Bool {
        switch self {
        case .configuration: first.configuration == second.configuration
        case .delivery: first.delivery == second.delivery
        case .extensions: first.extensions == second.extensions
        case .install: first.install == second.install
        case .lowestTrust: first.lowestTrust == second.lowestTrust
        case .priority: first.priority == second.priority
        }
    }
}

/// What follows from an amendment: what is assigned then, and what of it is another than before.
struct AmendedAssignment: Sendable, Equatable {
    let wanted: Assignment
    /// Nothing where there was no assignment.
    let changed: [AssignmentMember]?

    /// Decides about an amendment, knowing what is there.
    static func decide(
        _ amendment: AssignmentAmendment, knowing present: Assignment?, expected: ExpectedAssignment, at now: Date
    ) -> Outcome<AmendedAssignment, AdminRefusal> {
        guard expected.holds(for: present) else { return .refused(.versionMoved(current: nil)) }
        let wanted = amendment.merged(with: present, at: now)
        if let refusal = wanted.brokenRule { return .refused(refusal) }
        return .accepted(
            AmendedAssignment(
                wanted: wanted,
                changed: present.map { present in
                    AssignmentMember.allCases.filter { !$0.isSame(in: present, and: wanted) }
                }))
    }

    /// Whether the assignment has all of it already.
    var changesNothing: Bool { changed?.isEmpty == true }
}
