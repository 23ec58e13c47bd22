import Foundation
import Testing
import Waiting

/// A directory whose `Info.plist` cannot be used as an app's is left out with its reason, never in silence.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct UnusableAppTests {
    /// The agent's log, `app list`, `status` and `open` each give the reason; `open` of no app names where it was looked for.
    @Test func anAppThatCannotBeUsedIsShownWithItsReason() async throws {
        try await Road.with { road in
            let later = road.home.appending(path: "later")
            try await road.startAgent("--apps", later.path)
            let agent = try road.agent
            let missing = "a directory of apps does not exist: it is watched until it appears"
            _ = try await agent.line("that \(later.path) is missing") { text in
                text.contains(missing) && text.contains("/later")
            }
            let app = later.appending(path: "Broken.app")
            try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
            let information = ["CFBundleIdentifier": "com.example.broken", "CFBundleExecutable": "../Broken"]
            try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
                .write(to: app.appending(path: "Info.plist"), options: .atomic)
            let reason = "CFBundleExecutable in Info.plist is not the name of a file in the app's own directory"
            let warned = try await agent.line(containing: reason)
            #expect(warned.text.contains("warning") && warned.text.contains("/later/Broken.app"))
            // Red: a directory of that name without Info.plist appeared nowhere.
            try FileManager.default.createDirectory(
                at: later.appending(path: "Empty.app"), withIntermediateDirectories: true)
            _ = try await agent.line("that Empty.app has no Info.plist") { text in
                text.contains("Info.plist is missing") && text.contains("/later/Empty.app")
            }

            let place = ["--directory", road.agentDirectory]
            let list = try await road.run("martlet-agent", ["app", "list"] + place)
            #expect(list.text.contains("com.example.broken  -  unusable  "), "\(list.text)")
            #expect(list.text.contains(reason), "\(list.text)")
            #expect(list.text.contains("/later/Empty.app\n    Info.plist is missing"), "\(list.text)")
            let listed = try await road.listedApp("com.example.broken")
            #expect(listed == nil, "programs find only apps among the apps")
            let status = try await road.run("martlet-agent", ["status"] + place)
            #expect(status.text.contains("unusable     ") && status.text.contains(reason), "\(status.text)")
            let broken = try await road.run("martlet-agent", ["open", "com.example.broken"] + place)
            #expect(broken.status == 1 && broken.text.contains(reason), "\(broken.text)")
            let byDirectory = try await road.run("martlet-agent", ["open", app.path] + place)
            #expect(byDirectory.status == 1 && byDirectory.text.contains(reason), "\(byDirectory.text)")
            let none = try await road.run("martlet-agent", ["open", "com.example.none"] + place)
            #expect(none.status == 1 && none.text.contains("/apps, ") && none.text.contains("/later"), "\(none.text)")
        }
    }

    /// What a device would leave out is a finding for the developer, whose app runs all the same.
    @Test func aDeveloperIsToldWhyADeviceWouldLeaveTheAppOut() async throws {
        try await Workshop.with { workshop in
            try workshop.configure("Parks")
            try workshop.write("Info.plist", "{")
            let dev = try workshop.dev(launching: [try workshop.program("Landmarks")])
            _ = try await dev.line(
                containing: "Info.plist warning: the program's directory is no app for a device: Info.plist is no")
            _ = try await dev.line(containing: "default.json accepted")
            dev.send(SIGTERM)
            #expect(try await dev.exit() == 128 + SIGTERM)
        }
    }
}
