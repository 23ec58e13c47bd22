import Synchronization

/// Answers that were seen before: the server is asked only whether they are still true.
final class AnswerCache: Sendable {
    /// A list of so many pages is read anew.
    private static let most = 512

    private struct Seen {
        let tag: String
        let answer: Server.Answer
    }

    private let seen = Mutex<[String: Seen]>([:])

    /// The tag of what was seen at this path.
    func tag(of path: String) -> String? { seen.withLock { $0[path]?.tag } }

    func answer(at path: String) -> Server.Answer? { seen.withLock { $0[path]?.answer } }

    func keep(_ answer: Server.Answer, tag: String?, at path: String) {
        seen.withLock { seen in
            seen[path] = nil
            if let tag, seen.count < Self.most { seen[path] = Seen(tag: tag, answer: answer) }
        }
    }
}
