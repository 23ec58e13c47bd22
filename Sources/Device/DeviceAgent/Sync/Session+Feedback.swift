import DeviceMessages
import Foundation

/// Has apps hand over what they counted, and tells the server.
extension Session {
    /// How long apps are waited for that were asked; who has not answered is asked again at the next round.
    private static let feedbackPatience = Duration.seconds(5)

    /// What is to be told now: nothing where the server has not asked to hear of it.
    func feedback(for state: AgentState) -> [AppFeedbackStatus] {
        guard state.applied.subscriptions.contains(AppFeedbackStatus.name) else { return [] }
        return device.feedback.waiting.filter { !state.answeredLives.contains($0.life) }
    }

    /// Asks apps and waits until they have handed over, or for long enough.
    func takeFeedback(of apps: [String?]) async {
        for app in apps { device.feedback.ask(app, isAwaited: true) }
        await device.feedback.settle()
        let asked = device.feedback.due.filter { app in apps.contains { $0 == nil || $0 == app } }
        let clock = ContinuousClock()
        let deadline = clock.now + Self.feedbackPatience
        while clock.now < deadline, !device.feedback.due.isDisjoint(with: asked) {
            guard (try? await clock.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }
}
