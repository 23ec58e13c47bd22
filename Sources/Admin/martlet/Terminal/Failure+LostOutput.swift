import CommandOutput

extension Failure {
    /// The output could not be written: what that means depends on whether the command changed something.
    init(_ loss: OutputLoss, isChangeMade: Bool) {
        self.init(
            .failed, loss.reason,
            advice: isChangeMade
                ? "The change was made, and its output is lost: a code, password or secret in it is not shown again."
                : "Nothing was changed on the server. Run the command again with an output that can be written to.")
    }

    /// This failure, which says if output was lost before it.
    func withLostOutput(_ loss: OutputLoss?) -> Failure {
        guard let loss, reason != loss.reason else { return self }
        let lines = [advice, "Before that, \(loss.reason)."].compactMap(\.self)
        return Failure(status, reason, advice: lines.joined(separator: "\n"))
    }
}
