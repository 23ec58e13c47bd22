import AdminMessages

/// A command and its answer.
struct CommandExchange {
    let device: String
    let server: Server

    /// Sends a command and waits until the device has answered; an answer that is a failure is thrown.
    func answer(to request: CommandRequest, within span: TimeSpan) async throws -> CommandDetail {
        let queued: CommandSummary = try await server.post(request, "devices", device, "commands")
        return try await answer(toQueued: queued, within: span)
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
            throw Failure(
                .failed, (["the command ended as \(detail.state.rawValue)"] + chain).joined(separator: "; "))
        }
        return detail
    }
}

/// An answer as people read it: one line for each value.
enum AnswerText {
    static func text(of answer: JSON?) -> String {
        guard case .object(let members) = answer, !members.isEmpty else { return "Acknowledged." }
        var facts = Facts()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { facts.add(name, DeviceText.text(value)) }
        return facts.text
    }
}
