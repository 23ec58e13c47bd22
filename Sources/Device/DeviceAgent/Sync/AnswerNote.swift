import Synchronization

/// Whether the server has answered since the note was last cleared.
///
/// Every answer to a request of the device passes here, so that a conversation which asks nothing is not taken for
/// contact. The answer of a proxy that speaks for a server which is gone does not count.
final class AnswerNote: Sendable {
    private let noted = Mutex(false)

    var hasAnswered: Bool { noted.withLock { $0 } }

    /// The server has answered, with a refusal or without one.
    func take(_ refusal: ServerRefusal?) {
        if let refusal, ServerContact.reason(of: refusal) != nil { return }
        noted.withLock { $0 = true }
    }

    func forget() { noted.withLock { $0 = false } }
}
