import AppMessages
import CLinux
import DeviceMessages
import Foundation

/// A process that runs as an app, on the service's thread.
final class AppProcess {
    let record: LaunchRecord
    let descriptor: Int32

    /// Its connections, by token.
    var connections: Set<UInt64> = []

    /// The control connection that waits for its end.
    var waiter: UInt64?

    /// Its configuration in JSON, once that was asked for.
    var document: (version: String, json: Data)?

    /// The version of its configuration that it fetched last over HTTP.
    var fetched: String?

    /// What its decoder said last, so that a repetition is not reported again.
    var outcome: ConfigurationOutcome?
    /// Whether that is written down.
    var isOutcomeKept = false

    /// Which note of feedback was its last; 0 before the first.
    var lastNote: UInt64 = 0

    /// Whether it has ever asked in a way that decodes nothing.
    var readsWithoutLibrary = false

    /// How many calls it may make; an app that asks one thing after the other never comes to the end of it.
    var calls = Allowance(most: 50_000, perSecond: 5_000)

    /// How many were answered in which turn of the service.
    var answered = (turn: UInt64(0), calls: 0)

    /// The program that it was known by, if the agent did not launch it.
    let program: RunningProgram?

    init(record: LaunchRecord, descriptor: Int32, program: RunningProgram? = nil) {
        self.record = record
        self.descriptor = descriptor
        self.program = program
    }

    deinit {
        close(descriptor)
    }

    /// How sure it is that this is the app.
    var trust: AppTrust { program == nil ? record.trust : .verified }

    /// Whether it still runs; while it does, its number belongs to nobody else.
    var isAlive: Bool { clinux_process_alive(descriptor) == 1 }

    /// Whether it is still what it was known by: a launched one while it runs, another while it also runs its program.
    var isItself: Bool {
        program.map { $0.isStillRun(by: record.process, descriptor: descriptor, as: record.user) } ?? isAlive
    }
}

/// One connection of an app, on the service's thread.
final class AppConnection {
    /// What the connection has become; a stream keeps it to itself.
    enum Use {
        case calls
        /// With `trials` it is also sent configurations to be tried.
        case configuration(told: AppState?, trials: Bool)
        /// The agent sends it nothing until the notes that were under way at its start have ended.
        case defaults(told: DefaultsState?, since: NotesUnderWay.Moment)
        case secrets(SecretKind, told: [AppSecrets.Entry]?)
        /// Requests over HTTP, the last of which may wait until something changes.
        case requests(waiting: HTTPRequest?)
    }

    let process: AppProcess
    var socket: SocketConnection
    var use: Use

    /// What is to be tried, until it is on its way.
    var trial: ConfigurationTrial?

    /// Whether it waits for its next turn; nothing is read meanwhile.
    var isDeferred = false

    /// The secret whose key is at work for it; nothing more is read meanwhile.
    var signing: AppSecrets.Entry?

    /// Whether its report is being written down; nothing more is read meanwhile.
    var reporting: Reporting?

    enum Reporting { case withAnswer, withoutAnswer }

    /// Whether it can take another call, or another word.
    var isFree: Bool {
        if case .requests(_?) = use { return false }
        return !socket.isWriting && signing == nil && reporting == nil
    }

    /// Whether it speaks HTTP.
    var speaksHTTP: Bool { if case .requests = use { true } else { false } }

    /// Whether the connection closes once the app has read the last message.
    var isLast = false

    /// The process at the other end, where it is not the launched one but one that this started.
    private let member: (number: Int32, descriptor: Int32)?

    private var sender: Int32 { member?.number ?? process.record.process }

    /// Whether who connected was found by number, on a kernel that does not say more: whatever it is, it is not as sure.
    private(set) var isByNumber: Bool

    /// What the process behind it has to send back to be known for sure, once it asked for something that takes that.
    private var proof: String?

    /// The challenge that the process must answer first; nil for launched processes.
    var challenge: String?

    /// How sure it is that what asks here is the app.
    var trust: AppTrust { isByNumber ? min(process.trust, .verified) : process.trust }

    /// Whether a secret is withheld only until the process behind it has answered a challenge.
    func needsProof(for state: AppState) -> Bool {
        isByNumber && state.withholds(from: trust) && !state.withholds(from: process.trust)
    }

    /// What it has to send back.
    ///
    /// What it sends comes from the app's process by the kernel's word; that came after we looked at the process is new:
    /// who had its number before cannot have sent it.
    func challengeNumber(_ challenge: String) -> VarlinkError {
        let proof = proof ?? challenge
        self.proof = proof
        return .identificationNeeded(proof)
    }

    /// Takes an answer; false if it is a wrong one.
    func prove(_ answer: String) -> Bool {
        guard let proof else { return true }
        guard answer.utf8.elementsEqual(proof.utf8) else { return false }
        (self.proof, isByNumber) = (nil, false)
        return true
    }

    /// Whether the app runs, and the process at the other end.
    var isAlive: Bool { process.isItself && member.map { clinux_process_alive($0.descriptor) == 1 } ?? true }

    /// Takes a connection of the launched process, or of a member of its cgroup, whose descriptor it then has.
    init(
        process: AppProcess, descriptor: Int32, member: (number: Int32, descriptor: Int32)? = nil,
        isByNumber: Bool = false, challenge: String? = nil, use: Use = .calls, closer: DescriptorCloser
    ) {
        self.process = process
        self.member = member
        self.isByNumber = isByNumber
        self.challenge = challenge
        self.use = use
        socket = SocketConnection(descriptor: descriptor, closer: closer)
        if speaksHTTP { socket.speakHTTP() }
    }

    deinit {
        if let member { close(member.descriptor) }
    }

    /// Reads once.
    ///
    /// It accepts messages from the connected process alone: not from a child with the same socket, and not from a
    /// later process with the same number.
    func receive() -> SocketConnection.Reception {
        var none: [Int32] = []
        let sender = sender
        let user = process.record.user
        return socket.receive(descriptors: &none) { $0.pid == sender && (user == nil || $0.uid == user) }
    }
}

/// One command at the control socket, on the service's thread.
final class ControlConnection {
    var socket: SocketConnection

    /// The caller's input and outputs, until an app has them.
    var descriptors: [Int32] = []

    /// The app that was opened.
    var process: UInt64?

    /// What is to be opened.
    struct Opening: Sendable {
        let plan: LaunchPlan
        let request: ControlMessages.Open
    }

    /// What is opened once its files have been compared.
    var opening: Opening?

    /// Whether an answer is still being worked on elsewhere.
    var isAsking = false

    /// The user ID of the connected process.
    let user: UInt32

    private let closer: DescriptorCloser

    init(descriptor: Int32, user: UInt32, closer: DescriptorCloser) {
        socket = SocketConnection(descriptor: descriptor, closer: closer)
        self.user = user
        self.closer = closer
    }

    deinit {
        closeDescriptors()
    }

    func closeDescriptors() {
        closer.close(descriptors, from: user)
        descriptors = []
    }

    /// Reads once, and accepts messages from the connected user alone.
    func receive() -> SocketConnection.Reception {
        let user = user
        return socket.receive(descriptors: &descriptors, atMost: 3 - descriptors.count) { $0.uid == user }
    }

    static func isTrusted(_ user: UInt32) -> Bool {
        user == 0 || user == geteuid()
    }
}
