/// The notes of apps' feedback that are on their way to the disk.
///
/// A note replaces the app's feedback. A process that begins while a note is under way would continue from the old
/// values. So the agent sends a process its feedback only after the notes that were under way at its start have ended.
/// The process does not wait for later notes: otherwise an app that writes without pause would keep its next process
/// waiting without end. Later notes reach the process as news, once they are on the disk.
///
/// A hand-over ends the app's life. A process that got the old life meanwhile would count on in it, and the server might
/// have the same counts twice. So the process waits for each hand-over, also one that began after it: a hand-over is
/// short, and an app can only keep its own processes waiting.
package struct NotesUnderWay {
    /// One note of an app, or one hand-over of the feedback that an ended app left.
    package struct Ticket: Hashable, Sendable {
        /// The app whose feedback it is.
        package let app: String
        fileprivate let number: UInt64
    }

    /// A position in the order in which notes begin.
    package struct Moment: Hashable, Sendable {
        fileprivate let newest: UInt64
    }

    private var newest: UInt64 = 0

    // Only apps with notes are in it. A connection has one note at a time, and a few when it ends.
    private var numbers: [String: Set<UInt64>] = [:]
    private var handOvers: [String: Set<UInt64>] = [:]

    /// Creates an empty set.
    package init() {}

    /// The moment after the newest note began.
    package var moment: Moment { Moment(newest: newest) }

    /// Begins a note, or a hand-over, that is now on its way to the disk.
    package mutating func begin(of app: String, isHandOver: Bool = false) -> Ticket {
        newest += 1
        numbers[app, default: []].insert(newest)
        if isHandOver { handOvers[app, default: []].insert(newest) }
        return Ticket(app: app, number: newest)
    }

    /// Ends a note that is on the disk, or that the disk did not take.
    package mutating func end(_ ticket: Ticket) {
        numbers[ticket.app]?.remove(ticket.number)
        if numbers[ticket.app]?.isEmpty == true { numbers[ticket.app] = nil }
        handOvers[ticket.app]?.remove(ticket.number)
        if handOvers[ticket.app]?.isEmpty == true { handOvers[ticket.app] = nil }
    }

    /// Whether a note of an app that began before a moment is still under way.
    package func hasOlder(than moment: Moment, of app: String) -> Bool {
        numbers[app]?.contains { $0 <= moment.newest } == true
    }

    /// Whether a process of an app that began at a moment still waits for its feedback.
    package func keepsWaiting(since moment: Moment, of app: String) -> Bool {
        handOvers[app] != nil || hasOlder(than: moment, of: app)
    }
}
