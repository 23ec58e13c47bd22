import AppMessages
import DeviceMessages
import Foundation
import Logging

/// What apps ask, and what they are told.
extension AppServiceLoop {
    /// Moves a connection on after an event.
    func serve(_ connection: AppConnection, _ token: UInt64, _ readiness: Poll.Readiness) {
        // A peer that has gone can still have left something to be read.
        if readiness.contains(.hungUp), !connection.isFree || connection.isDeferred { return drop(token) }
        if readiness.contains(.writable) {
            var encoded: [String: Data] = [:]
            guard flush(connection, token) else { return }
            tell(connection, token, &encoded)
            guard endpoints[token] != nil, answer(connection, token) else { return }
        }
        guard readiness.contains(.readable), connection.isFree, !connection.isDeferred else { return }
        switch connection.receive() {
        case .read:
            takeStates()
            guard endpoints[token] != nil else { return }
            guard connection.isAlive else { return changed(connection, token) }
            _ = answer(connection, token)
        case .waiting:
            break
        case .ended:
            drop(token)
        case .excess:
            refuse(.malformed, "an app sent file descriptors, which no call takes", connection.process)
            drop(token)
        case .stranger:
            refuse(
                .otherSender, "a message from another process on an app's connection was refused", connection.process)
            drop(token)
        }
    }

    /// Tells a watching app what it watches when that differs from what it was told last.
    func tell(_ connection: AppConnection, _ token: UInt64, _ encoded: inout [String: Data]) {
        guard let states, !connection.socket.isWriting else { return }
        if case .requests(let waiting) = connection.use {
            if let waiting { tell(waiting, connection, token) }
            return
        }
        let identity = connection.process.record.identity
        let state = states[identity]
        if case .defaults(let told, let since) = connection.use {
            return tell(state, told: told, since: since, connection, token)
        }
        if case .secrets(let kind, let told) = connection.use {
            // It asks again, and is asked who it is.
            guard !connection.needsProof(for: state) else { return drop(token) }
            let entries = state.withholds(from: connection.trust) ? [] : state.secrets.of(kind)
            return tell(entries, of: kind, told: told, connection, token)
        }
        guard case .configuration(let told, let trials) = connection.use else { return }
        let trial = connection.trial
        guard state != told || trial != nil else { return }
        guard connection.isAlive else { return changed(connection, token) }
        let isRestricted = identity.role?.isRestricted == true
        // A process found by its number gets its secrets once it answers the challenge, so nothing counts as withheld.
        let trust = connection.process.trust
        let key = "\(identity.app) \(identity.identifier) \(isRestricted) \(trust) \(identity.team ?? "")"
        let message: Data
        if let trial {
            connection.trial = nil
            var news = ConfigurationState(state, toldTo: trust)
            news.trial = trial
            message = Varlink.reply(news, continues: true)
        } else {
            message =
                encoded[key] ?? Varlink.reply(ConfigurationState(state, toldTo: trust), continues: true)
            encoded[key] = message
        }
        // What is taken away and comes back is judged anew, even with the same words.
        if state.version != told?.version { connection.process.outcome = nil }
        connection.use = .configuration(told: state, trials: trials)
        write(message, connection, token)
    }

    /// Lists secrets again when the list is another, or a value: the same words then say that something changed.
    private func tell(
        _ entries: [AppSecrets.Entry], of kind: SecretKind, told: [AppSecrets.Entry]?, _ connection: AppConnection,
        _ token: UInt64
    ) {
        guard entries != told else { return }
        guard connection.isAlive else { return changed(connection, token) }
        connection.use = .secrets(kind, told: entries)
        write(Varlink.reply(SecretIdentifiers(entries.map(\.identifier)), continues: true), connection, token)
    }

    // Answers what has been gathered, one call after the other, as long as the app takes the answers.
    func answer(_ connection: AppConnection, _ token: UInt64) -> Bool {
        if connection.speaksHTTP { return answerRequests(connection, token) }
        while connection.isFree, connection.socket.hasUnread {
            guard hasTurn(connection, token) else { return true }
            switch connection.socket.next() {
            case .nothing:
                return true
            case .end:
                refuse(.malformed, "an app sent a message that is longer than any call, or empty", connection.process)
                drop(token)
                return false
            case .message(let message):
                guard case .calls = connection.use, let call = try? VarlinkCall(parsing: message) else {
                    refuse(.malformed, "an app sent what is not a call", connection.process)
                    drop(token)
                    return false
                }
                switch answer(call, connection, token) {
                case .stream:
                    var encoded: [String: Data] = [:]
                    tell(connection, token, &encoded)
                case .later:
                    watch(&connection.socket, for: [], token)
                case .reply(let reply, let isSecret):
                    if call.oneway { break }
                    write(reply, connection, token, isSecret: isSecret)
                }
                guard endpoints[token] != nil else { return false }
            }
        }
        return true
    }

    /// Ends a connection whose app has ended, was removed, or has become something else; only the last is refused.
    func changed(_ connection: AppConnection, _ token: UInt64) {
        let process = connection.process
        if process.isAlive, let program = process.program, !process.isItself,
            !program.isRemoved(under: process.record.process)
        {
            refuse(.changed, "an app that became another program was refused", process)
        }
        drop(token)
    }

    private enum Answer {
        case reply(Data, isSecret: Bool = false)
        /// The connection is a stream from now on.
        case stream
        /// Somebody else is working on it.
        case later
    }

