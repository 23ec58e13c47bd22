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

    /// What its decoder said last, so that a repetition is not reported again.
    var outcome: ConfigurationOutcome?

    init(record: LaunchRecord, descriptor: Int32) {
        self.record = record
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// How sure it is that this is the app.
    var trust: AppTrust { record.trust }

    /// Whether it still runs; while it does, its number belongs to nobody else.
    var isAlive: Bool { clinux_process_alive(descriptor) == 1 }
}

/// One connection of an app, on the service's thread.
final class AppConnection {
    /// What the connection has become; a stream keeps it to itself.
    enum Use {
        case calls
        case configuration(told: AppState?)
        case secrets(SecretKind, told: [AppSecrets.Entry]?)
        /// Requests over HTTP, the last of which may wait until something changes.
        case requests(waiting: HTTPRequest?)
    }

    let process: AppProcess
    var socket: SocketConnection
    var use: Use

    /// The secret whose key is at work for it; nothing more is read meanwhile.
    var signing: AppSecrets.Entry?

    /// Whether it can take another call, or another word.
    var isFree: Bool {
        if case .requests(_?) = use { return false }
        return !socket.isWriting && signing == nil
    }

    /// Whether it ends when what it is told has been taken.
    var isLast = false

    /// The process at the other end, where it is not the launched one but one that this started.
    private let member: (number: Int32, descriptor: Int32)?

    private var sender: Int32 { member?.number ?? process.record.process }

    /// How sure it is that what asks here is the app.
    var trust: AppTrust { process.trust }

    /// Whether the app runs, and the process at the other end.
    var isAlive: Bool { process.isAlive && member.map { clinux_process_alive($0.descriptor) == 1 } ?? true }

    /// Takes a connection of the launched process, or of a member of its cgroup, whose descriptor it then has.
    init(
        process: AppProcess, descriptor: Int32, member: (number: Int32, descriptor: Int32)? = nil, use: Use = .calls
    ) {
        self.process = process
        self.member = member
        self.use = use
        socket = SocketConnection(descriptor: descriptor)
        if case .requests = use { socket.speaksHTTP() }
    }

    deinit {
        if let member { close(member.descriptor) }
    }

    /// Reads once.
    ///
    /// Only the process whose connection it is is heard: not a child that it lent its socket to, and not what came after
    /// it under its number.
    func receive() -> SocketConnection.Reception {
        var none: [Int32] = []
        let sender = sender
        let user = process.record.user
        let result = socket.receive(descriptors: &none) { $0.pid == sender && (user == nil || $0.uid == user) }
        if case .read = result, !isAlive { return .stranger }
        return result
    }
}

/// One command at the control socket, on the service's thread.
final class ControlConnection {
    var socket: SocketConnection

    /// The caller's input and outputs, until an app has them.
    var descriptors: [Int32] = []

    /// The app that was opened.
    var process: UInt64?

    /// Whether an answer is still being worked on elsewhere.
    var isAsking = false

    /// Who connected.
    let user: UInt32

    init(descriptor: Int32, user: UInt32) {
        socket = SocketConnection(descriptor: descriptor)
        self.user = user
    }

    deinit {
        closeDescriptors()
    }

    func closeDescriptors() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    /// Reads once; only root and the agent's own user are heard.
    func receive() -> SocketConnection.Reception {
        let result = socket.receive(descriptors: &descriptors, atMost: Int32(3 - descriptors.count)) {
            ControlConnection.isTrusted($0.uid)
        }
        return result
    }

    static func isTrusted(_ user: UInt32) -> Bool {
        user == 0 || user == geteuid()
    }
}
