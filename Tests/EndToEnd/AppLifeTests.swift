import Foundation
import Testing
import Waiting

/// An app's life on a device: installed, updated, taken over, removed.
///
/// A01, C05, C07, S0-GEN-02 (in-house apps that the server hosts), S1-MGD-01.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AppLifeTests {
    /// S4-PLAT-02, S4-PLAT-03: from the developer's directory to the first title that the app shows, which is never nil.
    @Test func aRequiredAppIsInstalledAndConfiguredFromItsFirstMomentOn() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            #expect(try await road.listedApp() == nil)
            try await developer.configure("Autumn")
            try await developer.publish("1.0")
            try await developer.viewer.assign()
            // As soon as it can be opened at all.
            let app = try await firstOpening(of: developer.viewer)
            #expect(try await app.line(containing: "viewer 1.0 with 1.0").text.isEmpty == false)
            #expect(try await app.line(containing: "title: ").text == "title: Autumn")
            let listed = try await road.listedApp()
            #expect(listed?["isManaged"] as? Bool == true)
            // Whichever of both: it depends on where the tests run.
            #expect(listed?["isImmutable"] is Bool)
            try await road.shown("managed")
            try await eventually("one version lies there") { try road.managedApps().count == 1 }
            try await eventually("no download is left") { try downloads(road).isEmpty }
        }
    }

    /// The newer version is there for the next launch; what runs of the older runs on, hears of changes, and takes its
    /// directory with it when it ends.
    @Test func anUpdateTakesThePlaceOfTheOldVersionWithoutDisturbingIt() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.9")
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.9")
            let old = try developer.viewer.open()
            _ = try await old.line(containing: "title: Autumn")
            try await developer.publish("1.10")
            try await road.appIsManaged(version: "1.10")
            let new = try developer.viewer.open()
            _ = try await new.line(containing: "viewer 1.10 with 1.10")
            try await developer.configure("Winter")
            _ = try await old.line(containing: "title: Winter")
            _ = try await new.line(containing: "title: Winter")
            #expect(try road.managedApps().count == 2)
            old.send(SIGTERM)
            try await eventually("the old version is gone") { try road.managedApps().count == 1 }
            // Never back to an older one, whatever the manifest says.
            try await developer.publish("1.2")
            try await road.app("told why") { ($0?["updateState"] as? String) == "failed" }
            try await road.shown("older version")
            #expect(try await road.listedApp()?["version"] as? String == "1.10")
        }
    }

    @Test func anOptionalAppComesAndGoesAsTheUserLikes() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.0", install: "optional")
            try await developer.viewer.assign()
            try await road.app("optional") { $0?["state"] as? String == "optional" }
            #expect(try road.managedApps().isEmpty)
            let installed = try await road.run(
                "martlet-agent", ["app", "install", Developer.app, "--directory", road.agentDirectory])
            #expect(installed.text.contains("installed Viewer 1.0"), "\(installed)")
            let app = try developer.viewer.open("keep")
            _ = try await app.line(containing: "title: Autumn")
            let removed = try await road.run(
                "martlet-agent", ["app", "remove", Developer.app, "--directory", road.agentDirectory])
            #expect(removed.status == 0, "\(removed)")
            #expect(try await app.exit() != nil)
            try await eventually("nothing of it is left") { try road.managedApps().isEmpty }
            try await eventually("nor what it kept") { try homes(road).isEmpty }
            try await road.app("optional again") { $0?["state"] as? String == "optional" }
            try await road.shown("optional")
        }
    }

    @Test func aRequiredAppStaysWhateverTheUserSays() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.publish("1.0")
            try await road.martlet("assign", "teachers", Developer.app)
            try await road.appIsManaged(version: "1.0")
            let refused = try await road.run(
                "martlet-agent", ["app", "remove", Developer.app, "--directory", road.agentDirectory])
            #expect(refused.status == 1 && refused.text.contains("it stays"), "\(refused)")
            // Nor does it stay away when somebody removes its files.
            for name in try road.managedApps() {
                try FileManager.default.removeItem(atPath: road.agentDirectory + "/managed-apps/" + name)
            }
            try await road.stop(try road.agent)
            try await road.startAgent()
            try await road.appIsManaged(version: "1.0")
        }
    }

    /// S4-PLAT-04, S0-MDM-06, S1-MGD-04: what the user has put there is not managed and told nothing; managed where it is,
    /// the same process is told, and it stays when that ends.
    @Test func anAppThatIsThereAlreadyIsTakenOverWhileItRuns() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try developer.layOut(road.home.appending(path: "apps/Viewer.app"), version: "0.9")
            try await road.enroll()
            try await developer.configure("Autumn")
            let app = try developer.viewer.open()
            _ = try await app.line(containing: "title: nil")
            #expect(try await road.listedApp()?["isManaged"] as? Bool == false)
            try await developer.viewer.assign()
            _ = try await app.line(containing: "title: Autumn")
            try await road.app("managed") { $0?["isManaged"] as? Bool == true }
            try await road.martlet("unassign", "teachers", Developer.app)
            _ = try await app.line(after: 2, "that it is not managed") { $0 == "title: nil" }
            try await road.app("not managed") { $0?["isManaged"] as? Bool == false }
            #expect(app.isRunning)
        }
    }

    /// Software that knows nothing of packages of ours: by Debian's package and path.
    @Test func softwareThatDebianInstalledIsTakenOver() async throws {
        try await Road.with { road in
            let owner = try await road.shell("dpkg -S \"$(readlink -f /usr/bin/python3)\"")
            let parts = owner.split(separator: " ").map(String.init)
            let (package, path) = (try #require(parts.first).prefix { $0 != ":" }, try #require(parts.last))
            let python = RoadApp(road: road, identifier: "org.python.interpreter")
            try await road.martlet("app", "create", python.identifier, "--name", "Python")
            try await road.martlet(
                "app", "source", "set", python.identifier, "--platform", "linux", "--installed",
                "--composed-identifier", "\(python.identifier) {debian \(package) \(path)}")
            try await python.configure(json: #"{"title": "Autumn"}"#)
            try await road.enroll()
            try await python.assign()
            try await road.synchronised()
            let script = try String(contentsOf: Developer.script, encoding: .utf8).replacing("{beside()}", with: "")
            let app = try python.open("-c", script)
            _ = try await app.line(containing: "title: Autumn")
            try await road.martlet("unassign", "teachers", python.identifier)
            _ = try await app.line(containing: "title: nil")
        }
    }

    /// What management has installed goes with it: processes, files, what it kept, also what it started and left.
    @Test(arguments: ["unassign", "unenroll", "withdraw"])
    func anAppGoesWithItsConfiguration(by way: String) async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.0")
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.0")
            let app = try developer.viewer.open("keep", "leave-child")
            _ = try await app.line(containing: "title: Autumn")
            let child = try #require(
                Int32(try await app.line(containing: "child: ").text.split(separator: " ").last ?? ""))
            switch way {
            case "unassign": try await road.martlet("unassign", "teachers", Developer.app)
            case "unenroll":
                let left = try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory])
                #expect(left.status == 0, "\(left)")
            default: try await road.martlet("device", "withdraw", road.udid, "--yes")
            }
            #expect(try await app.exit() != nil)
            try await eventually("nothing of it is left") { try road.managedApps().isEmpty }
            try await eventually("nor what it kept") { try homes(road).isEmpty }
            try await road.app("listed no more") { $0 == nil }
            if Road.appsHaveUsers {
                try await eventually("what it has started ends as well") { !Self.runs(child) }
            } else {
                kill(child, SIGKILL)
            }
        }
    }

    /// The fleet's trust is the administrator's word at the moment of the installation.
    @Test func aPackageWhoseTeamIsNotTrustedAnyMoreIsRefusedUntilItIsAgain() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await developer.publish("1.0")
            let text = try await road.martlet("team", "list", "--json")
            let teams = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
            let fingerprint = try #require(teams.first?["fingerprint"] as? String)
            try await road.martlet("team", "remove", fingerprint)
            try await road.enroll()
            try await road.martlet("assign", "teachers", Developer.app)
            try await road.app("refused") { $0?["state"] as? String == "failed" }
            try await road.shown("Error.InvalidCodeSignature")
            #expect(try road.managedApps().isEmpty)
            try await road.martlet("team", "add", road.home.appending(path: "team.pem").path)
            try await road.appIsManaged(version: "1.0")
        }
    }

    /// The agent reports a full disk, keeps everything, and recovers by itself.
    @Test(.enabled(if: geteuid() == 0, "only root may mount")) func aFullDiskIsReportedAndGotOver() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await road.enroll()
            try await developer.configure("Autumn")
            try await developer.publish("1.0")
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.0")
            try await road.stop(try road.agent)
            let place = road.agentDirectory + "/managed-apps"
            try await road.shell(
                """
                cp -a '\(place)' kept && mount -t tmpfs -o size=24m,mode=711 none '\(place)' && cp -a kept/. '\(place)' &&
                head -c 20m /dev/zero > '\(place)/.filler'
                """)
            do {
                // The agent removes what no state names when it starts; then the disk is filled again. A file has lost
                // its name a moment before its blocks are free.
                try await road.startAgent()
                try await eventually("swept") {
                    let disk = try FileManager.default.attributesOfFileSystem(forPath: place)
                    return try #require(disk[.systemFreeSize] as? Int) > 21 << 20
                }
                try await road.shell("head -c 20m /dev/zero > '\(place)/.filler'")
                try await developer.publish("2.0", bytes: 3_000_000)
                try await road.app("told why") { $0?["updateState"] as? String == "failed" }
                try await road.shown("not enough space")
                let app = try developer.viewer.open()
                _ = try await app.line(containing: "viewer 1.0 with 1.0")
                try await road.shell("rm '\(place)/.filler'")
                try await road.appIsManaged(version: "2.0")
            } catch {
                _ = try? await road.shell("umount -l '\(place)'")
                throw error
            }
            try await road.shell("umount -l '\(place)'")
        }
    }

    // MARK: -

    private func firstOpening(of app: RoadApp) async throws -> RunningProcess {
        // Where it is not there yet the command ends.
        try await eventually("the app opens") { () -> RunningProcess? in
            let opened = try app.open()
            return try await opened.lineOrEnd("its first word") { $0.hasPrefix("viewer ") } != nil ? opened : nil
        }
    }

    /// One that was killed may wait for its parent to notice.
    private static func runs(_ process: Int32) -> Bool {
        guard let file = FileHandle(forReadingAtPath: "/proc/\(process)/stat"), let data = try? file.readToEnd() else {
            return false
        }
        return !String(decoding: data, as: UTF8.self).contains(") Z ")
    }

    private func homes(_ road: Road) throws -> [String] {
        guard Road.appsHaveUsers else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: road.agentDirectory + "/app-homes")
    }

    private func downloads(_ road: Road) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: road.agentDirectory + "/downloads")
    }
}
