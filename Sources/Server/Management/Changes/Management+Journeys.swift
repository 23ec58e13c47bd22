package import Foundation

extension Management {
    /// The last changes on their way to devices, the newest first.
    ///
    /// If devices came to groups or left them since, how many there are is counted anew now: once for who asks, and not for
    /// each of them.
    package func journeys() async throws -> [Journey] {
        if let departures = changes.uncountedDepartures {
            var devices: [[String]: Int] = [:]
            for groups in Set(changes.journeys.map(\.groups)) {
                devices[groups] = try await store.enrolledDevices(in: groups)
            }
            changes.recount(devices, after: departures)
        }
        return changes.journeys
    }

    /// Since when changes are followed: when the server started.
    package var journeysSince: Date {
        Date(timeIntervalSince1970: clock.start.wall.timeIntervalSince1970.rounded(.down))
    }

    /// Follows the newest of these changes on their way to the devices that they concern, and ends what is on its way no
    /// more.
    func followJourneys(of told: [Change]) async throws {
        var older = told.count { Journeys.begins(with: $0.kind) } - Journeys.most
        for change in told {
            if Journeys.ends(with: change.kind) { changes.end(change) }
            if Journeys.leaves(with: change.kind) {
                changes.leave(change)
                changes.miscount()
            }
            if Journeys.joins(with: change.kind) { changes.miscount() }
            guard Journeys.begins(with: change.kind) else { continue }
            if older > 0 {
                older -= 1
                continue
            }
            let groups = try await groups(concernedBy: change)
            guard !groups.isEmpty else { continue }
            changes.begin(
                Journey(
                    change, groups: groups, slots: try await slots(of: change),
                    devices: try await store.enrolledDevices(in: groups)))
        }
    }

    /// Where apps find the secret that a change gives; none of a change that gives no secret.
    private func slots(of change: Change) async throws -> [SecretSlot] {
        switch AuditEntry.Action(rawValue: change.kind) {
        case .setSecret, .assignSecret:
            let filter = SecretAssignmentFilter(group: change.group, app: change.app, secret: change.name)
            return try await store.secretAssignments(filter, PageRequest(limit: PageRequest.largest)).items.map(\.slot)
        default: return []
        }
    }

    private func groups(concernedBy change: Change) async throws -> [String] {
        if let group = change.group { return [group] }
        let page = PageRequest(limit: PageRequest.largest)
        if change.kind == AuditEntry.Action.setSetting.rawValue,
            let key = change.name.flatMap({ SettingKey(parsing: $0) })
        {
            return try await store.settingState(of: key).groups
        }
        guard let app = change.app else {
            let filter = SecretAssignmentFilter(secret: change.name)
            return Set(try await store.secretAssignments(filter, page).items.map(\.slot.group)).sorted()
        }
        let assignments = try await store.assignments(AssignmentFilter(app: app), page).items
        guard change.kind.hasPrefix("configuration.") else { return assignments.map(\.group) }
        return assignments.filter {
            $0.configuration == change.name || $0.extensions.values.contains(change.name ?? "")
        }
        .map(\.group)
    }
}
