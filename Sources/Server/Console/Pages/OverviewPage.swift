import AdminMessages

/// The first page: which app, on how many devices, is it working, and what needs attention.
enum OverviewPage {
    static let routes = [ConsoleRoute(.get, "/", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let live = try await LivePage.of(.everything, call)
        let overview: Overview = try await call.door.get("/overview")
        let health: Health = try await call.door.get("/health")
        var content = tiles(overview)
        content += Panel.html("What needs attention", attention(overview, health, call))
        content += ChangeJourneys.panel(overview, call)
        content += Panel.html("Apps", apps(overview.apps, call))
        if call.may(.audit) {
            let entries: Page<AuditEntry> = try await call.door.get(
                RequestPath.text(["audit"], query: [("limit", "8")]))
            content += Panel.html(
                "Lately", aside: Link.html("All activity", ["activity"]), lately(entries.items, call))
        }
        return call.page("Overview", in: .overview, live: live, content)
    }

    private static func tiles(_ overview: Overview) -> HTML {
        let notInOrder = overview.apps.reduce(0) { $0 + $1.notInOrder }
        var tiles: [(String, String, String)] = [
            ("\(overview.devices.enrolled)", overview.devices.enrolled == 1 ? "device" : "devices", link("devices")),
            ("\(overview.apps.count)", overview.apps.count == 1 ? "app" : "apps", link("apps")),
            ("\(notInOrder)", "not in order", link("apps")),
            (text(overview.silent), "silent for a week", link("devices")),
        ]
        // As in `martlet overview`: only where there are any.
        let ended: [(Int, String, DeviceState)] = [
            (overview.devices.withdrawn, "withdrawn", .withdrawn), (overview.devices.checkedOut, "left", .checkedOut),
        ]
        for (count, what, state) in ended where count > 0 {
            tiles.append(("\(count)", what, link("devices", [("state", state.rawValue)])))
        }
        let items: [HTML] = tiles.map { count, what, link in
            """
            <li class="tile"><a href="\(link)"><span class="count">\(count)</span> \
            <span class="what">\(what)</span></a></li>
            """
        }
        return "<ul class=\"tiles\" data-part=\"Numbers\">\(items)</ul>"
    }

    private static func link(_ page: String, _ query: [(String, String)] = []) -> String {
        ConsolePath.text([page], query: query)
    }

    private static func isOne(_ count: BoundedCount) -> Bool { count.count == 1 && !count.isMore }

    private static func text(_ count: BoundedCount) -> String { "\(count.count)\(count.isMore ? "+" : "")" }

    private static func attention(_ overview: Overview, _ health: Health, _ call: ConsoleCall) -> HTML {
        var items: [HTML] = overview.apps.prefix(20).filter { $0.notInOrder > 0 }.map { app in
            let count = app.notInOrder
            return """
                <li>\(AppHealth(app).badge.html) \(Link.html(app.name, ["apps", app.bundleIdentifier])) is not in \
                order on \(count) \(count == 1 ? "device" : "devices").</li>
                """
        }
        for name in overview.secretsWithoutValue ?? [] {
            items.append("<li>\(SecretPages.lack) \(Link.html(name, ["secrets", name]))</li>")
        }
        if overview.silent.count > 0 {
            items.append(
                """
                <li>\(Badge(.warn, "Silent").html) \(text(overview.silent)) \
                \(isOne(overview.silent) ? "device was" : "devices were") not seen for a week.</li>
                """)
        }
        if overview.devices.enrolling > 0 {
            items.append(
                """
                <li>\(Badge(.busy, "Enrolling").html) \(overview.devices.enrolling) \
                \(overview.devices.enrolling == 1 ? "device is" : "devices are") about to enroll.</li>
                """)
        }
        if overview.openEnrollmentCodes.count > 0 {
            items.append(
                """
                <li>\(Badge(.plain, "Waiting").html) \(text(overview.openEnrollmentCodes)) \
                \(isOne(overview.openEnrollmentCodes) ? "enrollment code waits" : "enrollment codes wait") to be used.</li>
                """)
        }
        if let fault = health.fault { items.insert("<li>\(Badge(.bad, "Not ready").html) \(fault)</li>", at: 0) }
        items += health.certificates.filter { HealthPage.badge($0).tone != .good }.map {
            certificate in
            """
            <li>\(HealthPage.badge(certificate).html) The certificate for \(certificate.name) ends \
            \(Moment.html(certificate.expires, now: call.request.now)).</li>
            """
        }
        guard !items.isEmpty else { return "<p>\(Badge(.good, "All well").html) Nothing needs attention.</p>" }
        return "<ul class=\"list\">\(items)</ul>"
    }

    private static func apps(_ apps: [AppOverview], _ call: ConsoleCall) -> HTML {
        guard !apps.isEmpty else {
            return EmptyState.html(
                "There is no app yet",
                "The way is: add an app, import its specification, configure it, give it to a group, enroll a device.")
        }
        return Table(
            caption: "Apps at a glance", columns: ["App", "State", "Devices", "Groups"],
            rows: apps.map { app in
                [
                    Link.html(app.name, ["apps", app.bundleIdentifier]),
                    AppHealth(app).badge.html,
                    "<span class=\"number\">\(devices(app))</span>", "<span class=\"number\">\(app.groups)</span>",
                ]
            }
        ).html
    }

    /// On how many an app is, of those that get it where these are more.
    private static func devices(_ app: AppOverview) -> String {
        guard app.concerned > app.devices else { return "\(app.devices)" }
        return "\(app.devices) of \(app.concerned)\(app.unreported.isMore ? "+" : "")"
    }

    private static func lately(_ entries: [AuditEntry], _ call: ConsoleCall) -> HTML {
        let items: [HTML] = entries.map { entry in
            "<li>\(Moment.html(entry.time, now: call.request.now)) · \(Code.html(entry.action)) \(entry.subject) · \(entry.actor)</li>"
        }
        return "<ul class=\"list\">\(items)</ul>"
    }
}
