import Foundation
import Synchronization
import Testing
import Waiting

/// What a running app makes of a configuration that nobody has been given yet.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct TrialTests {
    /// The app's own decoder judges, and nothing of the app changes.
    @Test func aRunningAppTriesWhatNobodyWasGiven() async throws {
        try await withLandmarks { road, app in
            let mark = app.mark
            let refused = try await attempt(#"{"managedCollection": {"landmarks": [1001, 7]}}"#, on: road)
            #expect(refused.status == 4, "\(refused)")
            for line in [
                "refuses the configuration", "code", "100", "unknownLandmark", "managedCollection.landmarks",
                "LandmarksManagedConfig", "Nothing was changed",
            ] {
                #expect(refused.text.contains(line), "\(line) in \(refused.text)")
            }
            let pin = try await attempt(#"{"assetURL": "http://hunter2.example"}"#, on: road, "--json")
            #expect(pin.status == 4 && pin.text.contains(#""code" : 101"#), "\(pin)")
            #expect(!pin.text.contains("hunter2"))
            let good = try await attempt(#"{"managedCollection": {"title": "Untold", "landmarks": [1001]}}"#, on: road)
            #expect(good.status == 0 && good.text.contains("accepts the configuration"), "\(good)")

            // What came before what is configured now would have been seen by then.
            try await road.configure("Rivers")
            let next = try await app.line(after: mark, "anything new") { !$0.isEmpty }
            #expect(!app.output.contains { $0.text.contains("Untold") })
            _ = try await app.line(containing: "Rivers", after: next.index - 1)
            try await road.synchronised()
            let shown = try await road.deviceShown()
            #expect(!shown.contains("unknownLandmark") && !shown.contains("invalidAssetURL"), "\(shown)")
            #expect(!road.logs.contains("hunter2"), "a value was logged")
            let audit = try await road.martlet("audit", "list", "--json")
            #expect(audit.contains("configuration.try") && !audit.contains("hunter2") && !audit.contains("Untold"))
        }
    }

    /// The specification speaks beside the app, and does not decide.
    @Test func theSpecificationSpeaksBesideTheApp() async throws {
        try await withLandmarks { road, _ in
            try await road.martlet("app", "specification", "set", Road.app, Self.landmarks)
            let tried = try await attempt(#"{"managedCollection": {"landmarks": [1001], "x": 1}, "y": 2}"#, on: road)
            #expect(tried.status == 0 && tried.text.contains("warning: y: is not a key"), "\(tried)")
            let wrong = try await attempt(#"{"managedCollection": {"landmarks": [7]}}"#, on: road)
            #expect(wrong.text.contains("specification: managedCollection.landmarks[0]"), "\(wrong)")
            #expect(wrong.text.contains("unknownLandmark"), "\(wrong)")
            for line in ["remedy", "1001 to 1012", "the app's specification of version 1.0"] {
                #expect(wrong.text.contains(line), "\(line) in \(wrong.text)")
            }
        }
    }

    /// Each reason for which nothing comes of it, with what to do.
    @Test func whatCannotBeTriedIsSaidWithWhatToDo() async throws {
        try await Road.with { road in
            try await road.configure("Parks")
            try await road.enroll()
            try await road.synchronised()
            let candidate = #"{"managedCollection": {"title": "Lakes"}}"#
            func expect(_ words: String..., options: [String] = []) async throws {
                let tried = try await attempt(candidate, on: road, options)
                #expect(tried.status == 1, "\(tried)")
                for word in words { #expect(tried.text.contains(word), "\(word) in \(tried.text)") }
            }
            try await expect("does not manage the app", "martlet assign")
            try await road.assign()
            try await road.synchronised()
            try await expect("does not run on the device", "martlet-agent open")
            try await expect(
                "not installed", "martlet device apps", options: ["--extension", "com.example.landmarks.none"])
            let unknown = try await road.run(
                "martlet", ["configuration", "try", Road.app, "nobody", "--file", try file(candidate, road)])
            #expect(unknown.status == 3, "\(unknown)")
            let template = try await attempt(#"{"managedCollection": {"title": "${person.email}"}}"#, on: road)
            #expect(template.status == 1 && template.text.contains("no value for ${person.email}; nothing was sent"))
        }
    }

    /// It ran never, and it is nowhere any more.
    @Test func aDeviceThatIsNotThereNeverRunsIt() async throws {
        try await withLandmarks { road, app in
            try await road.stop(try road.agent)
            let mark = app.mark
            let tried = try await attempt(
                #"{"managedCollection": {"title": "Secret Lakes"}}"#, on: road, within: "2s")
            #expect(tried.status == 1, "\(tried)")
            #expect(tried.text.contains("did not answer within 2s") && tried.text.contains("will not run"), "\(tried)")
            #expect(try await kept(by: road) == [0], "the candidate is kept")
            try await road.startAgent()
            try await road.configure("Rivers")
            _ = try await app.line(containing: "Rivers", after: mark)
            try await road.synchronised()
            #expect(!road.logs.contains("an app tried a configuration"))
            let commands = try await road.martlet("device", "commands", road.udid)
            #expect(commands.contains("dev.martlet.TryConfiguration") && commands.contains("cancelled"), "\(commands)")
        }
    }

    /// The caller and the server are gone, and the kept configuration is deleted when its time is over.
    @Test func aServerThatWasKilledForgetsWhatNobodyWaitsFor() async throws {
        try await withLandmarks { road, _ in
            try await road.stop(try road.agent)
            let candidate = try file(#"{"managedCollection": {"title": "Secret Lakes"}}"#, road)
            async let tried = road.run(
                "martlet", ["configuration", "try", Road.app, road.udid, "--file", candidate, "--timeout", "60s"])
            try await eventually("the candidate is kept") { try await kept(by: road).contains { $0 > 0 } }
            try road.server.killNow()
            #expect(try await tried.status != 0)
            // As if the server had been away until its time was over.
            _ = try await inStore(of: road, "UPDATE command SET expires = created WHERE \(Self.trials)")
            try await road.startServer()
            try await eventually("it is forgotten") { try await kept(by: road) == [0] }
            try await road.startAgent()
            try await road.synchronised()
            #expect(!road.logs.contains("an app tried a configuration"))
        }
    }

    /// A decoder that never returns fails only its own trial; the answer reports a decoder that ends its app.
    @Test func aDecoderThatNeverReturnsOrEndsItsAppIsSaid() async throws {
        try await Road.with { road in
            let strict = try await RoadApp.installed("EchoApp", as: "com.example.strict", on: road)
            let fine =
                "<key>com.example.name</key><string>Anna</string><key>retries</key><integer>3</integer>"
                + "<key>identifier</key><string>00000000-0000-0000-0000-000000000001</string>"
            try await strict.configure(dictionary: fine)
            try await strict.assign()
            try await road.enroll()
            try await road.synchronised()
            let app = try strict.open("strict")
            _ = try await app.line(containing: "value Anna 3")
            let mark = app.mark
            let spin = try file(#"{"mode": "spin"}"#, road)
            let tried = try await road.run(
                "martlet",
                ["configuration", "try", strict.identifier, road.udid, "--file", spin, "--timeout", Road.longest])
            #expect(tried.status == 4 && tried.text.contains("time limit"), "\(tried)")
            try await strict.configure(dictionary: fine.replacing("Anna", with: "Berta"))
            let next = try await app.line(after: mark, "the next value") { !$0.isEmpty }
            #expect(next.text == "value Berta 3")
            let crash = try file(#"{"mode": "crash"}"#, road)
            let crashed = try await road.run(
                "martlet",
                ["configuration", "try", strict.identifier, road.udid, "--file", crash, "--timeout", Road.longest])
            #expect(crashed.status == 1 && crashed.text.contains("the app ended while it tried"), "\(crashed)")
        }
    }

    // MARK: help

    private static let landmarks = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Landmarks/specification.json").standardizedFileURL.path

    private func withLandmarks(_ body: (Road, RunningProcess) async throws -> Void) async throws {
        try await Road.with { road in
            try await road.configure("Parks")
            try await road.assign()
            try await road.enroll()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Parks")
            try await road.synchronised()
            try await body(road, app)
        }
    }

    private func file(_ json: String, _ road: Road) throws -> String {
        let file = road.home.appending(path: "candidate-\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        return file.path
    }

    private func attempt(
        _ json: String, on road: Road, within time: String = Road.longest, _ options: String...
    ) async throws -> (status: Int32, text: String) {
        try await attempt(json, on: road, within: time, options)
    }

    private func attempt(
        _ json: String, on road: Road, within time: String = Road.longest, _ options: [String]
    ) async throws -> (status: Int32, text: String) {
        let candidate = try file(json, road)
        return try await road.run(
            "martlet",
            ["configuration", "try", Road.app, road.udid, "--file", candidate, "--timeout", time] + options)
    }

    private static let trials = "request_type LIKE 'dev.martlet.%'"

    /// How many bytes each trial's command has in the server's store.
    private func kept(by road: Road) async throws -> [Int] {
        try await inStore(of: road, "SELECT length(document) FROM command WHERE \(Self.trials)")
    }

    /// The numbers that a statement finds in the server's store.
    private func inStore(of road: Road, _ statement: String) async throws -> [Int] {
        let script = """
            import sqlite3
            store = sqlite3.connect("\(road.serverDirectory)/martlet.sqlite", timeout=10)
            with store:
                for row in store.execute("\(statement)"):
                    print(row[0])
            """
        let python = try RunningProcess(
            "python3", URL(filePath: "/usr/bin/python3"), ["-c", script], environment: [:])
        #expect(try await python.exit() == 0)
        try await python.drained()
        return python.output.compactMap { Int($0.text) }
    }
}

extension Road {
    /// What server and agent have said so far.
    fileprivate var logs: String {
        processes.withLock { $0 }.filter { $0.name.hasPrefix("martlet-") }.flatMap { $0.output.map(\.text) }
            .joined(separator: "\n")
    }
}
