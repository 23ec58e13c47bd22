package import DeviceMessages

/// What the agent knows of one app's feedback at a moment.
package struct KnownFeedback: Equatable, Sendable {
    /// Lives that were handed over and wait for the server, the oldest first.
    package var waiting: [AppFeedbackStatus]

    /// What the life that goes on says so far; its end is the moment.
    package var present: AppFeedbackStatus?

    package init(waiting: [AppFeedbackStatus] = [], present: AppFeedbackStatus? = nil) {
        (self.waiting, self.present) = (waiting, present)
    }

    /// Whether there is something to be read.
    package var isEmpty: Bool { waiting.isEmpty && present == nil }

    /// The same without lives that a command has told.
    package func without(_ lives: Set<String>) -> KnownFeedback {
        KnownFeedback(waiting: waiting.filter { !lives.contains($0.life) }, present: present)
    }
}
