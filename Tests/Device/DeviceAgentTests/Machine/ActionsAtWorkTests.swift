import DeviceMessages
import Foundation
import TestLog
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
    private static func pass(
        _ device: Device, after seconds: TimeInterval = 1, _ lines: LogLines = LogLines()
    ) async -> Bool {
        let actions = ActionsAtWork(
            device: device, bell: InstallBell(), changed: {}, now: { start + seconds }, log: lines.logger())
        return await actions.pass()
    }

    /// Drops actions as the conversation with the server does before it sends an answer.
    private static func tell(_ device: Device, after seconds: TimeInterval) throws {
        try device.dropActions(at: start + seconds, isTelling: true, log: LogLines().logger())
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
        #expect(step("boot-1", false, after: 600) == .wait)
        #expect(step("boot-1", false, after: 601) == .drop)
        #expect(step("boot-1", true, after: 0) == .act)
        #expect(step("boot-1", true, after: 1_200) == .act)
        #expect(step("boot-1", true, after: 1_201) == .drop)
        #expect(step("boot-1", true, after: -1) == .drop, "a clock that was set back")
        #expect(step("boot-2", true, after: 1) == .done)
        #expect(step("boot-2", false, after: 1) == .drop)
        #expect(step(nil, true, after: 1) == .drop)
    }

    /// A restart and a shutdown end the boot, so only another boot shows that they are done.
    ///
    /// Red where the agent takes one for done because this process has asked the machine: it would drop the record while
    /// the machine still goes down, accept another action, and report no error if the machine stays up.
    @Test(arguments: [MachineAction.restart, .shutDown])
    func whatEndsTheBootIsNotDoneByAskingTheMachine(_ action: MachineAction) {
        #expect(action.endsBoot)
        let pending = PendingAction(action, command: "R", boot: "boot-1", recorded: Self.start)
        func step(
            _ boot: String?, _ isDelivered: Bool, _ isPerformed: Bool, after seconds: TimeInterval
        ) -> PendingAction.Step {
            pending.step(boot: boot, isDelivered: isDelivered, isPerformed: isPerformed, at: Self.start + seconds)
        }
        #expect(step("boot-1", true, true, after: 1) == .act)
        let boots: [String?] = ["boot-1", "boot-2", nil]
        for boot in boots {
            for isDelivered in [false, true] {
                for seconds: TimeInterval in [0, 601, 1_201] {
                    #expect(
                        step(boot, isDelivered, true, after: seconds) == step(boot, isDelivered, false, after: seconds))
                }
            }
        }
        var state = AgentState(udid: "U")
        state.expect(pending)
        let report = CommandReport(identifier: state.identifier, status: .acknowledged, commandUUID: "R")
        state.commands.record("R", report: report.encoded())
        state.commands.delivered("R")
        let before = state
        let dropped = state.dropActions(boot: "boot-1", now: Self.start + 1, isTelling: true, performed: ["R"])
        #expect(dropped.isEmpty && state == before)
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

    /// The machine acts on an acknowledgement that left in time, even if the server confirms it later.
    ///
    /// Red where a look at the action in between drops it and takes its record for the server's.
    @Test func whatTheServerIsToldInTimeIsDoneAlsoIfItsAnswerIsLate() async throws {
        let machine = PlayedMachine()
        let device = try Self.device(machine, MemorySteps())
        try Self.record(device)
        try Self.tell(device, after: 599)
        #expect(await !Self.pass(device, after: 601))
        #expect(device.known.pendingActions == [Self.pending], "its acknowledgement is on its way")
        try device.change { $0.commands.delivered("R") }
        await Self.pass(device, after: 630)
        #expect(machine.performed == [.restart])
    }

    /// The agent does not keep asking a machine that does not go down, and in the end sends the server an error.
    @Test func aMachineThatLingersIsAskedOnce() async throws {
        let machine = PlayedMachine()
        machine.lingers(true)
        let device = try Self.device(machine, MemorySteps())
        try Self.record(device)
        try device.change { $0.commands.delivered("R") }
        for seconds in [1.0, 11, 600, 1_200] { #expect(await !Self.pass(device, after: seconds)) }
        #expect(machine.performed == [.restart] && device.known.pendingActions == [Self.pending])
        let lines = LogLines()
        #expect(await Self.pass(device, after: 1_201, lines))
        #expect(machine.performed == [.restart])
        #expect(try Self.answer(device) == .error && device.known.commands.undelivered?.uuid == "R")
        #expect(lines.say("warning", "not carried out", "RestartDevice"))
    }

    /// With a full disk the agent does not repeat an action under way, and never performs an action of another boot.
    ///
    /// Red where the agent asks the machine again at each look while it cannot clear the record.
    @Test func aFullDiskRestartsNothingAgain() async throws {
        let (machine, steps) = (PlayedMachine(), MemorySteps())
        machine.lingers(true)
        let first = try Self.device(machine, steps)
        try Self.record(first)
        try first.change { $0.commands.delivered("R") }
        steps.stop(after: 0)
        for _ in 0..<3 { #expect(await !Self.pass(first)) }
        #expect(machine.performed == [.restart], "acting writes nothing")
        machine.restart()
        steps.restart(after: .everythingKept)
        let next = try Self.device(machine, steps)
        steps.stop(after: 0)
        for _ in 0..<3 { #expect(await !Self.pass(next)) }
        #expect(machine.performed == [.restart] && next.known.pendingActions == [Self.pending])
        steps.restart(after: .everythingKept)
        #expect(await Self.pass(next))
        #expect(machine.performed == [.restart] && next.known.pendingActions.isEmpty)
        #expect(try Self.answer(next) == .acknowledged, "it has restarted")
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
    @Test(arguments: ["late", "restarted", "held back"])
    func whatIsDroppedIsSaidInThePlaceOfTheAcknowledgement(_ why: String) async throws {
        let (machine, steps) = (PlayedMachine(), MemorySteps())
        try Self.record(try Self.device(machine, steps))
        if why == "restarted" { machine.restart() }
        let device = try Self.device(why == "held back" ? nil : machine, steps)
        let seconds: TimeInterval = why == "late" ? 601 : 1
        #expect(await !Self.pass(device, after: seconds), "its acknowledgement may be on its way")
        try Self.tell(device, after: seconds)
        #expect(await Self.pass(device, after: seconds))
        #expect(machine.performed.isEmpty && device.known.pendingActions.isEmpty)
        #expect(try Self.answer(device) == .error)
        #expect(device.known.commands.undelivered?.uuid == "R")
    }

    /// A server with the acknowledgement gets an error after it, unless the machine has restarted or the agent cannot
    /// know that; then only the log states it.
    @Test(arguments: ["late", "restarted", "held back"])
    func whatIsDroppedAfterItsAcknowledgementIsSaidToo(_ why: String) async throws {
        let (machine, steps, lines) = (PlayedMachine(), MemorySteps(), LogLines())
        try Self.record(try Self.device(machine, steps))
        if why == "restarted" { machine.restart() }
        let device = try Self.device(why == "held back" ? nil : machine, steps)
        try device.change { $0.commands.delivered("R") }
        #expect(await Self.pass(device, after: why == "late" ? 1_201 : 1, lines))
        #expect(machine.performed.isEmpty && device.known.pendingActions.isEmpty)
        #expect(try Self.answer(device) == (why == "late" ? CommandStatus.error : .acknowledged))
        #expect((device.known.commands.undelivered != nil) == (why == "late"))
        #expect(lines.say("RestartDevice", why == "restarted" ? "has restarted since" : "not carried out"))
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
        object["pendingActions"] = nil
        let older = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(AgentState.self, from: older) == AgentState(udid: "U"))
    }

    /// The agent drops a recorded action that it cannot read, keeps the others, and informs the server and the log.
    ///
    /// Red where it drops all actions without a word and the server keeps their acknowledgements.
    @Test func whatCannotBeReadTakesNothingWithIt() async throws {
        var state = AgentState(udid: "U")
        state.expect(Self.pending)
        for command in ["R", "C"] {
            let report = CommandReport(identifier: state.identifier, status: .acknowledged, commandUUID: command)
            state.commands.record(command, report: report.encoded())
            state.commands.delivered(command)
        }
        let bytes = try JSONEncoder().encode(state)
        var object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let readable = try #require(object["pendingActions"] as? [Any])
        let unreadable: [Any] = [["action": "MakeCoffee", "command": "C"] as [String: String], "a word"]
        object["pendingActions"] = unreadable + readable
        let newer = try JSONSerialization.data(withJSONObject: object)
        let read = try JSONDecoder().decode(AgentState.self, from: newer)
        #expect(read.pendingActions == [Self.pending] && read.unreadableActions == ["C", ""])
        #expect(try read.commands.answer(to: "C").map { try CommandReport(parsing: $0).status } == .error)
        #expect(read.commands.undelivered?.uuid == "C" && read.commands.isDelivered("R"))
        let (device, lines) = (try Self.device(PlayedMachine(), MemorySteps()), LogLines())
        try device.change { $0 = read }
        await Self.pass(device, after: 1, lines)
        #expect(device.known.unreadableActions.isEmpty && lines.say("cannot be read", "command=C"))
    }
}
