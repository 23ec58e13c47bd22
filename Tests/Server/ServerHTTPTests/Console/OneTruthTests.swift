import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import ServerHTTP
import Testing
import Waiting
import martlet

/// The API, the console, the command line, the measurements and the device's own agent show the same state of one app on
/// one device.
@Suite("One truth about an app on a device")
struct OneTruthTests {
    private static let app = "org.swift.landmarks"

    /// A state, and the name that each view gives it.
    struct Row: Sendable {
        let name: String
        /// What the device reports of the app; removed where it does not report it.
        let status: AppStatus
        let standing: AppStanding?
        let health: DeviceHealth?
        /// The badge of the app on the page of the device.
        let onDevice: String
        /// The badge on the page of the app and on the first page.
        let inFleet: String
        /// The badge of the device itself, on its page and in the list.
        let device: String
        /// The word of the device's agent, where it differs: the agent does not know what the server withholds.
        var agent: AppStanding?
    }

    private static func status(_ config: String?, state: String = "managed", _ codes: String...) -> AppStatus {
        AppStatus(
            identifier: app, shortVersion: "1.1", state: state,
            configState: config.map { AppStatus.ConfigState(app: $0) },
            reasons: codes.map { StatusReason(code: $0) })
    }

    /// The app has fetched its configuration and says nothing about it.
    private static var fetched: AppStatus {
        var fetched = status("unknown")
        fetched.reasons = [
            StatusReason(code: AppStatus.configurationHandedOver, details: .object(["Way": .string("http")]))
        ]
        return fetched
    }

    /// The app was removed from the device while it refused its configuration.
    private static var gone: AppStatus {
        var gone = status("invalid", state: "not-present", AppStatus.configurationRefused)
        gone.shortVersion = nil
        return gone
    }

    private static let reported = [
        Row(
            name: "absent", status: status(nil, state: "not-present"), standing: .waiting, health: .upToDate,
            onDevice: "Not on the device yet", inFleet: "Not on all devices yet", device: "Up to date"),
        Row(
            name: "present, unmanaged", status: status(nil, state: "failed", "Error.UnmanagedAppAlreadyInstalled"),
            standing: .failed, health: .failing, onDevice: "Installation failed", inFleet: "Installation failed",
            device: "An app needs attention"),
        Row(
            name: "managed", status: status(nil), standing: .unconfigured, health: .upToDate,
            onDevice: "Reports no configuration", inFleet: "Reports no configuration", device: "Up to date"),
        Row(
            name: "fetched over HTTP", status: fetched, standing: .unconfigured, health: .upToDate,
            onDevice: "Fetched its configuration", inFleet: "Reports no configuration", device: "Up to date"),
        Row(
            name: "refused", status: status("invalid", AppStatus.configurationRefused), standing: .refused,
            health: .refusing, onDevice: "Refuses its configuration", inFleet: "Refuses its configuration",
            device: "Refuses a configuration"),
        Row(
            name: "removed while it refused", status: gone, standing: .waiting, health: .upToDate,
            onDevice: "Not on the device yet", inFleet: "Not on all devices yet", device: "Up to date"),
        Row(
            name: "withheld secret", status: status("valid", AppStatus.secretUnavailable), standing: .withheld,
            health: .failing, onDevice: "Something is withheld", inFleet: "Something is withheld",
            device: "An app needs attention"),
        Row(
            name: "decoded", status: status("valid"), standing: .decoded, health: .upToDate,
            onDevice: "Took its configuration", inFleet: "Working", device: "Up to date"),
    ]

    /// The server withholds the configuration: the device reports the app, and that it is in order.
    private static let withheld = Row(
        name: "withheld configuration", status: status(nil), standing: .withheld, health: .failing,
        onDevice: "Something is withheld", inFleet: "Something is withheld", device: "An app needs attention",
        agent: .unconfigured)

    /// The device cannot fetch the app's manifest: it reports so of the declaration, and no app, because it knows none.
    private static let rejected = Row(
        name: "unreachable manifest", status: AppStatus(identifier: app, removed: true), standing: .failed,
        health: .failing, onDevice: "Installation failed", inFleet: "Installation failed",
        device: "An app needs attention")

