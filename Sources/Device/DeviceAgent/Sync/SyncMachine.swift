package import DeviceMessages

/// Decides how this device comes to hold the declarations its server means it to hold.
///
/// A value that hears events and says what to do; it waits for nothing. The set is fetched whole before any of it is
/// applied, and its token is remembered only with the set: a sync that fails leaves everything as it was. The token kept
/// is that of the manifest, not of the command, so that a set that moved meanwhile is noticed.
package struct SyncMachine: Sendable {
    /// Something that happened.
    package enum Event: Sendable {
        /// The server's DeclarativeManagement command, with the tokens it may carry.
        case command(SyncTokens?)
        /// A reason of our own to look: a start, a slow poll.
        case wake
        /// The retry that was scheduled is due.
        case timer
        case tokens(SyncTokens)
        case items(DeclarationItems)
        case declaration(Declaration)
        /// The declaration asked for last is unknown to the server.
        case missing
        /// The request asked for last got no usable answer.
        case failed
        /// The set is durable; `complete` is false if an asset could not be had for now.
        case applied(complete: Bool)
    }

    /// Something to do.
    package enum Action: Equatable, Sendable {
        case fetchTokens
        case fetchItems
        case fetchDeclaration(DeclarationKind, identifier: String)
        case apply(DeclarationSet)
        case reportStatus
        case scheduleRetry
    }

    /// The declarations of one manifest, and what distinguishes them from those held before.
    package struct DeclarationSet: Equatable, Sendable {
        package var token: String?
        package var declarations: [String: Declaration]

        package init(token: String?, declarations: [String: Declaration]) {
            self.token = token
            self.declarations = declarations
        }
    }

    private enum Phase: Sendable {
        case idle
        case tokens
        case items
        case gathering(Gathering)
        case applying(DeclarationSet)
    }

    private struct Gathering: Sendable {
        let token: String
        var wanted: [(kind: DeclarationKind, reference: ItemReference)]
        var gathered: [String: Declaration]
    }

    /// How often one sync starts over because the set moved under it, before it takes what it has.
    private static let restartLimit = 2

    /// Whether the server has ever enabled declarative management.
    package private(set) var enabled: Bool

    /// What the device holds, durably.
    package private(set) var held: DeclarationSet

    private var complete: Bool
    private var phase = Phase.idle
    private var again = false
    private var moved = false
    private var restarts = 0
    private var fetched: [String: Declaration] = [:]

    /// Begins where the device left off.
    package init(enabled: Bool, held: DeclarationSet, complete: Bool = true) {
        self.enabled = enabled
        self.held = held
        self.complete = complete
    }

    /// Whether a sync is under way.
    package var isBusy: Bool { if case .idle = phase { false } else { true } }

    /// Has the next look apply the held declarations again, even under the same token.
    ///
    /// For facts that the declarations were evaluated for, and that have changed.
    package mutating func markIncomplete() { complete = false }

    /// Hears an event and says what to do about it; an event that answers no question of ours changes nothing.
    package mutating func handle(_ event: Event) -> [Action] {
        switch (event, phase) {
        case (.command(let tokens), .idle):
            enabled = true
            return begin(tokens)
        case (.command, _):
            again = true
            return []
        case (.wake, .idle), (.timer, .idle):
            return enabled ? begin(nil) : []
        case (.tokens(let tokens), .tokens):
            return compare(tokens)
        case (.items(let items), .items):
            return gather(items)
        case (.declaration(let declaration), .gathering(let gathering)):
            return take(declaration, gathering)
        case (.missing, .gathering(var gathering)):
            let gone = gathering.wanted.removeFirst().reference.identifier
            gathering.gathered[gone] = nil
            moved = true
            return next(gathering)
        case (.applied(let complete), .applying(let set)):
            return finish(set, complete: complete)
        case (.failed, .tokens), (.failed, .items), (.failed, .gathering), (.failed, .applying), (.missing, .tokens),
            (.missing, .items):
            return retryLater()
        default:
            return []
        }
    }

    private mutating func begin(_ tokens: SyncTokens?) -> [Action] {
        (again, moved, restarts) = (false, false, 0)
        if let tokens { return compare(tokens) }
        phase = .tokens
        return [.fetchTokens]
    }

    private mutating func compare(_ tokens: SyncTokens) -> [Action] {
        guard tokens.declarationsToken == held.token else {
            phase = .items
            return [.fetchItems]
        }
        // The same set: nothing to fetch but assets that could not be had last time.
        if !complete {
            phase = .applying(held)
            return [.apply(held)]
        }
        return settle()
    }

    private mutating func gather(_ items: DeclarationItems) -> [Action] {
        var wanted: [(kind: DeclarationKind, reference: ItemReference)] = []
        var gathered: [String: Declaration] = [:]
        var seen: Set<String> = []
        for (kind, references) in [
            (DeclarationKind.asset, items.assets), (.configuration, items.configurations),
            (.activation, items.activations), (.management, items.management),
        ] {
            // The identifier is the key across all kinds: a second use of it names nothing new.
            for reference in references where seen.insert(reference.identifier).inserted {
                let known = [held.declarations[reference.identifier], fetched[reference.identifier]].compactMap { $0 }
                if let same = known.first(where: { $0.serverToken == reference.serverToken && $0.kind == kind }) {
                    gathered[reference.identifier] = same
                } else {
                    wanted.append((kind, reference))
                }
            }
        }
        fetched = fetched.filter { seen.contains($0.key) }
        return next(Gathering(token: items.declarationsToken, wanted: wanted, gathered: gathered))
    }

    private mutating func take(_ declaration: Declaration, _ gathering: Gathering) -> [Action] {
        var gathering = gathering
        let (kind, reference) = gathering.wanted.removeFirst()
        guard declaration.identifier == reference.identifier, declaration.kind == kind else { return retryLater() }
        if declaration.serverToken != reference.serverToken { moved = true }
        fetched[declaration.identifier] = declaration
        gathering.gathered[declaration.identifier] = declaration
        return next(gathering)
    }

    private mutating func next(_ gathering: Gathering) -> [Action] {
        if let (kind, reference) = gathering.wanted.first {
            phase = .gathering(gathering)
            return [.fetchDeclaration(kind, identifier: reference.identifier)]
        }
        if moved, restarts < Self.restartLimit {
            (moved, restarts) = (false, restarts + 1)
            phase = .items
            return [.fetchItems]
        }
        let set = DeclarationSet(token: gathering.token, declarations: gathering.gathered)
        phase = .applying(set)
        return [.apply(set)]
    }

    private mutating func finish(_ set: DeclarationSet, complete: Bool) -> [Action] {
        held = set
        fetched = [:]
        self.complete = complete
        let lookAgain = moved
        moved = false
        if lookAgain, !again { again = true }
        return settle()
    }

    /// Comes to rest, or looks once more if something arrived meanwhile.
    private mutating func settle() -> [Action] {
        phase = .idle
        if again { return [.reportStatus] + begin(nil) }
        return complete ? [.reportStatus] : [.reportStatus, .scheduleRetry]
    }

    private mutating func retryLater() -> [Action] {
        phase = .idle
        again = false
        return [.scheduleRetry]
    }
}