    private func answer(_ call: VarlinkCall, _ connection: AppConnection, _ token: UInt64) -> Answer {
        do {
            if let challenge = connection.challenge { return .reply(try identify(call, connection, challenge, token)) }
            let isOneway = call.oneway
            let call = try AppCall(call)
            noteIfShutOut(call, connection.process)
            switch call {
            case .identify(let answer):
                // Known already, by its launch or by an answer before; or asked since it was found by number.
                guard connection.prove(answer) else {
                    refuse(.challenge, "an app gave a wrong answer", connection.process)
                    throw VarlinkError.permissionDenied
                }
                return .reply(Varlink.reply(Varlink.Nothing()))
            case .watchConfiguration(let trials):
                connection.use = .configuration(told: nil, trials: trials)
                return .stream
            case .reportTrial(let outcome):
                hear(outcome, from: connection.process)
                return .reply(Varlink.reply(Varlink.Nothing()))
            case .reportConfiguration(let outcome):
                return report(outcome, for: connection, token, isOneway: isOneway)
            case .watchSecrets(let kind):
                if let states, connection.needsProof(for: states[connection.process.record.identity]) {
                    throw connection.challengeNumber(Self.challenge())
                }
                connection.use = .secrets(kind, told: nil)
                return .stream
            case .watchDefaults:
                connection.use = .defaults(told: nil, since: notesUnderWay.moment)
                return .stream
            case .putFeedback(let note):
                try take(note, isHandOver: false, for: connection, token, isOneway: isOneway)
                return .later
            case .handOverFeedback(let note):
                try take(note, isHandOver: true, for: connection, token, isOneway: isOneway)
                return .later
            case .getSecret(let kind, let identifier):
                return .reply(try secret(kind, identifier, for: connection), isSecret: true)
            case .sign(let request):
                try sign(request, for: connection, token)
                return .later
            case .information:
                return .reply(Varlink.reply(AppInterface(version: "1")))
            case .interfaceDescription(let interface):
                return .reply(Varlink.reply(try AppInterface.Description(of: interface)))
            }
        } catch {
            return .reply(Varlink.reply(error as? VarlinkError ?? .internalError))
        }
    }

    /// Counts that a restricted extension asks in vain; it is answered as one for which there is nothing.
    private func noteIfShutOut(_ call: AppCall, _ process: AppProcess) {
        switch call {
        case .watchConfiguration, .watchSecrets, .getSecret, .sign: noteIfShutOut(process)
        case .watchDefaults, .putFeedback, .handOverFeedback: return
        case .identify, .reportConfiguration, .reportTrial, .information, .interfaceDescription: return
        }
    }

    /// The same for what is asked in other ways.
    func noteIfShutOut(_ process: AppProcess) {
        guard states?.isShutOut(process.record.identity) == true else { return }
        refuse(.restricted, "a restricted extension without full access was given nothing", process)
    }

    /// Has a report written down elsewhere; the connection waits for it, so that an app that reports without end is as slow
    /// as the disk lets it be, and what was answered is never lost.
    private func report(
        _ outcome: ConfigurationOutcome, for connection: AppConnection, _ token: UInt64, isOneway: Bool
    ) -> Answer {
        let process = connection.process
        if outcome == process.outcome, process.isOutcomeKept { return .reply(Varlink.reply(Varlink.Nothing())) }
        process.outcome = outcome
        process.isOutcomeKept = false
        connection.reporting = isOneway ? .withoutAnswer : .withAnswer
        let identity = process.record.identity
        context.reports.take(
            ConfigurationReport(
                bundleIdentifier: identity.app, extension: identity.extensionName?.identifier,
                version: outcome.version, valid: outcome.valid, code: outcome.code, message: outcome.message,
                keyPath: outcome.keyPath, keyPathSupplied: outcome.keyPathSupplied, at: context.now())
        ) { [inbox] isKept in inbox.reported(outcome, isKept: isKept, for: token) }
        return .later
    }

    /// Answers a report that has been written down, or could not be.
    func reported(_ outcome: ConfigurationOutcome, isKept: Bool, for token: UInt64) {
        guard case .app(let connection)? = endpoints[token], let reporting = connection.reporting else { return }
        connection.reporting = nil
        let process = connection.process
        if process.outcome == outcome { process.isOutcomeKept = isKept }
        guard connection.isAlive else { return drop(token) }
        if reporting == .withAnswer {
            write(
                isKept ? Varlink.reply(Varlink.Nothing()) : Varlink.reply(VarlinkError.internalError), connection, token
            )
        } else {
            watch(&connection.socket, for: .readable, token)
        }
        guard endpoints[token] != nil else { return }
        _ = answer(connection, token)
    }

    func write(_ message: Data, _ connection: AppConnection, _ token: UInt64, isSecret: Bool = false) {
        connection.socket.write(message, isSecret: isSecret)
        _ = flush(connection, token)
    }

    // Hands over what the app takes; while something is left only that is waited for.
    private func flush(_ connection: AppConnection, _ token: UInt64) -> Bool {
        guard connection.socket.flush() else {
            drop(token)
            return false
        }
        if connection.isLast, !connection.socket.isWriting {
            drop(token)
            return false
        }
        // While a key is at work for it nothing is read, as while something is written.
        let readiness: Poll.Readiness = connection.socket.isWriting ? .writable : .readable
        watch(&connection.socket, for: readiness, token)
        return true
    }
}

extension ConfigurationState {
    /// The state for an app with this trust.
    init(_ state: AppState, toldTo trust: AppTrust) {
        self.init(
            managed: state.managed, synchronised: state.synchronised, stale: state.stale, version: state.version,
            configuration: state.configuration, generation: state.generation,
            secretsWithheld: state.withholds(from: trust), needsFullAccess: state.needsFullAccess)
    }
}