    private static let offline = Row(
        name: "offline", status: status("valid"), standing: .decoded, health: .silent,
        onDevice: "Took its configuration", inFleet: "Working", device: "Not seen for a week")

    private static let withdrawn = Row(
        name: "withdrawn", status: status("valid"), standing: nil, health: nil, onDevice: "", inFleet: "On no device",
        device: "Withdrawn")

    /// Red if the page of the device has a rule of its own and is green over a refused configuration or a missing
    /// secret, or if what the server withholds, or an app that the device cannot even name, counts nowhere, or if an app
    /// that is gone refuses on.
    @Test("every view agrees in each of twelve states")
    func eachState() async throws {
        let clock = TestClock()
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await browser.signIn()
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        for row in Self.reported {
                            try await Self.report(row.status, device)
                            try await Self.expect(row, of: device, server, admin, browser)
                        }
                        try await Self.report(Self.rejected.status, device, rejecting: true)
                        try await Self.expect(Self.rejected, of: device, server, admin, browser)
                        try await admin.assignLandmarks(AdminClient.configuration(title: "Of ${person.fullName}"))
                        try await Self.report(Self.withheld.status, device)
                        try await Self.expect(Self.withheld, of: device, server, admin, browser)
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        try await Self.report(Self.status("valid"), device)
                        try await server.management.flush()
                        clock.advance(by: 9 * 86_400)
                        let later = try await Self.signedInAgain(admin)
                        browser.token = nil
                        try await browser.signIn()
                        try await eventually("the device's last moment is written down") { () -> Bool in
                            let overview: Overview = try await later.get("/overview")
                            return overview.silent.count == 1
                        }
                        try await Self.expect(Self.offline, of: device, server, later, browser)
                        let ended = try await later.send("DELETE", "/devices/\(device.identifier.key)")
                        #expect(ended.status == 204)
                        try await Self.expect(Self.withdrawn, of: device, server, later, browser)
                    }
                }
            }
        }
    }

    /// An app whose refusal stands while the list of the device's apps is no longer kept: what the device reported since
    /// leaves no room for it.
    ///
    /// Red where a device's page counts the refusals of listed apps alone: it then shows no refusal, while the list of
    /// devices does.
    @Test("a refusal of an app that is in no list any more")
    func refusalWithoutList() async throws {
        let clock = TestClock()
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await Self.report(Self.status("invalid", AppStatus.configurationRefused), device)
                    let large = JSONValue.string(String(repeating: "x", count: 1_000_000))
                    for number in 0..<5 {
                        clock.advance(by: 60)
                        let report = StatusReport(items: .object(["large\(number)": large]))
                        #expect(try await device.ask(.status, report.encoded()).status == 200)
                    }
                    let id = device.identifier.key
                    let apps = try await server.management.reportedApps(of: id)
                    try #require(apps.isEmpty)
                    let detail: DeviceDetail = try await admin.get("/devices/\(id)")
                    let list: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices")
                    let summary = try #require(list.items.first { $0.id == id })
                    #expect(detail.health == .refusing && summary.health == .refusing)
                    let shown = try #require(detail.apps.first { $0.identifier == Self.app })
                    #expect(shown.standing == .refused && shown.refusals?.count == 1)
                }
            }
        }
    }

    /// An app that was taken from a device while its declaration is invalid there, and that the device does not report.
    ///
    /// Red where a device's page judges by what the device gets now: the counts have what it last reported.
    @Test("an app that was taken from a device that rejects its declaration")
    func rejectedAndTaken() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    try await Self.report(Self.rejected.status, device, rejecting: true)
                    let taken = try await admin.send("DELETE", "/assignments/teachers/\(Self.app)")
                    try #require(taken.status == 204, "\(taken.text)")
                    try await Self.expectFailed(1, device, admin)
                    try await Self.report(Self.rejected.status, device)
                    try await Self.expectFailed(0, device, admin)
                }
            }
        }
    }

    private static func expectFailed(_ number: Int, _ device: PlayedDevice, _ admin: AdminClient) async throws {
        let id = device.identifier.key
        let detail: DeviceDetail = try await admin.get("/devices/\(id)")
        let list: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices")
        let summary = try #require(list.items.first { $0.id == id })
        let states: AppStates = try await admin.get("/apps/\(app)/states")
        #expect(detail.apps.count { $0.standing == .failed } == number)
        #expect(detail.health == summary.health && (summary.health == .failing) == (number == 1))
        #expect(states.states.all.first { $0.name == AppStanding.failed.rawValue }?.devices ?? 0 == number)
    }

    /// An app that a device gets and has not reported is in the metrics, as it is in every other view.
    ///
    /// Red where the metrics count only the apps that devices report.
    @Test("an app that no device has reported")
    func unreported() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                    try await Self.expectUnreported(1, server, admin)
                    try await Self.report(Self.status("valid"), device)
                    try await Self.expectUnreported(0, server, admin)
                }
            }
        }
    }

    private static func expectUnreported(_ number: Int, _ server: TestServer, _ admin: AdminClient) async throws {
        let states: AppStates = try await admin.get("/apps/\(app)/states")
        let overview: Overview = try await admin.get("/overview")
        let measured = try await server.server.measurements()
        #expect(states.unreported == number && overview.apps.first?.unreported.count == number)
        #expect(measured.contains("martlet_apps_on_devices{state=\"unreported\"} \(number)\n"))
    }

    /// The API uses the words by which the store counts.
    @Test("the counted states and the shown words are the same")
    func words() {
        #expect(Set(AppStanding.reported.map(\.rawValue)) == Set(ReportedAppState.allCases.map(\.rawValue)))
        for state in ReportedAppState.allCases {
            #expect(AppStanding(rawValue: state.rawValue).isFailing == state.isFailing, "\(state)")
        }
        #expect(AppStanding.unreported.rawValue == ReportedAppState.unreportedWord)
        #expect((AppStanding.reported + [.unreported]).allSatisfy { !$0.meaning.isEmpty })
    }

    // MARK: The views

    private static func expect(
        _ row: Row, of device: PlayedDevice, _ server: TestServer, _ admin: AdminClient, _ browser: ConsoleBrowser
    ) async throws {
        let id = device.identifier.key
        let detail: DeviceDetail = try await admin.get("/devices/\(id)")
        let list: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices")
        let summary = try #require(list.items.first { $0.id == id })
        let states: AppStates = try await admin.get("/apps/\(app)/states")
        let overview: Overview = try await admin.get("/overview")
        let effective: DeviceEffective = try await admin.get("/devices/\(id)/effective")
        let counted = [row.standing?.rawValue].compactMap { $0 }
        #expect(detail.apps.first?.standing == row.standing, "\(row.name)")
        #expect(effective.apps.first?.standing == row.standing, "\(row.name)")
        let isKnown = row.standing != nil && !row.status.removed
        let onDevice = AgentView.word(for: isKnown ? row.status : nil)
        #expect(onDevice == (isKnown ? row.agent ?? row.standing : nil)?.rawValue, "\(row.name)")
        #expect(detail.health == row.health && summary.health == row.health, "\(row.name)")
        #expect(states.states.all.filter { $0.devices > 0 }.map(\.name) == counted, "\(row.name)")
        #expect(states.unreported == 0, "\(row.name)")
        #expect(overview.apps.first?.states == states.states, "\(row.name)")
        #expect(overview.silent.count == (row.health == .silent ? 1 : 0), "\(row.name)")

        let measured = try await server.server.measurements()
        for state in ReportedAppState.allCases {
            let number = counted.contains(state.rawValue) ? 1 : 0
            let line = "martlet_apps_on_devices{state=\"\(state.rawValue)\"} \(number)\n"
            #expect(measured.contains(line), "\(row.name): \(line)")
        }
        #expect(measured.contains("martlet_apps_on_devices{state=\"unreported\"} 0\n"), "\(row.name)")
        #expect(measured.contains("martlet_devices_unseen \(row.health == .silent ? 1 : 0)\n"), "\(row.name)")

        expectCommandLine(row, detail, summary, states, overview)
        let explained = EffectiveText(effective).text().split(separator: "\n").first { $0.hasPrefix("  standing ") }
        #expect(explained?.split(separator: " ").last.map(String.init) == row.standing?.rawValue, "\(row.name)")
        try await expectPages(row, id, browser)
    }

    private static func expectCommandLine(
        _ row: Row, _ detail: DeviceDetail, _ summary: DeviceSummary, _ states: AppStates, _ overview: Overview
    ) {
        let lines = DeviceText(detail).text().split(separator: "\n")
        let line = lines.first { $0.hasPrefix(app) }
        #expect(line?.split(separator: " ").last.map(String.init) == row.standing?.rawValue, "\(row.name)")
        let health = lines.first { $0.hasPrefix("health ") }
        #expect((health == nil) == (row.health == nil), "\(row.name)")
        let listed = DeviceListText.table([summary]).text()
        if let word = row.health?.rawValue {
            #expect(health?.hasSuffix("  " + word) == true, "\(row.name)")
            #expect(listed.contains("  \(word)  "), "\(row.name)")
        }
        #expect(row.health == .upToDate || !listed.contains(DeviceHealth.upToDate.rawValue), "\(row.name)")
        let table = AppStateText.table(states).text().split(separator: "\n").dropFirst()
        let named = table.map { line in String(line.prefix { $0 != " " }) }
        #expect(named == [row.standing?.rawValue].compactMap { $0 }, "\(row.name)")
        let glance = OverviewText.text(overview).split(separator: "\n").first { $0.hasPrefix(app) }
        let end = row.standing.map { ": 1 \($0)" } ?? "on 0 devices"
        #expect(glance?.hasSuffix(end) == true, "\(row.name): \(glance ?? "")")
    }

    private static func expectPages(_ row: Row, _ id: String, _ browser: ConsoleBrowser) async throws {
        func page(_ path: String) async throws -> String { try await browser.get("/console\(path)").text }
        let (device, list) = (try await page("/devices/\(id)"), try await page("/devices"))
        if row.standing != nil { #expect(device.contains(">\(row.onDevice)</span>"), "\(row.name)") }
        for text in [device, list] {
            #expect(text.contains(">\(row.device)</span>"), "\(row.name)")
            #expect(text.contains(">Up to date</span>") == (row.health == .upToDate), "\(row.name)")
        }
        let (ofApp, first) = (try await page("/apps/\(app)"), try await page(""))
        #expect(ofApp.contains(">\(row.inFleet)") && first.contains(">\(row.inFleet)"), "\(row.name)")
        #expect(ofApp.contains(">Working</span>") == (row.standing == .decoded), "\(row.name)")
        let link = "href=\"/console/devices/\(id)\""
        for (query, holds) in [
            ("refusing=1", row.health == .refusing), ("notSeenFor=604800", row.health == .silent),
            ("state=withdrawn", row.health == nil), ("state=enrolled&group=teachers", row.health != nil),
            ("state=&notSeenFor=&group=", true),
        ] {
            #expect(try await page("/devices?\(query)").contains(link) == holds, "\(row.name): \(query)")
        }
    }

    // MARK: The device and its administrator

    /// Reports that the device has its present declarations, and the state of the app.
    private static func report(
        _ status: AppStatus, _ device: PlayedDevice, rejecting isRejected: Bool = false
    ) async throws {
        let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
        func all(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items[kind].map {
                DeclarationStatus(identifier: $0.identifier, serverToken: $0.serverToken, active: true, valid: .valid)
            }
        }
        var statuses = DeclarationStatuses(
            activations: all(.activation), configurations: all(.configuration), assets: all(.asset),
            management: all(.management))
        for place in statuses.configurations.indices
        where isRejected && statuses.configurations[place].identifier == "martlet.app.\(app)" {
            statuses.configurations[place].valid = .invalid
            statuses.configurations[place].reasons = [
                StatusReason(code: "Error.DownloadFailed", description: "the server does not answer")
            ]
        }
        var report = StatusReport(fullReport: true)
        report.set(.array(status.removed ? [] : [status.value]), at: AppStatus.name)
        report.set(statuses.value, at: DeclarationStatuses.name)
        #expect(try await device.ask(.status, report.encoded()).status == 200)
    }

    /// The same administrator after their session has ended.
    private static func signedInAgain(_ admin: AdminClient) async throws -> AdminClient {
        let wish = SessionRequest(name: "admin", password: AdminClient.password)
        let opened = try await admin.client.send("POST", admin.base + "/session", body: AdminJSON.encode(wish))
        try #require(opened.status == 200, "\(opened.text)")
        let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
        return AdminClient(client: admin.client, base: admin.base, token: token)
    }
}
