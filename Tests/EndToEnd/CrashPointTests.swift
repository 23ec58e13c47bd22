import Foundation
import Testing

/// `kill -9` once at every write, sync, rename and removal of the stores, in the real processes.
///
/// What was acknowledged is there afterwards, nothing is torn, and what was begun can be finished. `make soak` tries every
/// point, and every write once more torn in its middle; the quick suite tries a few.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(240)))
struct CrashPointTests {
    /// The server while a device synchronizes, answers commands, reports, leaves and enrolls anew.
    @Test func theServerRecoversFromAnEndAtEachPoint() async throws {
        try await sweep([.configure, .command, .refuse, .enroll], quick: 3) { road, crash in
            guard let crash else { return try await road.startServer() }
            try await road.stop(try road.server)
            _ = try road.launchServer(crash)
        } victim: {
            try $0.server
        } directory: {
            $0.serverDirectory
        }
    }

    /// The agent while it synchronizes, executes commands, and hears from the app and reports.
    @Test func theAgentRecoversFromAnEndAtEachPoint() async throws {
        try await sweep([.configure, .command, .refuse], quick: 5) { road, crash in
            guard let crash else { return try await road.startAgent() }
            try await road.stop(try road.agent)
            _ = try road.launchAgent(crash)
        } victim: {
            try $0.agent
        } directory: {
            $0.agentDirectory
        }
    }

    /// The same command with the same code finishes an enrollment that was cut off anywhere.
    @Test func anEnrollmentIsFinishedAfterAnEndAtEachPoint() async throws {
        try await Road.with { road in
            func enroll(
                _ name: String, at number: Int, tears: Bool = false
            ) async throws -> (ended: Bool, calls: [String]) {
                let directory = road.home.appending(path: "cut-\(name)").path
                let crash = CrashPoint(
                    number, of: directory, tears: tears, log: road.home.appending(path: "points"))
                let code = try await road.enrollmentCode()
                let first = try await road.run(
                    "martlet-agent", road.enrollment(code: code, directory: directory), crash: crash)
                let udid = try await road.enroll(code: code, directory: directory)
                #expect(first.status != 0 || first.text.contains(udid))
                #expect(try await road.martlet("device", "show", udid).contains("enrolled"))
                return (first.status != 0, crash.calls)
            }
            let (ended, calls) = try await enroll("nowhere", at: 0)
            try #require(!ended && calls.count > 20)
            for number in CrashPoint.points(upTo: calls.count, quick: 4) {
                CrashPoint.tell(number, of: calls.count, "enrollment")
                let cut = try await enroll("\(number)", at: number)
                #expect(cut.ended)
                guard CrashPoint.canTear(cut.calls.last) else { continue }
                #expect(try await enroll("\(number)-torn", at: number, tears: true).ended)
            }
        }
    }

    // MARK: A process that runs on

    /// For each point: starts the process so that it ends there, has every operation performed meanwhile, and has it
    /// started again as soon as it has ended.
    private func sweep(
        _ operations: [Workload.Operation], quick: Int,
        start: @escaping @Sendable (Road, CrashPoint?) async throws -> Void,
        victim: @escaping @Sendable (Road) throws -> RunningProcess, directory: (Road) -> String
    ) async throws {
        try await Workload.with { workload in
            let road = workload.road
            let log = road.home.appending(path: "points")
            let place = directory(road)
            /// Answers whether the process ended at the point, and the points that there were.
            func round(_ number: Int, tears: Bool) async throws -> (ended: Bool, calls: [String]) {
                let crash = CrashPoint(number, of: place, tears: tears, log: log)
                try await start(road, crash)
                let process = try victim(road)
                let again = Task {
                    let status = try await process.exit()
                    try await start(road, nil)
                    return status
                }
                do {
                    for operation in operations { try await workload.perform(operation) }
                } catch {
                    again.cancel()
                    throw Road.Broken(description: "point \(number) (\(crash.calls.last ?? "none")): \(error)")
                }
                process.send(SIGTERM)
                let status = try await again.value
                try await workload.settle()
                return (status == -SIGKILL, crash.calls)
            }
            // Nothing is cut off in the first round: it counts. Rounds differ a little, so a few points lie behind the end.
            let (ended, calls) = try await round(0, tears: false)
            try #require(!ended && calls.count > 20)
            var ends = 0
            let points = CrashPoint.points(upTo: calls.count, quick: quick)
            for number in points {
                CrashPoint.tell(number, of: calls.count, URL(filePath: place).lastPathComponent)
                let cut = try await round(number, tears: false)
                if cut.ended { ends += 1 }
                if CrashPoint.canTear(cut.calls.last) { _ = try await round(number, tears: true) }
            }
            #expect(
                ends >= CrashPoint.fewest(of: points.count, ofTen: 9), "of \(points.count) points \(ends) were reached")
        }
    }
}
