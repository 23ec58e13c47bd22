import Foundation
import Synchronization
import Testing

/// The console in a real browser, over a real server with a device: as people see it.
///
/// The walks run beside each other: one after the other they take as long as all other roads together.
@Suite(.inTurn, .timeLimit(.minutes(40)), .enabled(if: WalkingBrowser.isThere, WalkingBrowser.missing))
struct ConsoleTests {
    /// First log-in, the main tasks with the keyboard alone, every page in both themes and at phone width checked by WCAG
    /// 2.2 AA, and read without scripts: no violation, no complaint of the browser, no address of elsewhere. S4-GOAL-05
    ///
    /// No character in a link writes an element or an attribute into a page.
    @Test func everyPageIsForEverybody() async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Lakes")
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Lakes")
            try await Self.giveSetting(on: road)
            let walk = try await WalkingBrowser.administrator("walker", on: road, pictures: "every-page")
            try await walk(
                [
                    "hostile-link", "first-login", "hostile-links", "keyboard", "keyboard-tasks", "every-page",
                    "without-scripts",
                ], road)
        }
    }

    /// A group that has a setting, for there to be pages about one.
    private static func giveSetting(on road: Road) async throws {
        let fleet = road.home.appending(path: "fleet-of-the-walk")
        let folder = fleet.appending(path: "settings/root-certificate")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(["certificate": RandomFleet.roots[0]])
            .write(to: folder.appending(path: "proxy.json"))
        let given = #"[{"name": "pupils", "settings": [{"kind": "root-certificate", "setting": "proxy"}]}]"#
        try Data(given.utf8).write(to: fleet.appending(path: "groups.json"))
        try await road.martlet("apply", "-f", fleet.path, "--yes")
    }

    /// An administrator adds Landmarks, imports what it publishes, configures it by form and is refused at the key; gives it
    /// to a group and sees the device take it; the app refuses the next version, and says why; the one before comes back.
    /// S4-GOAL-05, S4-FLOW-04
    @Test func anAppIsConfiguredRefusedAndBroughtBack() async throws {
        try await Road.with { road in
            try await road.martlet("app", "delete", Road.app)
            try await road.enroll()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "no managed collection")
            var walk = try await WalkingBrowser.administrator("walker", on: road, pictures: "administer")
            let specification = try String(contentsOf: WalkingBrowser.landmarks, encoding: .utf8)
            walk.secrets.merge(["app": Road.app, "device": road.udid, "specification": specification]) { $1 }
            try await walk(["change-password", "enter", "administer", "each-kind-of-page"], road)
        }
    }

    /// Pages that are open show what others change, without being opened again: who reads keeps the place and the focus, and
    /// hears of it. S4-GOAL-05
    @Test func openPagesShowWhatOthersChange() async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Lakes")
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Lakes")
            var walk = try await WalkingBrowser.administrator("walker", on: road, pictures: "live")
            walk.secrets.merge(["app": Road.app, "device": road.udid]) { $1 }
            // Long enough for a page to be opened before the job has ended; nobody knows these devices.
            let devices = road.home.appending(path: "devices").path
            try (1...1_000).map { "device-\($0)" }.joined(separator: "\n").write(
                toFile: devices, atomically: true, encoding: .utf8)
            try await walk(
                ["change-password", "enter", "live"], road,
                meanwhile: [
                    ("looks at: overview", { try await road.martlet("group", "create", "seen-at-once") }),
                    ("looks at: app", { try await road.martlet("assign", "seen-at-once", Road.app) }),
                    ("looks at: device", { try await road.configure(json: #"{"assetURL": "http://example.com"}"#) }),
                    ("looks at: refusal", { try await road.configure("Rivers") }),
                    ("looks at: jobs", { try await road.martlet("audit", "verify") }),
                    (
                        "looks at: job",
                        {
                            try await road.martlet(
                                "group", "add-devices", "seen-at-once", "--file", devices, "--no-wait")
                        }
                    ),
                ])
        }
    }
}

/// Chromium and its driver, Debian's, led by a Python script.
struct WalkingBrowser {
    static let missing: Comment = "Chromium, its driver or axe-core is missing: scripts/setup installs them"
    private static let chromium = "/usr/bin/chromium"
    private static let driver = "/usr/bin/chromedriver"
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    private static let axe = root.appending(path: ".build/interop/axe/axe.min.js").path

    static let landmarks = root.appending(path: "Examples/Landmarks/specification.json")

    static var isThere: Bool {
        [chromium, driver].allSatisfy(FileManager.default.isExecutableFile)
            && FileManager.default.fileExists(atPath: axe)
    }

    /// What the walk needs to know: a name, the one-time password, the one that is to follow.
    var secrets: [String: String]

    /// The folder of this walk's pictures, which no other walk writes into.
    let pictures: String

    /// A new administrator, who has not signed in yet.
    static func administrator(_ name: String, on road: Road, pictures: String) async throws -> WalkingBrowser {
        let added = try await road.martlet("administrator", "create", name, "--role", "administrator", "--json")
        struct Password: Decodable { let oneTimePassword: String }
        let once = try JSONDecoder().decode(Password.self, from: Data(added.utf8)).oneTimePassword
        return WalkingBrowser(
            secrets: ["name": name, "once": once, "password": "a password for the walk"], pictures: pictures)
    }

    /// Does the steps; the pictures that it takes are kept beside the build.
    ///
    /// What is to happen `meanwhile` does when the script prints the line before it.
    func callAsFunction(
        _ steps: [String], _ road: Road, meanwhile: [(line: String, act: () async throws -> Void)] = []
    ) async throws {
        let script = Self.root.appending(path: "Tests/EndToEnd/Console/walk.py").path
        let folder = Self.root.appending(path: ".build/console/\(pictures)").path
        let given = Pipe()
        let process = try RunningProcess(
            "walk", URL(filePath: "/usr/bin/python3"),
            [script, Self.chromium, Self.driver, Self.axe, road.url, folder] + steps,
            environment: ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 },
            input: given.fileHandleForReading)
        road.processes.withLock { $0.append(process) }
        try given.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(secrets))
        try given.fileHandleForWriting.close()
        for (line, act) in meanwhile {
            _ = try await process.line(containing: line)
            try await act()
        }
        let status = try await process.exit(within: .seconds(1_800))
        try await process.drained()
        #expect(status == 0, "\(process.output.map(\.text).joined(separator: "\n"))")
    }
}
