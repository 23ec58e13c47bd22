import AdminMessages

/// How an app fares, named by the worst state that holds on any device.
struct AppHealth {
    private let states: AppStateCounts
    private let unreported: BoundedCount
    private let groups: Int

    /// `groups` is how many are given the app, where that is known.
    init(_ states: AppStateCounts, unreported: BoundedCount, groups: Int = 0) {
        self.states = states
        self.unreported = unreported
        self.groups = groups
    }

    init(_ states: AppStates) {
        self.init(states.states, unreported: BoundedCount(count: states.unreported, isMore: false))
    }

    init(_ app: AppOverview) { self.init(app.states, unreported: app.unreported, groups: app.groups) }

    /// "Working" only where every device that gets the app reports it and decoded its configuration.
    var badge: Badge {
        if states.refused > 0 { return AppStanding.refused.badge }
        if states.failed > 0 { return AppStanding.failed.badge }
        if states.unapplied > 0 { return AppStanding.unapplied.badge }
        if states.withheld > 0 { return AppStanding.withheld.badge }
        if states.waiting > 0 { return Badge(.busy, "Not on all devices yet") }
        if states.unknown > 0 { return AppStanding.unknown.badge }
        if unreported.count > 0 { return AppStanding.unreported.badge }
        if states.decoded > 0 {
            return unreported.isMore ? Badge(.plain, "Working where reported") : Badge(.good, "Working")
        }
        if states.unconfigured > 0 { return AppStanding.unconfigured.badge }
        if states.offered > 0 { return AppStanding.offered.badge }
        return groups > 0 ? Badge(.busy, "On no device yet") : Badge(.plain, "On no device")
    }

    /// The states that hold on any device.
    static func table(_ states: AppStates) -> HTML {
        var rows = states.states.all.filter { $0.devices > 0 }.map { row($0.name, $0.devices, $0.meaning) }
        if states.unreported > 0 {
            let unreported = AppStanding.unreported
            rows.append(row(unreported.rawValue, states.unreported, unreported.meaning))
        }
        guard !rows.isEmpty else { return "<p class=\"muted\">No device gets this app or reports it.</p>" }
        return Table(caption: "How it fares on devices", columns: ["State", "Devices", "Meaning"], rows: rows).html
    }

    private static func row(_ name: String, _ devices: Int, _ meaning: String) -> [HTML] {
        ["\(name)", "<span class=\"number\">\(devices)</span>", "\(meaning)"]
    }
}
