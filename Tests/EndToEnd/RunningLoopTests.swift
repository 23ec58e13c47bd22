import Foundation
import Testing

/// An app's loop and its main actor, through everything that can happen around them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct RunningLoopTests {
    /// S4-API-18: alive after a restart of the agent, a lost network and the end of management; ended by cancellation.
    @Test func theLoopEndsOnlyWhenItsTaskIsCancelled() async throws {
        try await withEcho { echo, road in
            let directory = try road.signals()
            try road.signal("begin")
            let app = try echo.open("any", directory)
            try await expectNext(#"value {"text":"first"}"#, from: app, after: 0)

            // A new agent, and a change that came in between.
            var mark = app.mark
            try road.agent.killNow()
            try await echo.configure(text: "new agent")
            try await road.startAgent()
            try await expectNext(#"value {"text":"new agent"}"#, from: app, after: mark)

            // No server for a while.
            mark = app.mark
            try road.server.killNow()
            try await app.ticks(10)
            try await road.startServer()
            try await echo.configure(text: "server again")
            try await expectNext(#"value {"text":"server again"}"#, from: app, after: mark)

            // Managed no longer, and again.
            mark = app.mark
            try await road.martlet("unassign", "teachers", echo.identifier)
            try await expectNext("nil", from: app, after: mark)
            mark = app.mark
            try await echo.assign()
            try await expectNext(#"value {"text":"server again"}"#, from: app, after: mark)
            #expect(!app.output.contains { $0.text.contains("ended") })
            #expect(try road.appProcesses(under: "").count == 1)

            mark = app.mark
            try road.signal("end")
            _ = try await app.line(containing: "the loop has ended", after: mark)
        }
    }

    /// S4-API-21, S4-API-24: the main actor ticks on while the agent is stopped and while there is none.
    ///
    /// In both cases from before the loop begins; the value comes with the agent, S4-API-20: however late that is.
    @Test(arguments: [true, false])
    func theMainActorTicksWhileTheAgentDoesNotAnswer(isStopped: Bool) async throws {
        try await withEcho { echo, road in
            let app = try echo.open("any", try road.signals())
            try await app.ticks(2)
            if isStopped { try road.agent.freeze() } else { try road.agent.killNow() }
            try road.signal("begin")
            // Nobody answers a loop that has just begun: nil after a patience of two seconds, and the ticks go on.
            try await expectNext("nil", from: app, after: 0)
            try await app.ticks(2)
            try app.expectSteadyTicks(after: 0)
            if isStopped {
                try road.agent.send(SIGCONT)
            } else {
                try await road.startAgent()
            }
            _ = try await app.line(containing: #"value {"text":"first"}"#)

            // The same in the middle of a loop: nothing is taken away.
            let mark = app.mark
            if isStopped { try road.agent.freeze() } else { try road.agent.killNow() }
            try await app.ticks(60)
            try app.expectSteadyTicks(after: mark)
            #expect(!app.output.dropFirst(mark).contains { isAnElement($0.text) })
            if isStopped { try road.agent.send(SIGCONT) } else { try await road.startAgent() }
            try await echo.configure(text: "second")
            try await expectNext(#"value {"text":"second"}"#, from: app, after: mark)
        }
    }

    private func expectNext(_ element: String, from app: RunningProcess, after mark: Int) async throws {
        let line = try await app.line(after: mark, element, where: isAnElement)
        #expect(line.text == element)
    }

    private func withEcho(_ body: (RoadApp, Road) async throws -> Void) async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(text: "first")
            try await echo.assign()
            try await road.enroll()
            try await road.synchronised()
            try await body(echo, road)
        }
    }
}

extension RoadApp {
    fileprivate func configure(text: String) async throws {
        try await configure(dictionary: "<key>text</key><string>\(text)</string>")
    }
}

extension Road {
    /// The directory in which the echo app looks for what it is to do.
    fileprivate func signals() throws -> String {
        let directory = home.appending(path: "signals")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.path
    }

    fileprivate func signal(_ name: String) throws {
        try Data().write(to: URL(filePath: try signals()).appending(path: name))
    }
}

extension RunningProcess {
    /// Waits until the app's main actor has ticked so often again.
    fileprivate func ticks(_ count: Int) async throws {
        let soFar = output.count { $0.text.hasPrefix("tick ") }
        _ = try await line(containing: "tick \(soFar + count)")
    }

    /// The main actor never paused for as long as an agent is waited for, by the beats of another thread of the app:
    /// thirty are a second and a half, or more where the machine is busy.
    fileprivate func expectSteadyTicks(after mark: Int) throws {
        let beats = output.dropFirst(mark).filter { $0.text.hasPrefix("tick ") }.compactMap {
            $0.text.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
        }
        let most = try #require(beats.max())
        #expect(most < 30, "the main actor was held up for \(most) beats")
    }
}
