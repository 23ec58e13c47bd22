import AppMessages
package import DeviceMessages
package import Foundation
import Synchronization
package import TPMKeys

/// The device as the agent knows it: its state, kept whole, and the apps that lie on it.
///
/// Changes are short and one at a time; each returns once it is on the disk.
package final class Device: Sendable {
    /// Not having heard from the server for this long, apps are told that what they have may be out of date.
    static let staleAfter: TimeInterval = 86_400

    package let facts: DeviceFacts

    /// The device's TPM, if it has one.
    package let tpm: TPM?
    /// The machine, if this agent may have it do something.
    package let machine: (any MachineControl)?
    /// As which users its apps run.
    package let appUsers: AppUsers
    /// The directory of the texts that the machine shows after a login; nothing if a server may not show any.
    let loginMessages: String?
    let directory: String
    let appDirectories: [String]
    /// What installations are at, by bundle identifier.
    let progress = Mutex<[String: InstallProgress]>([:])
    /// Where the apps lie that run without having been launched.
    let visited = Mutex<Set<String>>([])
    /// Commands whose actions this process has asked the machine to perform.
    let performed = Mutex<Set<String>>([])
    let signers = KnownSigners()
    private let questions = DispatchQueue(label: "watchdog")
    /// How the conversation with the server gets on.
    let pulse = LoopPulse()
    /// Whether the server answers.
    package let contact = ServerContact()
    let store: Mutex<GenerationStore<AgentState>>
    private let state: Mutex<AgentState>
    /// What apps are told nothing beyond, while the disk has not taken it.
    let bound = Mutex<ServiceBound?>(nil)
    private let contents: SealedContents
    /// What apps counted for the server.
    package let feedback: FeedbackRoom
    /// Tells this start of the agent from every other.
    private let run = UUID().uuidString

    /// Opens the state in `directory`; the first time, the device gets its name.
    ///
    /// The name follows from the machine where it may speak for the machine, else it is random and kept.
    package init(
        directory: String, appDirectories: [String], facts: DeviceFacts, namesMachine: Bool,
        appUsers: AppUsers = .shared, tpm: TPM? = nil, machine: (any MachineControl)? = nil,
        loginMessages: String? = nil, steps: any FileSteps = DiskSteps()
    ) throws {
        self.machine = machine
        self.facts = facts
        self.tpm = tpm
        self.appUsers = appUsers
        self.loginMessages = loginMessages
        self.directory = directory
        self.appDirectories = appDirectories
        var store = try GenerationStore<AgentState>(
            directory: directory, steps: steps, guardedBy: tpm.map { ChipGuard($0, directory: directory) })
        let state: AgentState
        if var known = store.state {
            if store.setAside > 0 {
                known.damagedGeneration = Int(store.newest)
                try store.commit(known)
            }
            // A clone that was given a machine-id of its own, at last.
            let name = known.udid
            if namesMachine, let machine = facts.machineUUID { known.takeName(machine) }
            if known.udid != name { try store.commit(known) }
            state = known
        } else {
            state = AgentState(udid: namesMachine ? facts.machineUUID ?? UUID().uuidString : UUID().uuidString)
            try store.commit(state)
        }
        setAside = store.setAside
        wasOlderCopy = store.isOlderCopy
        contents = store.contents
        feedback = FeedbackRoom(directory: directory, steps: steps, key: store.contents.key)
        self.state = Mutex(state)
        self.store = Mutex(store)
    }

    /// How many newer generations were found torn or changed at the start.
    package let setAside: Int

    /// Whether an older copy of the state was found at the start; what it held is not used.
    package let wasOlderCopy: Bool

    /// What holds the key of all this, and how old it is.
    package var atRest: AtRestStatus {
        store.withLock { store in
            AtRestStatus(
                keyHolder: store.isGuarded ? .tpm : .file, run: run, found: Int(store.found),
                serving: Int(store.number), damaged: store.state?.damagedGeneration)
        }
    }

    /// Returns true once the state can be changed, also one that is being changed now.
    ///
    /// On a thread that may wait: a disk that hangs holds it.
    package func answers() async -> Bool {
        await withCheckedContinuation { done in
            questions.async { [self] in
                store.withLock { _ in }
                done.resume(returning: true)
            }
        }
    }

    /// What the agent knows now.
    package var known: AgentState { state.withLock { $0 } }

    /// Changes what the agent knows; nothing is written if nothing changed.
    ///
    /// `contents` are contents that the new state names; with `forgetting`, what it no longer names leaves the disk at once.
    @discardableResult
    package func change<Value>(
        contents: [String: Data] = [:], forgetting: Bool = false, _ body: (inout AgentState) throws -> Value
    ) throws -> Value {
        try store.withLock { store in
            guard let before = store.state else { throw StoreRefusal.noWholeGeneration }
            var after = before
            let value = try body(&after)
            if after != before || forgetting {
                try store.commit(after, contents: contents, forgetting: forgetting)
                state.withLock { $0 = after }
            }
            return value
        }
    }

    /// The apps that the device manages now; of others no feedback is kept.
    var servedApps: Set<String> {
        var state = known
        if let bound = bound.withLock({ $0 }) { state.withdraw(beyond: bound) }
        return Set(state.managed.keys)
    }

    /// Has apps told nothing of declarations beyond what is meant, whatever the disk still says; nothing lifts that again.
    package func serve(within meant: Applied?) { bound.withLock { $0 = meant.map(ServiceBound.declarations) } }

    /// Has no app told anything any more, whatever the disk still says, until `serve(within:)` lifts that.
    package func serveNothing() { bound.withLock { $0 = .nothing } }

    /// The value of a secret, unsealed for the moment it is needed.
    package func secret(_ digest: String) throws -> SecretContent {
        let bytes = try contents.frequentContent(digest)
        let content = try SecretContent(parsing: bytes)
        // A certificate is no secret, and shares these bytes.
        if content.kind != .certificate { bytes.wipe() }
        return content
    }

    /// One of the contents that the state names; nothing if it is not here or cannot be read.
    func content(_ digest: String) -> Data? { try? contents.content(digest) }

    /// The server has answered; kept only now and then, as it says nothing finer than days.
    package func heard(now: Date) throws {
        guard known.lastContact.map({ abs(now.timeIntervalSince($0)) > 3_600 }) ?? true else { return }
        try change { $0.lastContact = now }
    }
}

/// Remembers launches in the device's state, so that they survive with it.
package struct DeviceLaunchRecords: LaunchRecords {
    private let device: Device

    package init(_ device: Device) { self.device = device }

    package func load() -> [LaunchRecord] { device.known.launches }

    package func save(_ records: [LaunchRecord]) throws { try device.change { $0.launches = records } }
}
