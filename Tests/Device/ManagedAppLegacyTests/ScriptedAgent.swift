import AppMessages
import CLinux
import Foundation
import ManagedApp
import Synchronization

/// An agent in this process that keeps the two dictionaries of one app: a real socket, and the agent's own messages.
final class ScriptedAgent: Sendable {
    private struct State {
        var listener: Int32 = -1
        var connections: Set<Int32> = []
        var watchers: Set<Int32> = []
        var configuration: Data?
        var lives = 1
        var note: FeedbackNote?
        var handed: [FeedbackNote] = []
        var takes = false

        var life: String { "life-\(lives)" }

        var told: DefaultsState {
            DefaultsState(
                configuration: configuration, version: "", life: life, sequence: note?.sequence ?? 0,
                feedback: note?.feedback, take: takes)
        }
    }

    private let directory: URL
    private let state = Mutex(State())
    private let knowsDefaults: Bool

    /// With `feedback`, it starts with one note of the app.
    init(configuration: [String: Any]? = nil, feedback: [String: Any]? = nil, knowsDefaults: Bool = true) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        self.knowsDefaults = knowsDefaults
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let configuration = configuration.flatMap(propertyList)
        let feedback = feedback.flatMap(propertyList)
        state.withLock { state in
            state.configuration = configuration
            if let feedback { state.note = FeedbackNote(life: state.life, sequence: 1, feedback: feedback) }
        }
        let listener = unsafe clinux_listen(path, 0o600)
        guard listener >= 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        state.withLock { $0.listener = listener }
        Thread.detachNewThread { [weak self] in
            while true {
                var event = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&event, 1, 50) >= 0, let agent = self else { return }
                let accepted = agent.state.withLock { $0.listener == listener ? clinux_accept(listener) : nil }
                guard let connection = accepted else { return }
                if connection >= 0 { agent.serve(connection) }
            }
        }
    }

    deinit {
        state.withLock { state in
            close(state.listener)
            state.listener = -1
            // Their threads close them.
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        try? FileManager.default.removeItem(at: directory)
    }

    var path: String { directory.appending(path: "apps.sock").path }

    /// How a process reaches it.
    var origin: AgentLink.Origin { AgentLink.Origin(socket: nil, path: path, patience: .seconds(240)) }

    /// The newest note, read.
    var feedback: [String: Any]? { state.withLock(\.note)?.feedback.flatMap(dictionary) }

    /// What was handed over, in order.
    var handed: [FeedbackNote] { state.withLock(\.handed) }

    func configure(_ configuration: [String: Any]?) {
        let configuration = configuration.flatMap(propertyList)
        tell { $0.configuration = configuration }
    }

    /// Asks for the feedback.
    func take() { tell { $0.takes = true } }

    private func tell(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            for watcher in state.watchers { Self.send(Varlink.reply(state.told, continues: true), to: watcher) }
        }
    }

    private func serve(_ connection: Int32) {
        state.withLock { _ = $0.connections.insert(connection) }
        Thread.detachNewThread { [weak self] in
            var reader = FrameReader(limit: FrameReader.callLimit)
            reading: while true {
                let bytes = Self.read(connection)
                guard !bytes.isEmpty else { break }
                reader.append(bytes)
                while let message = try? reader.next() {
                    guard let agent = self, let call = try? VarlinkCall(parsing: message) else { break reading }
                    agent.answer(call, connection)
                }
            }
            self?.state.withLock {
                $0.connections.remove(connection)
                $0.watchers.remove(connection)
            }
            close(connection)
        }
    }

    private func answer(_ call: VarlinkCall, _ connection: Int32) {
        let known = try? AppCall(call)
        state.withLock { state in
            switch knowsDefaults ? known : nil {
            case .watchDefaults?:
                state.watchers.insert(connection)
                Self.send(Varlink.reply(state.told, continues: true), to: connection)
            case .putFeedback(let note)?:
                if note.life == state.life, note.sequence > state.note?.sequence ?? 0 { state.note = note }
                Self.send(Varlink.reply(FeedbackLife(life: state.life)), to: connection)
            case .handOverFeedback(let note)?:
                if note.life == state.life {
                    state.handed.append(note)
                    state.lives += 1
                    (state.note, state.takes) = (nil, false)
                }
                Self.send(Varlink.reply(FeedbackLife(life: state.life)), to: connection)
            default:
                Self.send(Varlink.reply(VarlinkError.interfaceNotFound("dev.martlet.Defaults")), to: connection)
            }
        }
    }

    private static func send(_ message: Data, to connection: Int32) {
        unsafe message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe clinux_send_all(connection, start, bytes.count, 240_000)
        }
    }

    private static func read(_ connection: Int32) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return [] }
            let count = unsafe clinux_read(connection, start, buffer.count, 600_000)
            return count > 0 ? unsafe [UInt8](buffer[..<count]) : []
        }
    }
}

func propertyList(_ dictionary: [String: Any]) -> Data? {
    try? PropertyListSerialization.data(fromPropertyList: dictionary, format: .xml, options: 0)
}

func dictionary(_ data: Data) -> [String: Any]? {
    unsafe try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
}
