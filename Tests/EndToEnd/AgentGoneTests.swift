import Foundation
import Testing
import Waiting

/// What a running app notices when its agent is idle, stopped or gone.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AgentGoneTests {
    /// S4-API-19: an idle loop costs nothing.
    ///
    /// The kernel's counter of processor time and strace say so. What Dispatch itself does, once a second, takes a part
    /// of a tick of that counter.
    @Test func anIdleAppMakesNoSystemCallAndUsesNoProcessorTime() async throws {
        try await withConfiguredApp { road, app in
            let process = try #require(try road.landmarksProcesses().first)
            // Start-up work of the runtime ends first.
            try await settled(process)
            let trace = road.home.appending(path: "trace.txt").path
            let tracer = try RunningProcess(
                "strace", URL(filePath: "/usr/bin/strace"),
                ["-f", "-qq", "-o", trace, "-p", "\(process)"], environment: [:])
            try await eventually("each thread is traced") { try isTraced(process) }
            // To be traced takes time as well.
            try await settled(process)
            let before = try CPUTime(of: process)
            // Nothing is to happen meanwhile.
            try await Task.sleep(for: .seconds(10))
            let after = try CPUTime(of: process)
            tracer.send(SIGINT)
            _ = try await tracer.exit()
            #expect(after.ticks - before.ticks <= 1)
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").filter(isOfTheApp)
            #expect(calls.isEmpty, "system calls while idle: \(calls.prefix(5))")

            // The loop is still alive, so the quiet was not death.
            let mark = app.mark
            try await road.configure("Still here")
            _ = try await app.line(containing: "Managed Collection: Still here", after: mark)
        }
    }

    /// Waits until a process has used no processor time for a while.
    private func settled(_ process: Int32) async throws {
        try await eventually("the app rests") { () -> Bool in
            let used = try CPUTime(of: process)
            try await Task.sleep(for: .seconds(3))
            return try CPUTime(of: process) == used
        }
    }

    private func isTraced(_ process: Int32) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").allSatisfy { thread in
            // One that has ended meanwhile is none.
            let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
            return status?.contains("TracerPid:\t0\n") != true
        }
    }

    /// S4-API-18: the loop outlives a restart of the agent and delivers what changed meanwhile.
    @Test func theLoopOutlivesARestartOfTheAgent() async throws {
        try await withConfiguredApp { road, app in
            let process = try road.landmarksProcesses()
            let mark = app.mark
            try road.agent.killNow()
            try await road.configure("After the restart")
            try await road.startAgent()
            _ = try await app.line(containing: "Managed Collection: After the restart", after: mark)
            #expect(try road.landmarksProcesses() == process)
            // An agent that goes away takes nothing from the app: no view was drawn without the collection.
            #expect(!app.output.dropFirst(mark).contains { isAnEmptyView($0.text) })
        }
    }

    /// S4-API-18, S4-API-21, S4-API-24: a stopped agent neither ends the loop nor takes the value away.
    @Test func aStoppedAgentTakesNothingFromTheRunningApp() async throws {
        try await withConfiguredApp { road, app in
            let mark = app.mark
            try road.agent.freeze()
            try await road.configure("While stopped")
            // Nothing is to come, however long one waits.
            try await Task.sleep(for: .seconds(1))
            #expect(app.output.dropFirst(mark).allSatisfy { !isAView($0.text) })
            try road.agent.send(SIGCONT)
            _ = try await app.line(containing: "Managed Collection: While stopped", after: mark)
        }
    }

    /// S4-FLOW-01: unenrolled, the app's configuration leaves with the enrollment.
    @Test func withdrawingTheDeviceTakesTheConfigurationFromTheApp() async throws {
        try await withConfiguredApp { road, app in
            let mark = app.mark
            try await road.martlet("device", "withdraw", road.udid, "--yes")
            _ = try await app.line(
                after: mark, "a view without a collection", where: isAnEmptyView)
        }
    }

    private func withConfiguredApp(_ body: (Road, RunningProcess) async throws -> Void) async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Quiet")
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Quiet")
            try await body(road, app)
        }
    }
}

/// Whether a traced system call is the app's or the library's.
///
/// Two kinds are not: calls that were already waiting when the tracer came, and those of Dispatch itself, which on
/// Linux looks at its pools once a second from a thread of its own in every program that ever ran a task, and lets
/// idle threads of the pool end.
private func isOfTheApp(_ line: Substring) -> Bool {
    let call = line.drop { $0.isNumber || $0 == " " }
    let ofTheRuntime = [
        "timerfd_settime(", "epoll_ctl(", "epoll_wait(", "rt_sigprocmask(", "madvise(", "munmap(", "exit(",
    ]
    return !call.hasPrefix("<...") && !call.hasPrefix("+++") && !call.hasPrefix("---")
        && !call.contains("<unfinished ...>") && !call.contains("<detached") && !call.hasPrefix("restart_syscall")
        && call.contains(" = ")
        && !ofTheRuntime.contains { call.hasPrefix($0) }
}

/// Processor time a process has used, in clock ticks, user and system.
struct CPUTime: Equatable {
    let user: Int
    let system: Int

    var ticks: Int { user + system }

    init(of process: Int32) throws {
        let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
        user = try #require(Int(fields[11]))
        system = try #require(Int(fields[12]))
    }
}
