import DeviceMessages
import Foundation
import Testing

@testable import DeviceAgent

/// The seam between the agent and its systems: what each of them knows, and what follows from what is held.
struct DeviceSystemsTests {
    private let bundle = "com.example.app"

    /// A state in which a declaration has brought an app that said something of its configuration.
    private func installed(configuration: String? = "c") -> AgentState {
        var state = AgentState(udid: "U")
        var app = AppliedApp(composedIdentifier: bundle, declarationIdentifier: "cfg", configuration: configuration)
        app.manifest = ManifestSource(
            url: CommandedDevice.url, known: CommandedDevice.manifest(bundle), updates: .asUsual)
        state.applied.apps[bundle] = app
        state.installed[bundle] = InstalledApp(
            directory: "d", version: "2", shortVersion: "2", team: "TEAM123456", manifestURL: CommandedDevice.url,
            serverToken: "1")
        let report = ConfigurationReport(
            bundleIdentifier: bundle, version: "1", valid: true, at: Date(timeIntervalSince1970: 1_800_000_000))
        state.reports[report.key] = report
        return state
    }

    private func device(_ steps: MemorySteps) throws -> Device {
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        return try Device(directory: "/d", appDirectories: [], facts: facts, namesMachine: false, steps: steps)
    }

    private func takesBack(_ state: AgentState, _ applied: Applied) -> Bool {
        DeviceSystems.all.contains { $0.takesBack(from: state, in: applied) }
    }

    // MARK: - What systems know

    @Test func noTwoSystemsKnowTheSameThing() {
        let systems = DeviceSystems.all
        let names = systems.map { $0.name }
        let types = systems.flatMap { $0.configurations }
        let items = systems.flatMap { $0.statusItems }
        let commands = systems.flatMap { $0.commands.keys.sorted() }
        for known in [names, types, items, commands] { #expect(Set(known).count == known.count, "\(known)") }
    }

    /// A command is found whether it is a system's, the device's own or the machine's.
    @Test(arguments: [
        InstallApplication.requestType, TryConfiguration.requestType, "DeviceInformation",
        MachineAction.restart.rawValue,
    ])
    func aCommandIsFoundByItsType(_ type: String) {
        let isKnown = DeviceCommands.command(of: type) != nil
        let isOtherKnown = DeviceCommands.command(of: type + "2") != nil
        #expect(isKnown && !isOtherKnown)
    }

    /// A trial acts before it is answered; everything else that the apps system knows changes the state alone.
    @Test func onlyTrialsActOutsideOfTheState() {
        var acting: [String] = []
        for (type, command) in DeviceSystems.all.flatMap({ $0.commands }) {
            if case .action = command.execution { acting.append(type) }
        }
        #expect(acting == [TryConfiguration.requestType])
    }

    // MARK: - What follows

    @Test func whatElseIsKeptOfAnAppStaysWhileItIsDeclared() {
        var state = installed()
        let before = state
        state.hold(before.applied)
        #expect(state == before)
    }

    /// In one change: no state on the disk has the app without its declaration, or what it said without the app.
    @Test func whatElseIsKeptOfAnAppGoesWithItsDeclaration() {
        var state = installed()
        state.hold(Applied())
        #expect(state.installed.isEmpty && state.reports.isEmpty)
        #expect(state.leaving == [LeavingApp(bundleIdentifier: bundle, directory: "d", reason: .removed)])
    }

    /// `kill -9` at every write of a withdrawal: the app has its declaration and all that goes with it, or nothing of it.
    @Test(arguments: MemorySteps.Cut.allCases) func aWithdrawalIsWholeOrNothing(_ cut: MemorySteps.Cut) throws {
        let given = installed(configuration: nil)
        for stop in 0..<12 {
            let steps = MemorySteps()
            let first = try device(steps)
            try first.change { $0 = given }
            steps.stop(after: stop)
            _ = try? first.change(forgetting: true) { $0.hold(Applied()) }
            steps.restart(after: cut)
            let state = try device(steps).known
            let isDeclared = state.applied.apps[bundle] != nil
            #expect((state.installed[bundle] != nil) == isDeclared, "after \(stop) writes")
            #expect(state.reports.isEmpty != isDeclared && state.leaving.isEmpty == isDeclared, "after \(stop) writes")
        }
    }

    @Test func anAppThatADeclarationTakesOverIsNoLongerManagedByCommands() {
        var state = AgentState(udid: "U")
        state.commanded[bundle] = CommandedApp(configuration: "c")
        state.hold(installed().applied)
        #expect(state.commanded.isEmpty)
    }

    /// What an app had by a declaration or by a command leaves the disk in the change that takes it away.
    @Test func whatIsTakenFromAnAppLeavesTheDisk() {
        let state = installed()
        var applied = state.applied
        #expect(!takesBack(state, applied), "nothing changes")
        applied.apps[bundle]?.configuration = "d"
        #expect(!takesBack(state, applied), "another takes its place")
        applied.apps[bundle]?.configuration = nil
        #expect(takesBack(state, applied))
        #expect(takesBack(state, Applied()))

        var commanded = AgentState(udid: "U")
        commanded.commanded[bundle] = CommandedApp(configuration: "c")
        #expect(!takesBack(commanded, Applied()), "commands still manage it")
        #expect(takesBack(commanded, state.applied), "a declaration has taken it over")
    }
}
