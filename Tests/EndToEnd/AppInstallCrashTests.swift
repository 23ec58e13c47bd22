import Foundation
import Testing
import Waiting

/// `kill -9` of the agent at every write, sync, rename and removal while an app is updated, removed and installed.
///
/// Whenever it ends, what is there is the old version or the new one, whole, or no app; what was begun is finished, and
/// nothing is left over. `make soak` tries every point, the quick suite a few.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(240)))
struct AppInstallCrashTests {
    @Test func anAppIsTheOldVersionOrTheNewOneWhereverTheAgentEnds() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1")
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1")
            var version = 1

            /// Answers whether the agent ended at the point, and the points that there were.
            func round(_ number: Int) async throws -> (ended: Bool, calls: [String]) {
                try await road.stop(try road.agent)
                let crash = CrashPoint(
                    number, of: road.agentDirectory, log: road.home.appending(path: "points"))
                let process = try road.launchAgent(crash)
                let before = version
                version += 1
                let again = Task {
                    let status = try await process.exit()
                    try whole(road, [before, before + 1])
                    try await road.startAgent()
                    return status
                }
                do {
                    try await developer.publish("\(version)", bytes: 40_000)
                    try await settled("\(version)", road)
                    try await road.martlet("unassign", "teachers", Developer.app)
                    try await eventually("the app is gone") { () -> Bool in
                        let (isAnswered, app) = await listed(road)
                        return isAnswered && app == nil
                    }
                    try await developer.viewer.assign()
                    try await settled("\(version)", road)
                } catch {
                    again.cancel()
                    throw Road.Broken(description: "point \(number) (\(crash.calls.last ?? "none")): \(error)")
                }
                process.send(SIGTERM)
                let status = try await again.value
                try await settled("\(version)", road)
                let app = try developer.viewer.open()
                _ = try await app.line(containing: "viewer \(version) with \(version)")
                _ = try await app.line(containing: "title: Autumn")
                app.killNow()
                let downloads = road.agentDirectory + "/downloads"
                let names = { (try? road.managedApps()) ?? [] }
                try await eventually("one directory, but \(names())") { try road.managedApps().count == 1 }
                try await eventually("no download is left") {
                    try FileManager.default.contentsOfDirectory(atPath: downloads).isEmpty
                }
                return (status == -SIGKILL, crash.calls)
            }
            let (ended, calls) = try await round(0)
            try #require(!ended && calls.count > 20)
            var ends = 0
            let points = CrashPoint.points(upTo: calls.count, quick: 5)
            for number in points {
                CrashPoint.tell(number, of: calls.count, "installation")
                if try await round(number).ended { ends += 1 }
            }
            #expect(
                ends >= CrashPoint.fewest(of: points.count, ofTen: 8), "of \(points.count) points \(ends) were reached")
        }
    }

    /// Every directory that has an app's name is a whole version: the script and the file beside it are of one.
    private func whole(_ road: Road, _ versions: [Int]) throws {
        for name in try road.managedApps() where !name.hasPrefix(".") {
            let place = road.agentDirectory + "/managed-apps/" + name
            // One that is being removed may have lost files already; the agent no longer names it.
            guard let part = try? String(contentsOfFile: place + "/Resources/part.txt", encoding: .utf8),
                let script = try? String(contentsOfFile: place + "/viewer", encoding: .utf8)
            else { continue }
            let version = part.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(versions.map(String.init).contains(version))
            #expect(script.contains("VERSION = \"\(version)\""))
        }
    }

    /// The app as the agent lists it, if an agent answers.
    private func listed(_ road: Road) async -> (isAnswered: Bool, app: [String: Any]?) {
        do {
            return (true, try await road.listedApp())
        } catch {
            return (false, nil)
        }
    }

    private func settled(_ version: String, _ road: Road) async throws {
        var app: [String: Any]?
        try await eventually("version \(version), but \(String(describing: app))") { () -> Bool in
            app = await listed(road).app
            return app?["state"] as? String == "managed" && app?["version"] as? String == version
        }
    }
}
