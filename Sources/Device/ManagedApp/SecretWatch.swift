import AppMessages

/// What is known of the secrets of one kind.
package struct SecretNews: Equatable, Sendable {
    /// How far the process has come with its agent.
    var standing = LinkSnapshot.Standing.waiting

    /// The identifiers, as the agent told them last.
    var identifiers: [String] = []

    /// Counts what the agent told: the same identifiers told again mean that a value has changed.
    var tellings = 0
}

/// The identifiers of one kind of secret: a stream of its own, which begins with its first reader.
final class SecretWatch: StreamFollower {
    private let kind: SecretKind
    private let origin: AgentLink.Origin
    private let board = NoticeBoard(SecretNews())

    /// Prepares a watch; the connection that was inherited belongs to the configuration.
    init(of kind: SecretKind, origin: AgentLink.Origin) {
        self.kind = kind
        self.origin = AgentLink.Origin(socket: nil, path: origin.path, patience: origin.patience)
    }

    func subscribe() -> Subscription<SecretNews> {
        board.subscribe {
            AgentStream.begin(following: self, origin: origin, name: "managed-app-\(kind.rawValue.prefix(3))")
        }
    }

    var watching: AppCall { .watchSecrets(kind) }

    var isWaiting: Bool { board.news.standing == .waiting }

    func told(_ news: SecretIdentifiers) {
        board.change {
            $0.standing = .told
            $0.identifiers = news.identifiers
            $0.tellings += 1
        }
    }

    func unanswered() {
        board.change { if $0.standing == .waiting { $0.standing = .unreachable } }
    }

    func refused() {
        board.change { if $0.standing != .told { $0.standing = .notLaunched } }
    }

    // The newest values stay until the agent sends others.
    func disconnected() {}
}
