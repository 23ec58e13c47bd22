import Foundation
import GRDB
import Management

extension DeviceFilter {
    /// Which devices come after the place where a page begins, and are those in the group or refuse a configuration.
    ///
    /// By an index, up to a page's length, where nothing else is asked for; what else is must be looked at before a page is
    /// cut.
    var beginning: String {
        let isNarrowed = named != nil || state != nil || seenBefore != nil
        if group != nil {
            let cut = isNarrowed || isRefusing ? "" : "ORDER BY enrollment LIMIT :limit"
            return """
                e.key IN (SELECT enrollment FROM enrollment_group WHERE group_name = :group AND enrollment > :after \(cut))
                """
        }
        guard isRefusing, !isNarrowed else { return "e.key > :after" }
        return """
            e.key IN (SELECT DISTINCT enrollment FROM refusal WHERE enrollment > :after ORDER BY enrollment LIMIT :limit)
            """
    }

    /// What else is asked for, to be added to the conditions of a statement about `enrollment e`.
    ///
    /// Who was not seen is found by going through the devices in their order: an index by moments would be written at each
    /// contact. All pages together go through them once.
    var narrowing: (sql: String, arguments: StatementArguments) {
        var (sql, arguments) = ("", StatementArguments())
        if isRefusing { sql += " AND EXISTS (SELECT 1 FROM refusal WHERE enrollment = e.key)" }
        // Of devices that left it says nothing that they are not seen.
        let usual: EnrollmentState? = seenBefore == nil ? nil : .enrolled
        if let state = state ?? usual {
            sql += " AND e.state = :state" + (state == .enrolled ? "" : " AND e.state <> 'enrolled'")
            arguments += ["state": state.rawValue]
        }
        if let seenBefore {
            sql += " AND e.parent IS NULL AND COALESCE(e.last_seen, e.enrolled) < :seen"
            arguments += ["seen": seenBefore.seconds]
        }
        return (sql, arguments)
    }
}
