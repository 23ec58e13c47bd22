import AdminMessages

/// What a device gets of each app and why: which assignment counts, where values come from, what is withheld.
enum EffectiveList {
    static func html(_ effective: DeviceEffective) -> HTML {
        let commanded = effective.commanded ?? []
        guard !effective.apps.isEmpty || !commanded.isEmpty else {
            guard effective.settings.isEmpty else { return .empty }
            return EmptyState.html("Nothing is assigned to the device's groups", "Give an app to one of its groups.")
        }
        let items: [HTML] = effective.apps.map(item) + commanded.map(item)
        return "<ul class=\"list\">\(items)</ul>"
    }

    /// An app that no group gives; it need not be one of those that are known here.
    private static func item(_ app: EffectiveCommandedApp) -> HTML {
        """
        <li><div class="title"><h3>\(app.name)</h3>\(Badge(.plain, "By command").html)</div>
        <p class="muted"><code>\(app.identifier)</code> \(app.version ?? "") · \(app.state ?? "not reported yet")</p>
        <p class="muted">It came by a command to this device, and no assignment manages it.</p></li>
        """
    }

    private static func item(_ app: EffectiveApp) -> HTML {
        let withheld: [HTML] = app.withheld.map {
            "<p>\(Badge(.warn, "Withheld").html) \($0.description ?? $0.code)</p>"
        }
        let assignments = Table(
            caption: "Assignments of \(app.name)", columns: ["Group", "Configuration", "Priority", "Why"],
            rows: app.assignments.map { assignment in
                [
                    Link.ifThere(assignment.group, ["groups", assignment.group]),
                    "\(assignment.configuration.map(text) ?? "none")", "\(assignment.priority)",
                    "\(assignment.counts ? Badge(.good, "Counts").html : nil) \(assignment.why)",
                ]
            })
        let secrets: [HTML] = app.secrets.map { secret in
            let own: String =
                secret.own ? ", the device's own value" : secret.person.map { ", the value of \($0)" } ?? ""
            let lack: HTML = secret.lacksValue == true ? " \(SecretPages.lack)" : ""
            let missing: HTML =
                secret.missing == true ? " \(Badge(.warn, "The app does not have this version").html)" : ""
            return """
                <li>\(secret.kind.rawValue) “\(secret.identifier)” from secret \(secret.secret)\(own)\(lack)\(missing)</li>
                """
        }
        let variables: [HTML] = app.variables.map { variable in
            let value: HTML = variable.value.map { "\($0)" } ?? "<em>no value</em>"
            return "<li><code>\(variable.name)</code> = \(value)</li>"
        }
        let more: [HTML] = secrets + variables
        return """
            <li><div class="title"><h3>\(Link.html(app.name, ["apps", app.identifier]))</h3>
            \((app.given ? Badge(.good, "Given") : Badge(.warn, "Not given")).html)</div>
            <p class="muted">\(app.configuration.map(text) ?? "no configuration") · \(app.install)</p>
            \(delivery(app))\(withheld)\(assignments.html)\(more.isEmpty ? nil : "<ul>\(more)</ul>" as HTML)</li>
            """
    }

    /// As what the app gets its configuration, where that is not by the framework, and what to know of it.
    private static func delivery(_ app: EffectiveApp) -> HTML? {
        guard app.configuration != nil, let delivery = app.delivery.flatMap({ Delivery(rawValue: $0) }),
            let advice = delivery.advice
        else { return nil }
        return "<p class=\"muted\">Delivered \(delivery.words): \(advice).</p>"
    }

    private static func text(_ configuration: EffectiveConfiguration) -> String {
        configuration.name + (configuration.version.map { ", version \($0)" } ?? "")
    }
}
