import Foundation
import Testing
import Waiting

/// The demonstration of 2013: an app that knows user defaults alone is configured, and says how it fares.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct PageViewerTests {
    private static let nowhere = "URL      http://localhost:1/"
    private static let on = "sync     on"
    private static let off = "sync     off"
    private static let managed = "sync     off, by your organization"
    private static let hello = "page     Hello of 2013"
    private static let empty = "page     "

    /// AS-1, N01, B06: its nine steps, and its variants: pushed and fetched while the app is stopped, a malformed
    /// dictionary, one with a key of a later version (AS-6 step 8), a key removed, and everything taken away.
    @Test func anAppOf2013IsConfiguredByItsUserDefaults() async throws {
        try await Road.with { road in
            let site = try Site()
            defer { site.end() }
            let page = try await site.address()
            let viewer = try await RoadApp.installed("PageViewer", as: "com.example.page-viewer", on: road)
            try await viewer.configure(dictionary: "<key>disableCloudDocumentSync</key><false/>")
            try await road.martlet(
                "assign", "teachers", viewer.identifier, "--configuration", "default", "--delivery", "defaults")
            try await road.enroll()
            try await road.synchronised()

            var screen = try Screen(of: viewer)
            // Steps 1 and 2.
            try await screen.shows(Self.nowhere, "success  0", "failure  0", Self.on, Self.empty)
            for count in 1...3 {
                try screen.press("go")
                try await screen.shows("failure  \(count)", Self.empty)
            }
            let process = try road.appProcesses(under: viewer.identifier)
            #expect(!process.isEmpty)
            try await pushedAndFetched(&screen, of: viewer, page: page)
            #expect(try road.appProcesses(under: viewer.identifier) == process, "nothing needed a restart")
            try await stopped(screen, viewer, page: page)
            try await takenAway(viewer, page: page)
        }
    }

    /// Steps 3 to 7.
    private func pushedAndFetched(_ screen: inout Screen, of viewer: RoadApp, page: String) async throws {
        let pushed = screen.app.mark
        try await viewer.configure(dictionary: Self.locked(page))
        try await screen.shows("URL      \(page)", Self.managed)
        // The switch is management's now.
        try screen.press("sync on", "go")
        try await screen.shows("success  1", Self.hello, Self.managed)
        let later = screen.app.output.dropFirst(pushed)
        #expect(!later.contains { $0.text == Self.on })

        let follow = try followed(viewer)
        // A device that is busy answers before its app does, and is asked again.
        try await eventually("a fetch answers with what it brought") {
            try await fetch(from: viewer).contains("failureCount")
        }
        // What was fetched is there once its fetch has ended.
        #expect(try await handedOver(by: viewer).contains("failureCount"))
        try await counted(viewer, is: ["failureCount": 3, "successCount": 1])
        let told = try await follow.line(containing: #""failureCount":3"#)
        #expect(told.text.contains(viewer.road.udid) && told.text.contains(#""successCount":1"#))
        // What the app wrote one key after the other came as one dictionary, under the keys that it publishes.
        #expect(try await handedOver(by: viewer) == ["failureCount", "lastError", "successCount"])
        try await screen.shows("success  0", "failure  0")
        // Management's address goes before the person's.
        try screen.press("url http://localhost:1/", "go")
        try await screen.shows("URL      \(page)", "success  1")

        try await viewer.configure(dictionary: "<key>serverURL</key><string>http://localhost:1/other</string>")
        try await screen.shows("\(Self.nowhere)other", Self.on)
        try screen.press("go")
        try await screen.shows("success  1", "failure  1", Self.empty)
        try await counted(viewer, is: ["failureCount": 4, "successCount": 2])
        try await screen.shows("success  0", "failure  0")
    }

    /// Feedback is fetched, and a configuration pushed, while the app is stopped.
    private func stopped(_ before: Screen, _ viewer: RoadApp, page: String) async throws {
        var screen = before
        try screen.press("go")
        try await screen.shows("failure  1")
        try screen.press("quit")
        let ended = screen.app
        try await eventually("the app has ended") { !ended.isRunning }
        // It lies in the agent's socket, perhaps still unread.
        try await counted(viewer, is: ["failureCount": 5, "successCount": 2])

        try await viewer.configure(
            dictionary: "\(Self.locked(page))<key>keyOfALaterVersion</key><array><integer>1</integer></array>")
        try await viewer.road.synchronised()
    }

    /// The app starts with what was pushed, and loses it piece by piece.
    private func takenAway(_ viewer: RoadApp, page: String) async throws {
        var screen = try Screen(of: viewer)
        let first = try await screen.shows("URL      \(page)", Self.managed, "success  0", "failure  0")
        #expect(first == 0, "the first view is the configured one, and counts from 0")

        let wrong = "<key>serverURL</key><integer>42</integer><key>disableCloudDocumentSync</key><true/>"
        try await viewer.configure(dictionary: wrong)
        try await screen.shows(Self.nowhere, Self.managed)
        let counts: [String: Double] = ["configurationErrorCount": 1, "failureCount": 5, "successCount": 2]
        try await counted(viewer, is: counts)

        try await viewer.configure(dictionary: "<key>serverURL</key><string>\(page)</string>")
        try await screen.shows("URL      \(page)", Self.on)
        // The switch is the person's again.
        try screen.press("sync off")
        try await screen.shows(Self.off)
        // No dictionary at all, by either way of saying so: what the person chose stands.
        let (road, app) = (viewer.road, viewer.identifier)
        try await road.martlet("assign", "teachers", app, "--no-configuration")
        try await screen.shows(Self.nowhere, Self.off)
        try await road.martlet("assign", "teachers", app, "--configuration", "default", "--delivery", "both")
        try await screen.shows("URL      \(page)", Self.off)
        try await road.martlet("assign", "teachers", app, "--delivery", "framework")
        try await screen.shows(Self.nowhere, Self.off)
    }

    /// A dictionary with an address, and with the switch taken from the person.
    private static func locked(_ page: String) -> String {
        "<key>serverURL</key><string>\(page)</string><key>disableCloudDocumentSync</key><true/>"
    }
}

