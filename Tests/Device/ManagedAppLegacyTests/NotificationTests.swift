import Foundation
import ManagedAppLegacy
import Synchronization
import Testing
import Waiting

@Suite(.timeLimit(.minutes(10)))
struct NotificationTests {
    private final class Heard: Sendable {
        let count = Mutex(0)
    }

    @Test func aSequenceHasWhatIsPostedFromTheCallOn() async {
        let name = Notification.Name("dev.martlet.test.\(UUID().uuidString)")
        let notifications = NotificationCenter.default.notifications(named: name)
        NotificationCenter.default.post(name: name, object: nil)
        for await notification in notifications {
            #expect(notification.name == name)
            break
        }
    }

    @Test func aNoticeComesWhereNobodyServesTheMainQueue() async throws {
        let stopped = OperationQueue()
        stopped.isSuspended = true
        defer { stopped.isSuspended = false }
        let heard = Heard()
        let notice = ChangeNotice(main: stopped) { heard.count.withLock { $0 += 1 } }
        notice.announce()
        try await eventually("the first") { heard.count.withLock { $0 == 1 } }
        notice.announce()
        try await eventually("the second") { heard.count.withLock { $0 == 2 } }
    }

    /// Red where the notice is a block of the dispatch queue: the observer is then waited for by the queue that is to run it.
    @Test func anObserverOnTheSameQueueIsToldOnIt() async throws {
        let name = Notification.Name("dev.martlet.test.\(UUID().uuidString)")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let heard = Heard()
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: queue) { _ in
            heard.count.withLock { $0 += 1 }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let notice = ChangeNotice(main: queue) { NotificationCenter.default.post(name: name, object: nil) }
        notice.announce()
        try await eventually("it is told") { heard.count.withLock { $0 == 1 } }
    }
}
