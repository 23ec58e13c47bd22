import AdminMessages
import InputBounds

/// A command and its answer.
struct CommandExchange {
    let device: String
    let server: Server

    /// Queues a command, and complains of what the server says of it.
    ///
    /// With force a configuration that the command brings is sent although the app refuses it, or a value looks like a
    /// secret.
    func queue(_ request: CommandRequest, force: Bool = false) async throws -> CommandSummary {
        try await queue(Server.Body(json: request), force)
    }

    /// The same of a command that is a property list: its values have types that JSON has not.
    func queue(_ request: PropertyListValue, force: Bool = false) async throws -> CommandSummary {
        try await queue(Server.Body(bytes: request.xml(), mediaType: "application/xml"), force)
    }

    private func queue(_ body: Server.Body, _ force: Bool) async throws -> CommandSummary {
        let queued: CommandSummary = try await server.send(
            .post, ["devices", device, "commands"], query: force ? [("force", "true")] : [], body: body
        ).decoded()
        for warning in queued.warnings ?? [] { Terminal.complain("warning: \(Printable.line(warning))") }
        return queued
    }

    /// Sends a command and waits until the device has answered; an answer that is a failure is thrown.
    func answer(to request: CommandRequest, within span: TimeSpan) async throws -> CommandDetail {
        try await answer(toQueued: queue(request), within: span)
    }

    /// The same of a command that is queued already.
    func answer(toQueued queued: CommandSummary, within span: TimeSpan) async throws -> CommandDetail {
        let detail: CommandDetail? = try await Patience(span.duration, for: "waiting for the device").wait {
            let detail: CommandDetail = try await server.get("devices", device, "commands", queued.uuid)
            return detail.state.isFinal ? detail : nil
        }
        guard let detail else {
            throw Failure(
                .failed, "the device did not answer within \(span.defaultValueDescription)",
                advice: "The command stays queued as \(queued.uuid): martlet device commands \(Printable.line(device))")
        }
        guard detail.state == .acknowledged else {
            let chain = detail.errorChain.map { error in
                "\(error.domain) \(error.code)" + (error.description.map { ": \($0)" } ?? "")
            }
            let rejection = detail.answer?["RejectionReason"]?.text.map { ["rejected as \($0)"] } ?? []
            throw Failure(
                .failed,
                (["the command ended as \(detail.state.rawValue)"] + rejection + chain).joined(separator: "; "))
        }
        return detail
    }
}

/// An answer as people read it: one line for each value.
enum AnswerText {
    static func text(of answer: JSON?, nothing: String = "Acknowledged.") -> String {
        guard case .object(let members) = answer, !members.isEmpty else { return nothing }
        var facts = Facts()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { facts.add(name, DeviceText.text(value)) }
        return facts.text
    }
}
