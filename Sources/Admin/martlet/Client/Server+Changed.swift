import Synchronization

extension Server {
    private static let changed = Atomic<Bool>(false)

    /// What a request asks for that sends something and changes nothing; a session is no change that anyone has to know.
    private static let asking: Set<String> = ["preview", "configuration-check", "verification", "session"]

    /// Whether a request of this command changed something on the server.
    static var hasChanged: Bool { changed.load(ordering: .relaxed) }

    /// Remembers a request that the server carried out, unless it only asks or tries.
    static func note(_ method: Method, _ path: [String], _ query: [(String, String)]) {
        let isTrial = query.contains { $0.0 == "dryRun" } || path.last.map(asking.contains) == true
        if method != .get, !isTrial { changed.store(true, ordering: .relaxed) }
    }
}
