import Foundation
import Testing
import Waiting

/// The demonstration of 2013: an app that knows user defaults alone is configured, and says how it fares.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct PageViewerTests {
    /// AS-1: pushed while it runs, while it is stopped, malformed, and taken away; what it counted is read and cleared.
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

            let buttons = Pipe()
            let app = try viewer.open(input: buttons.fileHandleForReading)
            _ = try await app.line(containing: "URL      http://localhost:1/")
            _ = try await app.line(containing: "sync     on")
            for count in 1...3 {
                let mark = app.mark
                try buttons.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
                _ = try await app.line(containing: "failure  \(count)", after: mark)
            }

            var mark = app.mark
            let pushed = "<key>serverURL</key><string>\(page)</string><key>disableCloudDocumentSync</key><true/>"
            try await viewer.configure(dictionary: pushed)
            _ = try await app.line(containing: "URL      \(page)", after: mark)
            _ = try await app.line(containing: "sync     off, by your organization", after: mark)
            mark = app.mark
            // The switch is management's now.
            try buttons.fileHandleForWriting.write(contentsOf: Data("sync on\ngo\n".utf8))
            _ = try await app.line(containing: "success  1", after: mark)
            _ = try await app.line(containing: "page     Hello of 2013", after: mark)
            #expect(!app.output.dropFirst(mark).contains { $0.text == "sync     on" })

            mark = app.mark
            try await fetch(from: viewer)
            try await counted(viewer, is: ["failureCount": 3, "successCount": 1])
            _ = try await app.line(containing: "failure  0", after: mark)
            try buttons.fileHandleForWriting.write(contentsOf: Data("url http://localhost:1/\ngo\n".utf8))
            // Management's address goes before the person's.
            _ = try await app.line(containing: "success  1", after: mark)
            try await fetch(from: viewer)
            try await counted(viewer, is: ["failureCount": 3, "successCount": 2])

            mark = app.mark
            try await viewer.configure(dictionary: "<key>serverURL</key><integer>42</integer>")
            _ = try await app.line(containing: "URL      http://localhost:1/", after: mark)
            _ = try await app.line(containing: "sync     on", after: mark)

            try buttons.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
            try await eventually("the app has ended") { !app.isRunning }
            try await viewer.configure(dictionary: pushed)
            try await road.synchronised()
            let again = try viewer.open(input: Pipe().fileHandleForReading)
            _ = try await again.line(containing: "URL      \(page)")
        }
    }
}

extension PageViewerTests {
    private func fetch(from app: RoadApp) async throws {
        try await app.road.martlet("feedback", "fetch", app.road.udid, app.identifier, "--wait", "60s")
    }

    /// Waits until the sums of what the app handed over are these.
    private func counted(_ app: RoadApp, is wanted: [String: Double]) async throws {
        try await eventually("the server counts \(wanted)") {
            let answer = try await app.road.martlet("feedback", "show", app.identifier, "--json")
            let summary = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
            var sums: [String: Double] = [:]
            for total in summary?["totals"] as? [[String: Any]] ?? [] {
                if let key = total["key"] as? String { sums[key, default: 0] += total["sum"] as? Double ?? 0 }
            }
            return sums.filter { wanted[$0.key] != nil } == wanted
        }
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
