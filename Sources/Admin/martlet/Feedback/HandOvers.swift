package import AdminMessages
import DeviceMessages

/// What an app on devices handed over, as it is received: an app's, a device's, or an app's on a device.
package struct HandOvers: Sendable, Equatable {
    /// More pages than this are not read at one look.
    private static let mostPages = 20
    private static let pageSize = 500

    package let app: String?
    /// The device's ID.
    package let device: String?

    package init(app: String?, device: String?) {
        (self.app, self.device) = (app, device)
    }

    /// Of a page, the newest first, what was received after a number; and whether the next page may have more of it.
    package static func received(
        after number: Int, in page: [AppFeedback]
    ) -> (lives: [AppFeedback], mayGoOn: Bool) {
        let lives = page.prefix { $0.number > number }
        return (Array(lives), lives.count == page.count)
    }

    /// The number after which to continue, and a note where that is not the number of the last hand-over.
    ///
    /// After a restore, the server continues to count from the number in the backup. A program that waits for a higher
    /// number misses the hand-overs before it. Where the server deleted old feedback, or that of a device, its count
    /// goes on: continuing after what it still has then misses nothing either.
    package static func place(after number: Int, newest: Int) -> (number: Int, note: String?) {
        guard newest < number else { return (number, nil) }
        let found = newest == 0 ? "There is no hand-over" : "The newest hand-over is \(newest), less than \(number)"
        let causes = "after the server deleted feedback, or after a backup was restored"
        return (newest, "\(found). This happens \(causes). Continuing after \(newest).")
    }

    /// The apps that have something to hand over, by the device's answer; nil from agents that do not name them.
    package static func announced(in answer: JSON?) -> Set<String>? {
        guard case .array(let apps)? = answer?[FetchFeedback.apps] else { return nil }
        return Set(apps.compactMap(\.text))
    }

    /// Whether the wait is over: each announced app handed something over, or, without an announcement, any app did.
    package static func isWhole(_ lives: [AppFeedback], of announced: Set<String>?) -> Bool {
        guard let announced else { return !lives.isEmpty }
        return announced.isSubset(of: lives.map(\.app))
    }

    /// The path of the list, and what is asked of it.
    package var request: (path: [String], query: [(String, String)]) {
        guard let app else { return (["devices", device ?? "", "feedback"], []) }
        return (["apps", app, "feedback"], device.map { [("device", $0)] } ?? [])
    }

    /// The number of what was received last; 0 before the first.
    func newest(_ server: Server) async throws -> Int {
        let page = try await load(server, limit: 1)
        return page.items.first?.number ?? 0
    }

    /// The hand-overs after a number, oldest first; whether some are left out, because one call reads a limited number;
    /// and the number of the newest.
    func received(
        after number: Int, _ server: Server
    ) async throws -> (lives: [AppFeedback], isCut: Bool, newest: Int) {
        var all: [AppFeedback] = []
        var cursor: String?
        var newest = 0
        for _ in 0..<Self.mostPages {
            let page = try await load(server, limit: Self.pageSize, cursor: cursor)
            if cursor == nil { newest = page.items.first?.number ?? 0 }
            let found = Self.received(after: number, in: page.items)
            all += found.lives
            guard found.mayGoOn, let next = page.next else { return (all.reversed(), false, newest) }
            cursor = next
        }
        return (all.reversed(), true, newest)
    }

    private func load(_ server: Server, limit: Int, cursor: String? = nil) async throws -> Page<AppFeedback> {
        let (path, asked) = request
        var query = asked + [("limit", "\(limit)")]
        if let cursor { query.append(("cursor", cursor)) }
        return try await server.send(.get, path, query: query).decoded()
    }
}

/// A hand-over as people read it in a line: when, whose, what.
package enum HandOverText {
    package static func line(_ one: AppFeedback) -> String {
        var parts = [one.to.shown, one.app, "device \(one.device)", DeviceText.text(one.feedback)]
        if one.refused > 0 { parts.append("\(one.refused) notes refused") }
        return Printable.line(parts.joined(separator: "  "))
    }
}
