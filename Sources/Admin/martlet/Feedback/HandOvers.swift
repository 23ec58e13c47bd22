package import AdminMessages

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

    /// What was received after a number, the oldest first; and whether there was more than is read at one look.
    func received(after number: Int, _ server: Server) async throws -> (lives: [AppFeedback], isCut: Bool) {
        var all: [AppFeedback] = []
        var cursor: String?
        for _ in 0..<Self.mostPages {
            let page = try await load(server, limit: Self.pageSize, cursor: cursor)
            let found = Self.received(after: number, in: page.items)
            all += found.lives
            guard found.mayGoOn, let next = page.next else { return (all.reversed(), false) }
            cursor = next
        }
        return (all.reversed(), true)
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
