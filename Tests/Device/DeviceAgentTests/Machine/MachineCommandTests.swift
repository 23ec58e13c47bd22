import DeviceMessages
import Foundation
import InputBounds
import TestLog
import Testing

@testable import DeviceAgent

/// Commands that have the machine do something: refused with a reason, or answered and then done, once.
@Suite(.timeLimit(.minutes(10)))
struct MachineCommandTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let able = MachineReadiness.can(boot: "boot-1", at: start)

    private static func profile(_ rights: Int = AccessRights.all) -> EnrollmentProfile {
        EnrollmentProfile(
            identifier: "enrollment", uuid: UUID(), displayName: "E", organization: "O", roots: [],
            scep: SCEPPayload(url: "https://h/scep"),
            mdm: MDMPayload(serverURL: "https://h/mdm", topic: "t", accessRights: rights))
    }

    private static func enrolled(
        _ kind: EnrollmentKind, enrollmentID: String? = nil, supervised: Bool? = nil
    ) -> AgentState {
        var state = AgentState(udid: "U")
        var enrollment = Enrollment(
            origin: "https://h:443", codeDigest: "", roots: [], profile: profile().encoded(), key: KeptKey(pem: ""),
            token: Data(), pushMagic: "", kind: kind, enrollmentID: enrollmentID)
        enrollment.supervised = supervised
        state.enrollment = enrollment
        return state
    }

    private static func run(
        _ type: String = "RestartDevice", _ entries: [String: PropertyListValue] = [:], on state: inout AgentState,
        _ machine: MachineReadiness? = able, rights: Int = AccessRights.all, uuid: String = "R"
    ) throws -> CommandReport {
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        var commands = DeviceCommands(facts: facts, profile: profile(rights))
        commands.machine = machine
        let request = entries.merging(["RequestType": .string(type)]) { own, _ in own }
        let command = try Command(uuid: uuid, request: .dictionary(request))
        switch commands.execute(command, on: &state) {
        case .report(let report), .synchronize(let report, _), .takeFeedback(let report, _): return report
        }
    }

    @Test(arguments: MachineAction.allCases)
    func whatIsAcknowledgedIsOnRecord(_ action: MachineAction) throws {
        var state = Self.enrolled(.device)
        #expect(try Self.run(action.rawValue, on: &state).status == .acknowledged)
        #expect(
            state.pendingActions
                == [PendingAction(action, command: "R", boot: "boot-1", recorded: Self.start)])
    }

    /// A refusal says why, and leaves nothing behind that would be done later.
    @Test func whatCannotBeIsRefusedWithItsReason() throws {
        func refusal(
            _ state: AgentState, _ machine: MachineReadiness? = Self.able,
            entries: [String: PropertyListValue] = [:], rights: Int = AccessRights.all
        ) throws -> String? {
            var after = state
            let report = try Self.run("RestartDevice", entries, on: &after, machine, rights: rights)
            #expect(after == state)
            return report.status == .error ? report.errorChain.first?.localizedDescription : nil
        }
        let device = Self.enrolled(.device)
        let held = try refusal(device, nil)
        #expect(held?.contains("(power)") == true, "an agent in a test or in development restarts nothing")
        let why = try refusal(device, .cannot("the moon is full"))
        #expect(why == "This device cannot be restarted: the moon is full.")
        #expect(try refusal(device, rights: AccessRights.all & ~AccessRights.lockAndPasscode) != nil)
        #expect(try refusal(device, entries: ["NotifyUser": .boolean(true)])?.contains("NotifyUser") == true)
        for persons in [Self.enrolled(.account), Self.enrolled(.account, enrollmentID: "E-1")] {
            #expect(try refusal(persons)?.contains("belongs to a person") == true)
        }
        #expect(try refusal(Self.enrolled(.account, enrollmentID: "E-1", supervised: true)) != nil)
    }

    @Test func whatIsNoSuchCommandIsAFormatErrorAndWhatAsksForNothingElseIsDone() throws {
        var state = Self.enrolled(.automated)
        #expect(try Self.run("RestartDevice", ["NotifyUser": .string("yes")], on: &state).status == .commandFormatError)
        #expect(state.pendingActions.isEmpty)
        #expect(try Self.run("RestartDevice", ["NotifyUser": .boolean(false)], on: &state).status == .acknowledged)
    }

    /// While one action is under way, the agent refuses another and names the first; a repeated command stays the same.
    ///
    /// Red where the later command replaces the earlier one, or is recorded beside it.
    @Test(arguments: MachineAction.allCases)
    func anotherIsRefusedWhileOneIsUnderWay(_ action: MachineAction) throws {
        var state = Self.enrolled(.device)
        let first = try Self.run(on: &state)
        state.commands.record("R", report: first.encoded())
        let before = state
        for isDelivered in [false, true] {
            if isDelivered { state.commands.delivered("R") }
            let refused = try Self.run(action.rawValue, on: &state, uuid: "S")
            #expect(refused.status == .error)
            let sentence = refused.errorChain.first?.localizedDescription
            #expect(sentence?.contains("about to be restarted by the command R") == true)
            #expect(state.pendingActions == before.pendingActions)
        }
        #expect(try Self.run(on: &state) == first && state.pendingActions == before.pendingActions)
    }

    /// An action that is over, after a restart or because it is too late, does not block a new one.
    @Test func whatIsOverRefusesNothing() throws {
        for readiness in [
            MachineReadiness.can(boot: "boot-2", at: Self.start + 1), .can(boot: "boot-1", at: Self.start + 1_201),
        ] {
            var state = Self.enrolled(.device)
            let first = try Self.run(on: &state)
            state.commands.record("R", report: first.encoded())
            state.commands.delivered("R")
            let report = try Self.run("ShutDownDevice", on: &state, readiness, uuid: "S")
            #expect(report.status == .acknowledged && state.pendingActions.map(\.command) == ["S"])
        }
    }

    // MARK: - With a server

    private func order(_ uuid: String, _ fixture: EnrolledDevice) async throws -> CommandReport {
        let before = fixture.answers(to: uuid).count
        let request = PropertyListValue.dictionary(["RequestType": .string("RestartDevice")])
        fixture.management.order(try Command(uuid: uuid, request: request).encoded())
        fixture.doorbell.ring(.commands)
        try await fixture.eventually("the command is answered") { fixture.answers(to: uuid).count > before }
        return try CommandReport(parsing: fixture.answers(to: uuid)[before])
    }

    /// The machine is asked before the answer, and does it after the server has the answer; a server that repeats the
    /// command is told the same again, and the machine is left alone.
    @Test func aDeviceRestartsOnceAfterItsAnswerHoweverOftenItIsAsked() async throws {
        let machine = PlayedMachine()
        try await EnrolledDevice.run(machine: machine) { fixture in
            let device = fixture.device
            let first = try await order("R", fixture)
            #expect(first.status == .acknowledged && machine.asked == [.restart])
            try await fixture.eventually("the server has the answer") { device.known.commands.isDelivered("R") }
            #expect(device.known.pendingActions.map(\.command) == ["R"] && machine.performed.isEmpty)
            let actions = ActionsAtWork(
                device: device, bell: InstallBell(), changed: {}, now: { fixture.clock.now },
                log: fixture.log.logger())
            #expect(await actions.pass())
            #expect(machine.performed == [.restart] && device.known.pendingActions.isEmpty)
            #expect(try await order("R", fixture) == first)
            #expect(await actions.pass())
            #expect(machine.performed == [.restart] && machine.asked == [.restart])
        }
    }

    /// The machine acts on an acknowledgement that left in time, however late the server's answer comes.
    ///
    /// Red where the agent silently drops an action that the server confirms after ten minutes.
    @Test func aLateConfirmationCounts() async throws {
        let machine = PlayedMachine()
        try await EnrolledDevice.run(machine: machine) { fixture in
            try await fixture.serves(1)
            let (device, clock) = (fixture.device, fixture.clock)
            fixture.management.publish(
                1,
                fault: { asked in
                    // The server takes long to answer the acknowledgement.
                    if asked == "command", let pending = device.known.pendingActions.first,
                        clock.now < pending.recorded + 601
                    {
                        clock.advance(days: 601.0 / 86_400)
                    }
                    return nil
                })
            #expect(try await order("R", fixture).status == .acknowledged)
            try await fixture.eventually("the server has the answer") { device.known.commands.isDelivered("R") }
            let actions = ActionsAtWork(
                device: device, bell: InstallBell(), changed: {}, now: { clock.now }, log: fixture.log.logger())
            #expect(await actions.pass())
            #expect(machine.performed == [.restart])
        }
    }

    /// Red for an agent that begins after the machine has restarted, and first tells the server that it will restart.
    @Test func anAnswerThatIsTooLateSaysThatNothingWasDone() async throws {
        let machine = PlayedMachine()
        try await EnrolledDevice.run(machine: machine) { fixture in
            try await fixture.serves(1)
            let report = CommandReport(
                identifier: fixture.device.known.identifier, status: .acknowledged, commandUUID: "R")
            let moment = fixture.clock.now
            try fixture.device.change { state in
                state.expect(PendingAction(.restart, command: "R", boot: "boot-0", recorded: moment))
                state.commands.record("R", report: report.encoded())
            }
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the server is answered") { !fixture.answers(to: "R").isEmpty }
            let statuses = try fixture.answers(to: "R").map { try CommandReport(parsing: $0).status }
            #expect(statuses.first == CommandStatus.error)
            #expect(machine.performed.isEmpty && fixture.device.known.pendingActions.isEmpty)
        }
    }

    /// With a full disk, the server gets an error for an action from before the restart, and the record goes once there
    /// is room.
    ///
    /// Red where the conversation ends because the record cannot be dropped: a released device then never learns of it.
    @Test func aFullDiskAcknowledgesNothingThatIsOver() async throws {
        let machine = PlayedMachine()
        try await EnrolledDevice.run(machine: machine) { fixture in
            try await fixture.serves(1)
            let report = CommandReport(
                identifier: fixture.device.known.identifier, status: .acknowledged, commandUUID: "R")
            let moment = fixture.clock.now
            try fixture.device.change { state in
                state.expect(PendingAction(.restart, command: "R", boot: "boot-0", recorded: moment))
                state.commands.record("R", report: report.encoded())
            }
            fixture.steps.stop(after: 0)
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the server is answered") { !fixture.answers(to: "R").isEmpty }
            fixture.steps.restart(after: .everythingKept)
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the record goes") { fixture.device.known.pendingActions.isEmpty }
            let statuses = try fixture.answers(to: "R").map { try CommandReport(parsing: $0).status }
            #expect(statuses.allSatisfy { $0 == .error } && machine.performed.isEmpty)
        }
    }

    @Test func whatLogindRefusesTheServerIsToldBefore() async throws {
        let machine = PlayedMachine()
        machine.stands(against: "it says no")
        try await EnrolledDevice.run(machine: machine) { fixture in
            let report = try await order("R", fixture)
            #expect(report.status == .error)
            #expect(report.errorChain.first?.localizedDescription == "This device cannot be restarted: it says no.")
            #expect(fixture.device.known.pendingActions.isEmpty && machine.performed.isEmpty)
        }
    }
}
