import Management
import Synchronization

/// How many attempts to deliver succeeded and failed since the server began.
package final class WebhookTally: Sendable {
    private let successes = Atomic(0)
    private let failures = Atomic(0)

    package var delivered: Int { successes.load(ordering: .relaxed) }
    package var failed: Int { failures.load(ordering: .relaxed) }

    func count(_ answer: WebhookAnswer) {
        if WebhookCourse.isDelivered(answer) {
            successes.add(1, ordering: .relaxed)
        } else {
            failures.add(1, ordering: .relaxed)
        }
    }
}
