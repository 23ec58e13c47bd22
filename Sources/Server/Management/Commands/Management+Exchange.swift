import Crypto
package import DeviceMessages
package import Foundation
import InputBounds

/// What a device gets for its report.
package enum CommandAnswer: Sendable, Equatable {
    /// 200 with the next command, a property list.
    case command(Data)
    /// 200 with zero bytes: nothing is waiting.
    case nothing
    case refused(DeviceRefusal)
}

extension Management {
    /// Takes a report of a device and answers with its next command.
    package func exchange(
        _ report: CommandReport, signer: Data, showing token: String? = nil
    ) async throws -> CommandAnswer {
        switch try await judge(report.identifier, signer: signer, showing: token) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let context): return try await exchange(report, of: context)
        }
    }

    private func exchange(_ report: CommandReport, of context: DeviceContext) async throws -> CommandAnswer {
        var context = context
        let brief = try await manifestBrief(of: context)
        let token = brief.token
        try await noteWithheld(brief.withheldApps, from: context)
        var event = report.status.event
        var result = Self.result(of: report)

        if let uuid = result?.uuid, uuid == Self.synchronizationUUID(of: context, token: token) {
            // NotNow was the last thing the device said, so it polls again by itself.
            guard event == .finished else { return .nothing }
            try await store.recordTold(
                device: context.key, epoch: context.epoch, token: token, now: moment)
            contexts.forget(context.key)
            guard let present = try await self.context(context.key) else { return .nothing }
            context = present
            result = nil
            event = .finished
        }
        if result?.verdict == .acknowledged, report.contents[AnsweredFeedback.key] != nil {
            result?.feedback = try await feedback(in: report, of: context)
        }
        if result != nil || context.hasOpenCommands {
            let step = try await store.exchange(event, result: result, device: context.key, now: moment)
            if let feedback = result?.feedback, !feedback.isEmpty { webhookBell.ring() }
            if step.hasOpenCommands != context.hasOpenCommands { contexts.forget(context.key) }
            if let next = step.next { return .command(try await outgoing(next, step, to: context)) }
            // A command that was put off is the last thing said: what follows would keep the device from polling.
            if event == .notNow, step.knownResult { return .nothing }
        }
        guard context.told.token != token else { return .nothing }
        return .command(try Self.synchronization(of: context, try await manifest(of: context)))
    }

    private func feedback(in report: CommandReport, of context: DeviceContext) async throws -> [AppFeedbackStatus] {
        guard let uuid = report.commandUUID, let command = try await store.command(uuid, of: context.key) else {
            return []
        }
        return AnsweredFeedback(in: report.contents, to: command, at: moment).lives
    }

    /// The command that announces declarations is never queued: it is made from what the device knows.
    private static func synchronization(of context: DeviceContext, _ manifest: Manifest) throws -> Data {
        let uuid = synchronizationUUID(of: context, token: manifest.declarationsToken)
        return try Command(
            uuid: uuid,
            request: .dictionary([
                "RequestType": .string("DeclarativeManagement"), "Data": .data(manifest.tokensDocument),
            ])
        ).encoded()
    }

    /// The same for the same device, token and life of the enrollment, and different for every telling.
    static func synchronizationUUID(of context: DeviceContext, token: String) -> String {
        var hash = SHA256()
        for part in ["synchronise", context.key, token, "\(context.epoch)", "\(context.told.sequence)"] {
            hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        return uuid(Array(hash.finalize().prefix(16)))
    }

    static func uuid(_ digest: [UInt8]) -> String {
        var bytes = digest
        // RFC 9562 version 8: a UUID of our own making.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Hexadecimal.text(bytes).uppercased()
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { text.dropFirst($0.0).prefix($0.1) }
        return parts.joined(separator: "-")
    }

    static func result(of report: CommandReport) -> CommandResult? {
        guard let uuid = report.commandUUID, uuid.utf8.count <= 256 else { return nil }
        let verdict: CommandResult.Verdict
        switch report.status {
        case .idle: return nil
        case .notNow: return CommandResult(uuid: uuid, verdict: .notNow, document: nil, tooLarge: false)
        case .acknowledged: verdict = .acknowledged
        case .error: verdict = .error
        case .commandFormatError: verdict = .commandFormatError
        }
        let document = report.encoded()
        let fits = document.count <= CommandLimits.resultBytes
        return CommandResult(uuid: uuid, verdict: verdict, document: fits ? document : nil, tooLarge: !fits)
    }
}

extension CommandStatus {
    fileprivate var event: CommandQueue.Report {
        switch self {
        case .idle: .idle
        case .notNow: .notNow
        case .acknowledged, .error, .commandFormatError: .finished
        }
    }
}
