import DeviceMessages
import Foundation
import InputBounds
import Logging

/// Takes the server's commands and answers them.
extension Session {
    /// A server that never runs out of commands is left after this many.
    private static let commandLimit = 1_000

    /// Takes commands, and says so when not even a renewal can be fetched any more.
    mutating func takeFirstCommands(_ undone: [String: Data]) async throws {
        do {
            try await takeCommands(undone)
        } catch ServerRefusal.identityExpired {
            log.error(
                "this device's identity has expired and the server takes it no longer, not even to renew it: an administrator must give it a new enrollment code that replaces it (enrollment-code create --replaces), for martlet-agent unenroll and then enroll"
            )
            throw ServerRefusal.identityExpired
        }
    }

    /// Takes commands until there are none; a result that could not be delivered before goes first.
    ///
    /// `undone` has answers that the disk did not take: the agent sends each in place of the stored result, and again
    /// later.
    private mutating func takeCommands(_ undone: [String: Data]) async throws {
        let waiting = device.known.commands.undelivered
        var report = waiting?.report ?? CommandReport(identifier: requests.identifier, status: .idle).encoded()
        var reported = waiting?.uuid
        if let waiting, let answer = undone[waiting.uuid] { (report, reported) = (answer, nil) }
        for _ in 0..<Self.commandLimit {
            let answer = try await requests.command(report)
            let delivered = reported
            guard !answer.isEmpty else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                return
            }
            guard let command = try? Command(parsing: answer) else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                let limits = InputLimits.message
                let uuid = (try? PropertyListValue(parsing: answer, limits: limits))?["CommandUUID"]?.string
                report = CommandReport(identifier: requests.identifier, status: .commandFormatError, commandUUID: uuid)
                    .encoded()
                reported = nil
                // Without a UUID the server cannot tell which command is meant, and would only repeat it.
                guard uuid != nil else {
                    _ = try await requests.command(report)
                    return
                }
                continue
            }
            guard isReady(command.requestType) else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                report = CommandReport(identifier: requests.identifier, status: .notNow, commandUUID: command.uuid)
                    .encoded()
                reported = nil
                continue
            }
            let known = DeviceCommands.command(of: command.requestType)
            if case .action(let action)? = known?.execution {
                report = try await act(command, by: action, needs: known?.right, delivered: delivered)
                reported = command.uuid
                continue
            }
            let prepared = try await prepared(for: command)
            let (result, synchronize) = try execute(command, by: prepared, delivered: delivered)
            report = result
            reported = command.uuid
            if isAwaited(command) {
                let next = try await requests.command(report)
                try device.change { $0.commands.delivered(command.uuid) }
                publish()
                guard !next.isEmpty else { return }
                // There is another command: ask for it anew, which a machine that goes down does after that.
                report = CommandReport(identifier: requests.identifier, status: .idle).encoded()
                reported = nil
            }
            if case .some(let tokens) = synchronize {
                // Acknowledged at once; the sync follows in requests of its own.
                owesSynchronization = true
                let next = try await requests.command(report)
                try device.change { $0.commands.delivered(command.uuid) }
                owesSynchronization = false
                try await follow(machine.handle(.command(tokens)))
                guard !next.isEmpty else { return }
                // There is another command: ask for it anew, now that the declarations are in place.
                report = CommandReport(identifier: requests.identifier, status: .idle).encoded()
                reported = nil
            }
        }
    }

    /// Executes a command once: effect, UUID and result are one change; a repeated one gets the same result.
    private mutating func execute(
        _ command: Command, by commands: DeviceCommands, delivered: String?
    ) throws -> (report: Data, synchronize: SyncTokens??) {
        let before = device.known
        defer {
            if device.known.hasOtherCommandedApps(than: before) {
                statusIsDue = true
                publish()
            }
            forgetAnsweredFeedback()
        }
        let wasInSetup = before.isInSetup
        defer {
            if wasInSetup, !device.known.isInSetup {
                log.notice("the server has let this device out of its setup: apps may be opened")
                statusIsDue = true
                publish()
            }
        }
        var taken: [String?] = []
        defer { feedbackAsked += taken }
        let known = DeviceCommands.command(of: command.requestType)
        let isRepeated = before.commands.answer(to: command.uuid) != nil
        return try device.change(
            contents: known?.contents(command) ?? [:], forgetting: known?.withdraws == true && !isRepeated
        ) { state in
            if let delivered { state.commands.delivered(delivered) }
            if let report = state.commands.answer(to: command.uuid), command.requestType != "DeclarativeManagement" {
                return (report, nil)
            }
            let outcome = commands.execute(command, on: &state)
            log.info("a command was executed", metadata: ["type": "\(command.requestType.prefix(64))"])
            switch outcome {
            case .report(let report):
                state.commands.record(command.uuid, report: report.encoded())
                return (report.encoded(), nil)
            case .takeFeedback(let report, let app):
                state.commands.record(command.uuid, report: report.encoded())
                taken.append(app)
                return (report.encoded(), nil)
            case .synchronize(let report, let tokens):
                state.commands.record(command.uuid, report: report.encoded())
                return (report.encoded(), .some(tokens))
            }
        }
    }
}
