import AppMessages
import Foundation
import Logging

/// What apps ask, and what they are told.
extension AppServiceLoop {
    /// Moves a connection on after an event.
    func serve(_ connection: AppConnection, _ token: UInt64, _ readiness: Poll.Readiness) {
        // A peer that has gone can still have left something to be read.
        if readiness.contains(.hungUp), connection.socket.isWriting { return drop(token) }
        if readiness.contains(.writable) {
            var encoded: [String: Data] = [:]
            guard flush(connection, token) else { return }
            tell(connection, token, &encoded)
            guard endpoints[token] != nil, answer(connection, token) else { return }
        }
        guard readiness.contains(.readable), !connection.socket.isWriting else { return }
        switch connection.receive() {
        case .read:
            _ = answer(connection, token)
        case .waiting:
            break
        case .ended:
            drop(token)
        case .stranger:
            context.log.notice(
                "a message from another process on an app's connection was refused",
                metadata: ["app": "\(connection.process.record.bundleIdentifier)"])
            drop(token)
        }
    }

    /// Tells a watching app its state when that differs from what it was told last.
    func tell(_ connection: AppConnection, _ token: UInt64, _ encoded: inout [String: Data]) {
        guard let states, case .configuration(let told) = connection.use, !connection.socket.isWriting else { return }
        let app = connection.process.record.bundleIdentifier
        let state = states[app]
        guard state != told else { return }
        guard connection.process.isAlive else { return drop(token) }
        let message = encoded[app] ?? Varlink.reply(ConfigurationState(state), continues: true)
        encoded[app] = message
        // What is taken away and comes back is judged anew, even with the same words.
        if state.version != told?.version { connection.process.outcome = nil }
        connection.use = .configuration(told: state)
        write(message, connection, token)
    }

    // Answers what has been gathered, one call after the other, as long as the app takes the answers.
    private func answer(_ connection: AppConnection, _ token: UInt64) -> Bool {
        while !connection.socket.isWriting {
            switch connection.socket.next() {
            case .nothing:
                return true
            case .end:
                drop(token)
                return false
            case .message(let message):
                guard case .calls = connection.use, let call = try? VarlinkCall(parsing: message) else {
                    context.log.notice(
                        "an app sent what is not a call",
                        metadata: ["app": "\(connection.process.record.bundleIdentifier)"])
                    drop(token)
                    return false
                }
                let reply = answer(call, connection)
                if case .configuration = connection.use {
                    var encoded: [String: Data] = [:]
                    tell(connection, token, &encoded)
                } else if let reply, !call.oneway {
                    write(reply, connection, token)
                }
                guard endpoints[token] != nil else { return false }
            }
        }
        return true
    }

    private func answer(_ call: VarlinkCall, _ connection: AppConnection) -> Data? {
        do {
            switch try AppCall(call) {
            case .watchConfiguration:
                connection.use = .configuration(told: nil)
                return nil
            case .reportConfiguration(let outcome):
                report(outcome, connection.process)
                return Varlink.reply(Varlink.Nothing())
            case .watchSecrets:
                // Nothing is provisioned yet; the stream stays, as it will when something is.
                connection.use = .secrets
                return Varlink.reply(SecretIdentifiers([]), continues: true)
            case .getSecret, .sign:
                throw VarlinkError.invalidIdentifier
            case .information:
                return Varlink.reply(AppInterface(version: "1"))
            case .interfaceDescription(let interface):
                return Varlink.reply(try AppInterface.Description(of: interface))
            }
        } catch {
            return Varlink.reply(error as? VarlinkError ?? .internalError)
        }
    }

    private func report(_ outcome: ConfigurationOutcome, _ process: AppProcess) {
        guard outcome != process.outcome else { return }
        process.outcome = outcome
        context.report(
            ConfigurationReport(
                bundleIdentifier: process.record.bundleIdentifier, version: outcome.version, valid: outcome.valid,
                code: outcome.code, message: outcome.message, keyPath: outcome.keyPath,
                keyPathSupplied: outcome.keyPathSupplied, at: context.now()))
    }

    private func write(_ message: Data, _ connection: AppConnection, _ token: UInt64) {
        connection.socket.write(message)
        _ = flush(connection, token)
    }

    // Hands over what the app takes; while something is left only that is waited for.
    private func flush(_ connection: AppConnection, _ token: UInt64) -> Bool {
        guard connection.socket.flush() else {
            drop(token)
            return false
        }
        let writing = connection.socket.isWriting
        poll.change(connection.socket.descriptor, token, reading: !writing, writing: writing)
        return true
    }
}

extension ConfigurationState {
    /// What an app is told of its state.
    init(_ state: AppState) {
        self.init(
            managed: state.managed, synchronised: state.synchronised, stale: state.stale, version: state.version,
            configuration: state.configuration, generation: state.generation)
    }
}
