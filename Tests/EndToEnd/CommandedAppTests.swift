import Foundation
import Testing
import Waiting

/// An app that no group is given: commands install it, configure it, ask it and remove it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct CommandedAppTests {
    /// AS-1 by commands alone: configured from its first launch on, anew while it runs, and without a configuration
    /// again; its feedback read and cleared in one step while it runs and while it is stopped; and gone in the end.
    @Test func anAppIsManagedByCommandsAlone() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await developer.publish("1.0", program: Road.binary("PageViewer"))
            try await road.enroll()
            // The device knows whose packages it may install.
            try await road.synchronised()

            let first = try write("<key>serverURL</key><string>http://localhost:2/first</string>", on: road)
            let locked = "<key>disableCloudDocumentSync</key><true/>"
            let second = try write("<key>serverURL</key><string>http://localhost:2/second</string>\(locked)", on: road)
            try await command(road, "install", "--configuration", first, "--remove-with-enrollment")
            try await listed(on: road, "managed, with its configuration") {
                $0?["Status"] as? String == "Managed" && $0?["HasConfiguration"] as? Bool == true
                    && $0?["ManagementFlags"] as? Int == 1
            }

            let buttons = Pipe()
            let app = try developer.viewer.open(input: buttons.fileHandleForReading)
            let shown = try await app.line(containing: "URL      ")
            #expect(shown.text == "URL      http://localhost:2/first", "the first that it shows is its configuration")
            for count in 1...2 {
                let mark = app.mark
                try buttons.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
                _ = try await app.line(containing: "failure  \(count)", after: mark)
            }

            var mark = app.mark
            try await command(road, "configure", second)
            _ = try await app.line(containing: "URL      http://localhost:2/second", after: mark)
            _ = try await app.line(containing: "sync     off, by your organization", after: mark)

            // To look at it takes nothing away.
            try await eventually("2 failures wait") { try await failures(road, "--keep") == 2 }
            try await listed(on: road, "with feedback that waits") { $0?["HasFeedback"] as? Bool == true }
            mark = app.mark
            #expect(try await failures(road) == 2)
            _ = try await app.line(containing: "failure  0", after: mark)

            mark = app.mark
            try await command(road, "configure", "--none")
            _ = try await app.line(containing: "URL      http://localhost:1/", after: mark)
            _ = try await app.line(containing: "sync     on", after: mark)

            mark = app.mark
            try buttons.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
            _ = try await app.line(containing: "failure  1", after: mark)
            try await eventually("1 failure waits") { try await failures(road, "--keep") == 1 }
            try buttons.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
            try await eventually("the app has ended") { !app.isRunning }
            #expect(try await failures(road) == 1)
            #expect(try await failures(road) == nil, "what was read once is not read again")
            // What was only looked at is not counted, and nothing is counted twice.
            try await eventually("the server counts 3 failures") { try await counted(road) == 3 }

            try await command(road, "remove")
            try await listed(on: road, "gone") { $0 == nil }
            try await eventually("its files are gone") { try road.managedApps().isEmpty }
        }
    }
}

extension CommandedAppTests {
    /// A configuration as a file; answers with its path.
    private func write(_ body: String, on road: Road) throws -> String {
        let file = road.home.appending(path: "\(UUID().uuidString).plist")
        try Data("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8).write(to: file)
        return file.path
    }

    /// Has the device carry out one of the commands that change the app.
    private func command(_ road: Road, _ name: String, _ options: String...) async throws {
        let line = ["device", "app", name, road.udid, Developer.app] + options + ["--wait", Road.longest]
        let (status, text) = try await road.run("martlet", line)
        guard status == 0 else { throw Road.Broken(description: "device app \(name): \(status)\n\(text)") }
    }

    /// Waits until the device says this of the app among those that it manages by command.
    private func listed(
        on road: Road, _ what: String, where condition: ([String: Any]?) -> Bool
    ) async throws {
        var last = ""
        try await eventually("the app is \(what), but \(last)") { () -> Bool in
            last = try await road.martlet("device", "app", "list", road.udid, "--wait", Road.longest, "--json")
            let apps = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
            return condition(apps?[Developer.app] as? [String: Any])
        }
    }

    /// How many pages could not be loaded, of what is read of the app.
    private func failures(_ road: Road, _ options: String...) async throws -> Int? {
        let line = ["device", "app", "feedback", road.udid, Developer.app, "--wait", Road.longest, "--json"] + options
        let (status, text) = try await road.run("martlet", line)
        guard status == 0 else { throw Road.Broken(description: "device app feedback: \(status)\n\(text)") }
        let feedback = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return feedback?["failureCount"] as? Int
    }

    /// The sum that the server has of them.
    private func counted(_ road: Road) async throws -> Double {
        let answer = try await road.martlet("feedback", "show", Developer.app, "--json")
        let summary = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
        let totals = summary?["totals"] as? [[String: Any]] ?? []
        return totals.filter { $0["key"] as? String == "failureCount" }
            .reduce(0) { $0 + ($1["sum"] as? Double ?? 0) }
    }
}
