/// An assignment and the versions of its configurations, as a migration read them before it began.
///
/// A migration compares this with the present state before it changes an assignment.
package struct SeenAssignment: Hashable, Sendable {
    package let assignment: Assignment
    /// The newest version of each configuration that the assignment names, by name.
    package let versions: [String: Int]

    /// - Parameters:
    ///   - assignment: The assignment.
    ///   - versions: The newest versions of the app's configurations, by name.
    package init(_ assignment: Assignment, versions: [String: Int]) {
        let named = Set((assignment.extensions ?? [:]).values).union(assignment.configuration.map { [$0] } ?? [])
        self.assignment = assignment
        self.versions = versions.filter { named.contains($0.key) }
    }

    /// Describes, for people, what somebody changed since; nil if nothing changed.
    package func change(until now: SeenAssignment) -> String? {
        guard assignment == now.assignment else { return "its assignment was changed meanwhile" }
        for (name, version) in versions.sorted(by: { $0.key < $1.key }) {
            guard let other = now.versions[name] else { return "its configuration \(name) was removed meanwhile" }
            guard other == version else {
                return "its configuration \(name) was changed meanwhile, from version \(version) to \(other)"
            }
        }
        return versions.count == now.versions.count ? nil : "somebody created its configuration meanwhile"
    }
}
