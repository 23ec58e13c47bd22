import Foundation
import GRDB
import Management

extension DeviceFilter {
    /// Which devices come after the place where a page begins, and are those in the group or refuse a configuration.
    ///
    /// By an index, up to a page's length, where nothing else is asked for; what else is must be looked at before a page is
    /// cut.
    var beginning: String {
        if named != nil || serialNumber != nil {
            // These are found by their own indexes, and are few: the group is asked of each.
            let isMember = "EXISTS (SELECT 1 FROM enrollment_group WHERE enrollment = e.key AND group_name = :group)"
            return "e.key > :after" + (group == nil ? "" : " AND \(isMember)")
        }
        let isNarrowed = state != nil || seenBefore != nil
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

    /// Selects the keys of the devices with the ID, serial number or name `:named`, compared by bytes, each by an
    /// index.
    ///
    /// If a device has this ID, names are ignored, but serial numbers are not: people read both from a device, and
    /// neither may hide the other. Many devices may share a name: if the filter asks for nothing else, at most a page
    /// of them is read.
    func bearers(of reference: DeviceReference, _ db: Database) throws -> String {
        let byID = "SELECT key FROM enrollment WHERE key = :named"
        let bySerialNumber = """
            SELECT key FROM enrollment WHERE \(Schema.serialNumber) = :named AND \(Schema.saidSerialNumber) = :named
            """
        switch reference {
        case .id: return byID
        case .serialNumber: return bySerialNumber
        case .text(let text):
            let isID = try Bool.fetchOne(db, sql: "SELECT EXISTS (\(byID))", arguments: ["named": text]) ?? false
            return "\(isID ? byID : byName) UNION \(bySerialNumber)"
        }
    }

    private var byName: String {
        let isNarrowed = group != nil || serialNumber != nil || state != nil || isRefusing || seenBefore != nil
        let cut = isNarrowed ? "" : "ORDER BY key LIMIT :limit"
        return """
            SELECT key FROM (SELECT key FROM enrollment WHERE \(Schema.deviceName) = :named AND key > :after \(cut))
            """
    }

    /// What else is asked for, to be added to the conditions of a statement about `enrollment e`.
    ///
    /// Devices that were not seen are found by a scan in their order: an index by moments would be written at each
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
