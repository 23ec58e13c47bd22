import AdminMessages

/// What a device gets of settings, and why: which groups give them, and what is withheld.
enum EffectiveSettings {
    /// Nothing where none is assigned to the device's groups.
    static func html(_ settings: [EffectiveSetting], _ call: ConsoleCall) -> HTML? {
        guard !settings.isEmpty else { return nil }
        let items: [HTML] = settings.map { item($0, call) }
        return "<h3>Settings</h3><ul class=\"list\">\(items)</ul>"
    }

    private static func item(_ setting: EffectiveSetting, _ call: ConsoleCall) -> HTML {
        let withheld: [HTML] = setting.withheld.map {
            "<p>\(Badge(.warn, "Withheld").html) \($0.description ?? $0.code)</p>"
        }
        let groups = Table(
            caption: "Groups that give \(setting.name)", columns: ["Group", "Priority"],
            rows: setting.assignments.map { [Link.html($0.group, ["groups", $0.group]), "\($0.priority)"] })
        return """
            <li><p>\(SettingPages.link(setting.kind, setting.name, call)) \
            \((setting.given ? Badge(.good, "Given") : Badge(.warn, "Not given")).html)</p>
            <p class="muted">\(setting.kind), version \(setting.version) · \(setting.summary)</p>
            \(withheld)\(groups.html)</li>
            """
    }
}
