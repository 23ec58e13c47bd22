public import Foundation

extension NotificationCenter {
    /// The notifications of a name as they are posted; Foundation on Linux has no such method.
    ///
    /// It listens from this call on, so that what is posted before the first `await` is not missed. One loop reads it.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> NotificationSequence {
        NotificationSequence(center: self, name: name, object: object)
    }
}

/// Notifications, as `NotificationCenter.notifications(named:object:)` gives them.
///
/// A reader that is slow gets the newest 64. It ends when its task is canceled.
public struct NotificationSequence: AsyncSequence {
    /// A notification.
    public typealias Element = Notification
    /// It never fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Posted>

    init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self, bufferingPolicy: .bufferingNewest(64))
        self.stream = stream
        let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
            continuation.yield(Posted(notification: notification))
        }
        let registration = Registration(center: center, token: token)
        continuation.onTermination = { _ in registration.end() }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// The reader.
    public struct Iterator: AsyncIteratorProtocol {
        private var posted: AsyncStream<Posted>.Iterator

        fileprivate init(_ posted: AsyncStream<Posted>.Iterator) {
            self.posted = posted
        }

        /// The next notification; nil once the task is canceled.
        public mutating func next() async -> Notification? {
            await next(isolation: #isolation)
        }

        /// The next notification; nil once the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
            await posted.next(isolation: actor)?.notification
        }
    }

    // Notifications reach observers on other threads with or without this: NotificationCenter hands them over.
    fileprivate struct Posted: @unchecked Sendable {
        let notification: Notification
    }

    // A center takes observers from any thread; the token is only given back.
    private struct Registration: @unchecked Sendable {
        let center: NotificationCenter
        let token: any NSObjectProtocol

        func end() { center.removeObserver(token) }
    }
}
