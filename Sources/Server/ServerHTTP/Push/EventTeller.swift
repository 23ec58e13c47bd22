import AdminMessages
import Management

/// Tells one listener what changes until they leave, their session ends, or the server stops.
///
/// Nothing is kept for a slow one: it reads on in the window from where it is, and hears `reset` when that has moved on. One
/// that does not read at all is cut as every connection is (`ServerLimits.stalledWrite`).
struct EventTeller {
    /// Changes that are written at once.
    private static let part = 128
    /// After how many milliseconds a browser tries again.
    private static let retry = 2_000

    private let management: Management
    private let token: String
    private var telling: Telling
    /// The text that is sent before any change.
    private var first: String?
    /// Whether the stream has ended.
    private(set) var hasEnded = false

    /// `asked` is the event after which somebody goes on; `session` what was found when they asked.
    init(
        management: Management, token: String, session: SessionRecord, filter: ChangeFilter, after asked: String?,
        tally: ListenerTally
    ) {
        self.management = management
        self.token = token
        telling = Telling(hub: management.changes, rights: session.rights, filter: filter, tally: tally)
        first = "retry: \(Self.retry)\n" + telling.begin(after: asked)
    }

    /// The next text to write; nil when all changes were sent.
    mutating func next() async throws -> String? {
        if let first {
            self.first = nil
            return first
        }
        while !hasEnded, let part = telling.next(Self.part) {
            if part.concernsAccess { try await judge() }
            guard !hasEnded else { return nil }
            let text = try telling.text(part)
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// A heartbeat is due, and with it the end of a session that nobody ended.
    mutating func beat() async throws {
        try await judge()
        first = hasEnded ? nil : telling.heartbeat()
    }

    /// Looks again at what they may do; when the session or the token has ended, that is nothing.
    private mutating func judge() async throws {
        guard let session = try await management.session(token: token), !session.mustChangePassword,
            session.rights.allow(AdminPermissions.needed(for: "listenToEvents"), app: nil, group: nil)
        else {
            hasEnded = true
            return
        }
        telling.rights = session.rights
    }
}

/// The place of a listener and its next changes: a value, apart from the connection.
struct Telling {
    /// What comes next.
    enum Part {
        case reset
        case changes([Change], after: Int)

        /// Whether the listener's rights must be read again before this is sent.
        var concernsAccess: Bool {
            switch self {
            case .reset: false
            case .changes(let changes, _): changes.contains(where: \.concernsAccess)
            }
        }
    }

    let hub: ChangeHub
    var rights: Rights
    let filter: ChangeFilter
    let tally: ListenerTally
    private(set) var place = 0
    /// Up to where they were told that they are.
    private var known = 0

    init(hub: ChangeHub, rights: Rights, filter: ChangeFilter, tally: ListenerTally) {
        self.tally = tally
        self.hub = hub
        self.rights = rights
        self.filter = filter
        place = hub.present
    }

    /// The beginning: from the present on, or from the event after which somebody goes on.
    mutating func begin(after asked: String?) -> String {
        guard let asked else { return identity() }
        guard let found = hub.place(asked) else { return reset() }
        place = found
        return identity()
    }

    /// The next part; nil when all changes were sent.
    mutating func next(_ limit: Int) -> Part? {
        guard let changes = hub.changes(after: place, limit: limit) else { return .reset }
        return changes.isEmpty ? nil : .changes(changes, after: place)
    }

    mutating func text(_ part: Part) throws -> String {
        switch part {
        case .reset: return reset()
        case .changes(let changes, let start):
            var text = ""
            for (index, change) in changes.enumerated() where filter.takes(change) {
                guard let shown = rights.shown(change) else { continue }
                known = start + index + 1
                let id = hub.text(known)
                let data = try AdminJSON.encode(ChangeEvent(shown, id: id))
                text += "id: \(id)\nevent: \(ChangeEvent.name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
            }
            place = start + changes.count
            return text
        }
    }

    /// A comment; with where they are, when what came since was not for them.
    mutating func heartbeat() -> String { known == place ? ":\n\n" : ":\n" + identity() }

    private mutating func reset() -> String {
        tally.countReset()
        place = hub.present
        known = place
        return "id: \(hub.text(place))\nevent: \(ChangeEvent.reset)\ndata: {\"kind\":\"\(ChangeEvent.reset)\"}\n\n"
    }

    /// An event without data is none, but its id counts.
    private mutating func identity() -> String {
        known = place
        return "id: \(hub.text(place))\n\n"
    }
}

extension ChangeEvent {
    init(_ change: Change, id: String) {
        self.init(
            id: id, kind: change.kind, time: change.time, app: change.app, name: change.name, version: change.version,
            group: change.group, device: change.device, actor: change.actor,
            sequence: change.actor == nil ? nil : change.sequence)
    }
}
