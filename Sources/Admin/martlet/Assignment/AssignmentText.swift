package import AdminMessages

/// What came of assigning, as people read it: what a group gets, what of it is new, and what stays.
package enum AssignmentText {
    package static func made(_ assignment: Assignment, isDryRun: Bool = false) -> String {
        let gets = isDryRun ? "would get" : "gets"
        let with =
            assignment.configuration.map { " with the configuration \(Printable.line($0))" }
            ?? " without a configuration"
        let others = extensions(of: assignment).map { ", \($0.bundle) with \($0.configuration)" }.joined()
        let sentence = "\(Printable.line(assignment.group)) \(gets) \(Printable.line(assignment.app))\(with)\(others)"
        guard let changed = assignment.changed else { return sentence + "." }
        guard !changed.isEmpty else { return sentence + ", as before: nothing changes." }
        let members = members(of: assignment)
        let new = members.filter { changed.contains($0.name) }.map { $0.said ?? $0.unsaid }
        let stays = members.filter { !changed.contains($0.name) }.compactMap { $0.said }
        return """
            \(sentence).
            \(isDryRun ? "Would change" : "Changed"): \(new.joined(separator: ", ")).\
            \(stays.isEmpty ? "" : " As before: \(stays.joined(separator: ", ")).")
            """
    }

    private static func extensions(of assignment: Assignment) -> [(bundle: String, configuration: String)] {
        (assignment.extensions ?? [:]).sorted { $0.key < $1.key }
            .map { (bundle: Printable.line($0.key), configuration: Printable.line($0.value)) }
    }

    /// A member of an assignment: its name in the API, and its text, or nil where it is not set.
    private struct Member {
        let name: String
        let said: String?
        let unsaid: String

        init(_ name: String, _ words: String, _ value: String?, unsaid: String) {
            self.name = name
            said = value.map { "\(words) \(Printable.line($0))" }
            self.unsaid = unsaid
        }
    }

    private static func members(of assignment: Assignment) -> [Member] {
        let extensions = extensions(of: assignment).map { "\($0.bundle) with \($0.configuration)" }
        let named = extensions.isEmpty ? nil : extensions.joined(separator: ", ")
        let priority = assignment.priority.map { "\($0)" }
        return [
            Member("configuration", "configuration", assignment.configuration, unsaid: "no configuration"),
            Member("delivery", "delivery", assignment.delivery, unsaid: "delivery framework"),
            Member("extensions", "extensions", named, unsaid: "no configurations of extensions"),
            Member("install", "install", assignment.install, unsaid: "install as the source says"),
            Member("lowestTrust", "lowest trust", assignment.lowestTrust, unsaid: "lowest trust launched"),
            Member("priority", "priority", priority, unsaid: "priority 0"),
        ]
    }
}
