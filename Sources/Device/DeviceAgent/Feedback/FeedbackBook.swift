package import AppMessages
package import DeviceMessages
package import Foundation

/// What apps counted, until the server has it: decided in values, written down by `FeedbackRoom`.
///
/// Each app counts in a life. A life ends when it is handed over, and is then kept as it is until the server took it.
package struct FeedbackBook: Codable, Equatable, Sendable {
    /// The most lives that wait for the server; beyond, nothing is taken and notes stay in the present life.
    package static let mostLives = 64
    /// The most of them of one app.
    package static let mostLivesOfApp = 16
    /// The least time between two asks of one app, in seconds.
    package static let pause: TimeInterval = 60

    /// The life that an app counts in.
    package struct Life: Codable, Equatable, Sendable {
        package let name: String
        package let since: Date
        /// The greatest sequence, and what it says; 0 before the first note.
        package fileprivate(set) var sequence = 0
        package fileprivate(set) var feedback: Data?
        /// The version of the dictionary that the app had then.
        fileprivate var configuration = ""
        /// Notes that were beyond a bound.
        package fileprivate(set) var refused = 0
        /// Whether the app is asked to hand it over.
        package fileprivate(set) var isDue = false

        fileprivate init(name: String, since: Date) { (self.name, self.since) = (name, since) }
    }

    /// A life that was handed over.
    private struct Handed: Codable, Equatable, Sendable {
        let app: String
        let life: Life
        let end: Date
    }

    private var lives: [String: Life] = [:]
    private var handed: [Handed] = []
    private var taken: [String: Date] = [:]

    package init() {}

    /// The life that an app counts in; nothing before the first.
    package func life(of app: String) -> Life? { lives[app] }

    /// The apps that are asked.
    package var due: Set<String> { Set(lives.filter { $0.value.isDue }.keys) }

    /// What waits for the server, the oldest first.
    package func waiting(atMost most: Int = AppFeedbackStatus.most) -> [AppFeedbackStatus] {
        handed.prefix(most).compactMap { Self.status($0.life, of: $0.app, until: $0.end) }
    }

    /// What is known of one app's feedback; `now` ends the interval of the life that goes on.
    package func known(of app: String, at now: Date) -> KnownFeedback {
        let waiting = handed.compactMap { $0.app == app ? Self.status($0.life, of: app, until: $0.end) : nil }
        return KnownFeedback(waiting: waiting, present: lives[app].flatMap { Self.status($0, of: app, until: now) })
    }

    private static func status(_ life: Life, of app: String, until end: Date) -> AppFeedbackStatus? {
        guard let feedback = life.feedback else { return nil }
        return AppFeedbackStatus(
            life: life.name, app: app, feedback: feedback, configuration: life.configuration, from: life.since,
            to: end, refused: life.refused)
    }

    /// Begins an app's first life.
    package mutating func begin(_ app: String, life: String, at now: Date) {
        if lives[app] == nil { lives[app] = Life(name: life, since: now) }
    }

    /// Counts notes that were beyond a bound.
    package mutating func refuse(_ app: String, _ count: Int = 1) { lives[app]?.refused += count }

    /// Keeps a note of the present life if it is newer than what is known; answers the present life.
    package mutating func put(_ note: FeedbackNote, of app: String, configuration: String) -> String? {
        guard let life = lives[app] else { return nil }
        guard life.name == note.life, note.sequence > life.sequence else { return life.name }
        lives[app]?.sequence = note.sequence
        lives[app]?.feedback = note.feedback
        lives[app]?.configuration = configuration
        return life.name
    }

    /// Ends the present life with a note, if the note is of it; answers the life that counts from now on.
    ///
    /// Where too much waits nothing is handed over, and the note stays in the present life.
    package mutating func handOver(
        _ note: FeedbackNote, of app: String, configuration: String, at now: Date, next: String
    ) -> String? {
        guard let name = put(note, of: app, configuration: configuration), name == note.life else {
            return lives[app]?.name
        }
        _ = end(app, at: now, next: next)
        return lives[app]?.name
    }

    /// Takes what is known of an app that was asked and runs no more.
    package mutating func takeWithoutProcess(_ app: String, at now: Date, next: String) {
        guard lives[app]?.isDue == true else { return }
        if !end(app, at: now, next: next) { lives[app]?.isDue = false }
    }

    /// Asks apps that have feedback to hand it over: all, or one; none again within the pause, unless a server waits for it.
    package mutating func ask(_ app: String? = nil, isAwaited: Bool = false, at now: Date) {
        var room = Self.mostLives - handed.count - due.count
        for name in lives.keys.sorted() where app == nil || app == name {
            guard room > 0, let life = lives[name], life.feedback != nil, !life.isDue, hasRoom(for: name) else {
                continue
            }
            // A clock that was set back counts as a pause that is over.
            if !isAwaited, let last = taken[name], (0..<Self.pause).contains(now.timeIntervalSince(last)) { continue }
            lives[name]?.isDue = true
            room -= 1
        }
    }

    /// The server has these lives.
    package mutating func reported(_ names: Set<String>) { handed.removeAll { names.contains($0.life.name) } }

    /// Forgets every other app, and all that it has left.
    package mutating func keep(only apps: Set<String>) {
        lives = lives.filter { apps.contains($0.key) }
        taken = taken.filter { apps.contains($0.key) }
        handed.removeAll { !apps.contains($0.app) }
    }

    private func hasRoom(for app: String) -> Bool {
        handed.count < Self.mostLives && handed.filter { $0.app == app }.count < Self.mostLivesOfApp
    }

    private mutating func end(_ app: String, at now: Date, next: String) -> Bool {
        guard var life = lives[app], hasRoom(for: app) else { return false }
        life.isDue = false
        var new = Life(name: next, since: now)
        if life.feedback == nil {
            // There is nothing to report; the next life reports the refusals.
            new.refused = life.refused
        } else {
            handed.append(Handed(app: app, life: life, end: now))
        }
        lives[app] = new
        taken[app] = now
        return true
    }
}