extension PageViewerTests {
    /// Has the app hand over; answers with what came, as JSON.
    @discardableResult
    private func fetch(from app: RoadApp) async throws -> String {
        try await app.road.martlet(
            "feedback", "fetch", app.road.udid, app.identifier, "--wait", Road.longest, "--json")
    }

    /// A program that prints what the app hands over, from the first on.
    private func followed(_ app: RoadApp) throws -> RunningProcess {
        let follow = try RunningProcess(
            "martlet", Road.binary("martlet"), ["feedback", "follow", app.identifier, "--after", "0", "--json"],
            environment: Road.environment(app.road.home))
        app.road.keep(follow)
        return follow
    }

    /// The keys of what the app handed over.
    private func handedOver(by app: RoadApp) async throws -> Set<String> {
        let answer = try await app.road.martlet(
            "feedback", "show", app.identifier, "--device", app.road.udid, "--json")
        let entries = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [[String: Any]] ?? []
        var keys: Set<String> = []
        for entry in entries { keys.formUnion((entry["feedback"] as? [String: Any] ?? [:]).keys) }
        return keys
    }

    /// Has the app hand over until the sums of what came are these: a busy device answers before its app does.
    private func counted(_ app: RoadApp, is wanted: [String: Double]) async throws {
        try await eventually("the server counts \(wanted)") { () -> Bool in
            let answer = try await app.road.martlet("feedback", "show", app.identifier, "--json")
            let summary = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
            var sums: [String: Double] = [:]
            for total in summary?["totals"] as? [[String: Any]] ?? [] {
                if let key = total["key"] as? String { sums[key, default: 0] += total["sum"] as? Double ?? 0 }
            }
            if sums.filter({ wanted[$0.key] != nil }) == wanted { return true }
            try await fetch(from: app)
            return false
        }
    }
}

/// The app's buttons, and the views that it showed one after the other.
private struct Screen {
    let app: RunningProcess
    private let buttons = Pipe()
    /// How many views were looked at.
    private var seen = 0

    /// Starts the app as a person does.
    init(of viewer: RoadApp) throws {
        app = try viewer.open(input: buttons.fileHandleForReading)
    }

    /// Presses buttons, each a line; what the app showed until now is looked at.
    mutating func press(_ lines: String...) throws {
        seen = Self.views(of: app).count
        try buttons.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Waits for a view that has all these lines, after those that were looked at; answers with its number, from 0.
    @discardableResult
    mutating func shows(_ wanted: String...) async throws -> Int {
        let (shown, from) = (self.app, seen)
        let number = try await eventually("a view with \(wanted), after \(from) others") { () -> Int? in
            let views = Self.views(of: shown)
            return views.indices.dropFirst(from).first { number in wanted.allSatisfy { views[number].contains($0) } }
        }
        seen = number + 1
        return number
    }

    private static func views(of app: RunningProcess) -> [[String]] {
        var views: [[String]] = []
        for line in app.output {
            if line.text.hasPrefix("URL") { views.append([]) }
            if !views.isEmpty { views[views.count - 1].append(line.text) }
        }
        return views
    }
}

/// A page of somebody's plain HTTP server, which is what a URL bar of 2013 showed.
private struct Site {
    private static let program = """
        import http.server
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200); self.end_headers(); self.wfile.write(b"Hello of 2013\\n")
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Page)
        print("at http://127.0.0.1:%d/" % server.server_port, flush=True)
        server.serve_forever()
        """

    private let process: RunningProcess

    init() throws {
        process = try RunningProcess(
            "the site", URL(filePath: "/usr/bin/python3"), ["-c", Self.program], environment: ["PATH": "/usr/bin:/bin"])
    }

    func address() async throws -> String {
        String(try await process.line(containing: "at http://").text.dropFirst("at ".count))
    }

    func end() { process.killNow() }
}
