package import AdminMessages

/// How an app fares on devices, as people read it.
package enum AppStateText {
    /// The states that hold on any device, each with its meaning.
    package static func table(_ states: AppStates) -> Table {
        var table = Table("STATE", "DEVICES", "MEANING")
        for (name, meaning, devices) in states.states.all where devices > 0 { table.add(name, "\(devices)", meaning) }
        if states.unreported > 0 {
            let unreported = AppStanding.unreported
            table.add(unreported.rawValue, "\(states.unreported)", unreported.meaning)
        }
        return table
    }

    static func notInOrder(_ states: AppStates) -> String {
        "\(states.notInOrder) device\(states.notInOrder == 1 ? "" : "s")"
    }

    /// The counts on one line.
    static func line(_ app: AppOverview) -> String {
        var parts = app.states.all.filter { $0.devices > 0 }.map { "\($0.devices) \($0.name)" }
        let least = app.unreported.isMore ? "at least " : ""
        if app.unreported.count > 0 { parts.append("\(least)\(app.unreported.count) \(AppStanding.unreported)") }
        return parts.joined(separator: ", ")
    }
}
