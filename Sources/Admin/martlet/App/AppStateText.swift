import AdminMessages

/// How an app fares on devices, as people read it.
enum AppStateText {
    /// The states that hold on any device, each with its meaning.
    static func table(_ states: AppStates) -> Table {
        var table = Table("STATE", "DEVICES", "MEANING")
        for (name, meaning, devices) in states.states.all where devices > 0 { table.add(name, "\(devices)", meaning) }
        if states.unreported > 0 {
            table.add("unreported", "\(states.unreported)", "The device gets the app and has not reported it.")
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
        if app.unreported.count > 0 { parts.append("\(least)\(app.unreported.count) unreported") }
        return parts.joined(separator: ", ")
    }
}
