import DeviceAgent
import Foundation
import TestInputs
import TestLog
import Testing
import Waiting

/// The agent's side of a command queue: whatever is lost, each command takes effect once and is answered once.
///
/// Three courses of 40 commands in the quick suite; `make soak` plays 40. The server's side is in `CommandCourseTests`.
@Suite(.timeLimit(.minutes(60)))
struct AgentCommandTests {
    static let seeds = CourseSeeds.commands(usually: 3)

    /// The real loop, on its own disk: requests and answers are lost, commands come again that were answered, and power is
    /// lost while a report is under way, after which an agent goes on with what the disk had confirmed.
    @Test(arguments: AgentCommandTests.seeds)
    func noCommandTakesEffectTwiceAndEachIsAnsweredAlike(seed: UInt64) async throws {
        let management = PlayedManagement()
        let queue = try PlayedCommandQueue(seed: seed, count: 40)
        try await ScriptedServer.run({ request in
            request.path.hasPrefix("/command") ? queue.answer(request.body) : management.answer(request)
        }) { server in
            management.listens(at: server.url)
            management.publish(1)
            let fixture = try EnrolledDevice(
                server, management, wake: false, signs: false, tpm: nil, apps: [])
            var (device, disk) = (fixture.device, fixture.steps)
            while true {
                queue.begin(disk)
                try await Self.live(device, fixture.log, "\(CourseSeeds.replay(seed)). Before it:\n\(queue.said)") {
                    queue.isDone || queue.left != nil || !queue.faults.isEmpty
                }
                guard let left = queue.left else { break }
                disk = left
                device = try Device(
                    directory: "/d", appDirectories: [], facts: fixture.device.facts, namesMachine: false, steps: left)
            }
            #expect(queue.faults.isEmpty, "\(CourseSeeds.replay(seed)). Before it:\n\(queue.said)")
            #expect(device.known.profiles.map(\.identifier) == queue.profiles, "\(CourseSeeds.replay(seed))")
        }
    }

    /// Lets an agent keep in touch until something holds.
    private static func live(
        _ device: Device, _ log: LogLines, _ about: @autoclosure () -> String, until holds: () -> Bool
    ) async throws {
        let loop = DeviceLoop(
            device: device, doorbell: Doorbell(), pace: EnrolledDevice.pace, publish: {}, log: log.logger())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await loop.run() } catch is CancellationError {}
            }
            defer { group.cancelAll() }
            try await eventually(about()) { holds() }
        }
    }
}
