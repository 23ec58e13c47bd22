import DeviceMessages
import Foundation
import Logging
import Testing

@testable import DeviceAgent

/// What a command asked of the machine is done once, whatever ends in between; or dropped, and the server hears of it.
@Suite(.timeLimit(.minutes(10)))
struct ActionsAtWorkTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let pending = PendingAction(.restart, command: "R", boot: "boot-1", recorded: start)

    private static func device(_ machine: PlayedMachine?, _ steps: MemorySteps) throws -> Device {
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        return try Device(
            directory: "/d", appDirectories: [], facts: facts, namesMachine: false, machine: machine, steps: steps)
    }

    /// Executes the command: what is to be done, and the answer, are one change.
    private static func record(_ device: Device) throws {
        guard device.known.commands.answer(to: "R") == nil else { return }
        let report = CommandReport(identifier: device.known.identifier, status: .acknowledged, commandUUID: "R")
        try device.change { state in
            state.expect(pending)
            state.commands.record("R", report: report.encoded())
        }
    }

    @discardableResult
    private static func pass(_ device: Device, after seconds: TimeInterval = 1) async -> Bool {
        let actions = ActionsAtWork(
            device: device, bell: InstallBell(), now: { start + seconds },
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return await actions.pass()
    }

    /// What the server would be told of the command now.
    private static func answer(_ device: Device) throws -> CommandStatus? {
        try device.known.commands.answer(to: "R").map { try CommandReport(parsing: $0).status }
    }

    @Test func aStepFollowsFromBootDeliveryAndTime() {
        func step(_ boot: String?, _ isDelivered: Bool, after seconds: TimeInterval) -> PendingAction.Step {
            Self.pending.step(boot: boot, isDelivered: isDelivered, at: Self.start + seconds)
        }
        #expect(step("boot-1", false, after: 0) == .wait)
        #expect(step("boot-1", true, after: 0) == .act)
        #expect(step("boot-1", true, after: 600) == .act)
        #expect(step("boot-1", true, after: 601) == .drop)
        #expect(step("boot-1", true, after: -1) == .drop, "a clock that was set back")
        #expect(step("boot-2", true, after: 1) == .drop)
        #expect(step(nil, true, after: 1) == .drop)
    }

    @Test func nothingIsDoneBeforeTheServerHasTheAnswer() async throws {
        let machine = PlayedMachine()
        let device = try Self.device(machine, MemorySteps())
        try Self.record(device)
        #expect(await !Self.pass(device))
        #expect(machine.performed.isEmpty && device.known.pendingActions == [Self.pending])
        try device.change { $0.commands.delivered("R") }
        #expect(await Self.pass(device))
        #expect(machine.performed == [.restart] && device.known.pendingActions.isEmpty)
    }

    /// `kill -9` at every write between the command and the restart: the agent that begins afterwards, in this boot or the
    /// next, ends with one restart, never with two.
    @Test func aStopAtAnyWriteEndsWithOneRestart() async throws {
        var stops = 0
        for limit in 0... {
            let (machine, steps) = (PlayedMachine(), MemorySteps())
            let first = try Self.device(machine, steps)
            steps.stop(after: limit)
            var hasStopped = false
            do {
                try Self.record(first)
                try first.change { $0.commands.delivered("R") }
                hasStopped = await !Self.pass(first)
            } catch {
                hasStopped = true
            }
            #expect(machine.performed.count <= 1)
            steps.restart(after: .everythingKept)
            let next = try Self.device(machine, steps)
            // The server sends a command again that was not answered, and is answered alike.
            try Self.record(next)
            try next.change { $0.commands.delivered("R") }
            #expect(await Self.pass(next))
            #expect(machine.performed == [.restart], "after \(limit) writes")
            #expect(next.known.pendingActions.isEmpty)
            #expect(try Self.answer(next) == .acknowledged)
            guard hasStopped else { break }
            stops += 1
        }
        #expect(stops >= 5, "each of \(stops) writes was the last one once")
    }

    /// Too late, restarted meanwhile, or not allowed any more: it is not done, and a server that has no answer yet is told.
    @Test(arguments: ["late", "restarted", "held back"], [true, false])
    func whatIsDroppedIsSaidUnlessTheServerHasItsAnswer(_ why: String, isDelivered: Bool) async throws {
        let (machine, steps) = (PlayedMachine(), MemorySteps())
        try Self.record(try Self.device(machine, steps))
        if why == "restarted" { machine.restart() }
        let device = try Self.device(why == "held back" ? nil : machine, steps)
        if isDelivered { try device.change { $0.commands.delivered("R") } }
        #expect(await Self.pass(device, after: why == "late" ? 601 : 1))
        #expect(machine.performed.isEmpty && device.known.pendingActions.isEmpty)
        #expect(try Self.answer(device) == (isDelivered ? CommandStatus.acknowledged : .error))
        #expect((device.known.commands.undelivered == nil) == isDelivered)
    }

    /// A machine that refuses at the last moment is asked again, until it is too late.
    @Test func aMachineThatRefusesIsAskedAgain() async throws {
        let machine = PlayedMachine()
        machine.refuses(true)
        let device = try Self.device(machine, MemorySteps())
        try Self.record(device)
        try device.change { $0.commands.delivered("R") }
        #expect(await !Self.pass(device))
        #expect(device.known.pendingActions == [Self.pending])
        machine.refuses(false)
        #expect(await Self.pass(device))
        #expect(machine.performed == [.restart])
    }

    /// An enrollment that has ended restarts nothing, and neither does an older copy of the state that was put back.
    @Test func whatWasAskedForGoesWithTheEnrollment() throws {
        var state = AgentState(udid: "U")
        state.expect(Self.pending)
        var older = state
        state.unenroll()
        older.forgetWhatMayBeOld()
        #expect(state.pendingActions.isEmpty && older.pendingActions.isEmpty)
    }

    /// A generation of an agent that knew no such thing is read, and so is one of an agent that knows more.
    @Test func storedFormsOfOtherAgentsAreRead() throws {
        var state = AgentState(udid: "U")
        state.expect(Self.pending)
        let bytes = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(AgentState.self, from: bytes) == state)
        var object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        object["pendingActions"] = [["action": "MakeCoffee"]]
        let newer = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(AgentState.self, from: newer) == AgentState(udid: "U"))
        object["pendingActions"] = nil
        let older = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(AgentState.self, from: older) == AgentState(udid: "U"))
    }
}
