package import AppMessages
import CLinux
package import Foundation
package import ManagedApp
import Synchronization

/// An agent in this process whose secrets a test sets: a real socket, and the agent's own messages.
package final class PlayedAgent: Sendable {
    /// Everything an app can be given.
    package struct Secrets: Sendable {
        package var passwords: [String: String] = [:]
        package var certificates: [String: Data] = [:]
        package var identities: [String: PlayedIdentity] = [:]

        /// What the agent says in place of a secret.
        package var failures: [String: VarlinkError] = [:]

        /// How long, in seconds, it thinks before it gives a secret.
        package var delays: [String: Double] = [:]

        /// What it gives when this names it no more.
        package var held: Set<String> = []

        /// Whether it says that it cannot sign.
        package var refusesToSign = false

        func identifiers(_ kind: SecretKind) -> [String] {
            switch kind {
            case .password: passwords.keys.sorted()
            case .certificate: certificates.keys.sorted()
            case .identity: identities.keys.sorted()
            }
        }
    }

    private struct State {
        var secrets = Secrets()
        var listener: Int32 = -1
        var connections: Set<Int32> = []
        var connectionsMade = 0
        var watchers: [Int32: SecretKind] = [:]
        var calls: [String] = []
        var refusesAll = false
    }

    private let directory: URL
    private let state = Mutex(State())

    /// Prepares an agent in a directory of its own.
    package init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Where it listens.
    package var path: String { directory.appending(path: "apps.sock").path }

    /// A link to it, as a launched app has it.
    package func link(patience: Duration = .seconds(3_600)) -> AgentLink {
        AgentLink(origin: AgentLink.Origin(socket: nil, path: path, patience: patience))
    }

    /// The methods that were called, streams included.
    package var calls: [String] { state.withLock { $0.calls } }

    /// How many connections it has had.
    package var connectionsMade: Int { state.withLock { $0.connectionsMade } }

    /// Begins to listen; with `refusing`, to say that nobody here knows the caller.
    package func start(refusing: Bool = false) throws {
        let listener = unsafe clinux_listen(path, 0o600)
        guard listener >= 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        state.withLock {
            $0.listener = listener
            $0.refusesAll = refusing
        }
        Thread.detachNewThread { [weak self] in
            while true {
                var event = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&event, 1, 50) >= 0, let agent = self else { return }
                // Under the lock: once it is closed, its number may be that of somebody else's socket.
                let accepted = agent.state.withLock { $0.listener == listener ? clinux_accept(listener) : nil }
                guard let connection = accepted else { return }
                if connection >= 0 { agent.serve(connection) }
            }
        }
    }

    /// Ends every connection and listens no more.
    package func stop() {
        state.withLock { state in
            if state.listener >= 0 { close(state.listener) }
            state.listener = -1
            // Their threads close them.
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            state.watchers = [:]
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Changes secrets; those who watch a kind that was named hear of it.
    package func change(_ kinds: SecretKind..., change: (inout Secrets) -> Void) {
        state.withLock { state in
            change(&state.secrets)
            for (connection, kind) in state.watchers where kinds.contains(kind) {
                Self.send(Self.identifiers(state.secrets, kind), to: connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        state.withLock {
            $0.connections.insert(connection)
            $0.connectionsMade += 1
        }
        Thread.detachNewThread { [weak self] in
            var reader = FrameReader(limit: FrameReader.callLimit)
            reading: while true {
                let bytes = Self.read(connection)
                guard !bytes.isEmpty else { break }
                reader.append(bytes)
                while let message = try? reader.next() {
                    guard let agent = self, let call = try? VarlinkCall(parsing: message) else { break reading }
                    if let reply = agent.answer(call, connection) { Self.send(reply, to: connection) }
                }
            }
            self?.state.withLock {
                $0.connections.remove(connection)
                $0.watchers[connection] = nil
            }
            close(connection)
        }
    }

    private func answer(_ call: VarlinkCall, _ connection: Int32) -> Data? {
        do {
            let known = try AppCall(call)
            let (secrets, refuses) = state.withLock { state in
                state.calls.append(String(call.method.split(separator: ".").last ?? ""))
                return (state.secrets, state.refusesAll)
            }
            if refuses { throw VarlinkError.permissionDenied }
            switch known {
            case .watchSecrets(let kind):
                // Under the lock: no change falls between the first answer and the place among those who watch.
                state.withLock { state in
                    state.watchers[connection] = kind
                    Self.send(Self.identifiers(state.secrets, kind), to: connection)
                }
                return nil
            case .getSecret(let kind, let identifier):
                if let delay = secrets.delays[identifier] { Thread.sleep(forTimeInterval: delay) }
                while state.withLock({ $0.secrets.held.contains(identifier) }) { Thread.sleep(forTimeInterval: 0.005) }
                return try Self.secret(kind, identifier, of: secrets)
            case .sign(let request):
                if secrets.refusesToSign { throw VarlinkError.serverError }
                guard let identity = secrets.identities[request.identifier],
                    identity.reply.reference == request.reference
                else { throw VarlinkError.invalidIdentifier }
                return Varlink.reply(SignatureReply(try identity.sign(request)))
            default:
                throw VarlinkError.internalError
            }
        } catch {
            return Varlink.reply(error as? VarlinkError ?? .internalError)
        }
    }

    private static func secret(_ kind: SecretKind, _ identifier: String, of secrets: Secrets) throws -> Data {
        if let failure = secrets.failures[identifier] { throw failure }
        let reply: Data? =
            switch kind {
            case .password: secrets.passwords[identifier].map { Varlink.reply(PasswordReply($0)) }
            case .certificate: secrets.certificates[identifier].map { Varlink.reply(CertificateReply($0)) }
            case .identity: secrets.identities[identifier].map { Varlink.reply($0.reply) }
            }
        guard let reply else { throw VarlinkError.invalidIdentifier }
        return reply
    }

    private static func identifiers(_ secrets: Secrets, _ kind: SecretKind) -> Data {
        Varlink.reply(SecretIdentifiers(secrets.identifiers(kind)), continues: true)
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
