/// The notes of apps' feedback that are on their way to the disk.
///
/// A note replaces the app's feedback. A process that begins while a note is under way would continue from the old
/// values. So the agent sends a process its feedback only after the notes that were under way at its start have ended.
/// The process does not wait for later notes: otherwise an app that writes without pause would keep its next process
/// waiting for ever. Later notes reach the process as news, once they are on the disk.
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

    /// Creates an empty set.
    package init() {}

    /// The moment after the newest note began.
    package var moment: Moment { Moment(newest: newest) }

    /// Begins a note that is now on its way to the disk.
    package mutating func begin(of app: String) -> Ticket {
        newest += 1
        numbers[app, default: []].insert(newest)
        return Ticket(app: app, number: newest)
    }

    /// Ends a note that is on the disk, or that the disk did not take.
    package mutating func end(_ ticket: Ticket) {
        numbers[ticket.app]?.remove(ticket.number)
        if numbers[ticket.app]?.isEmpty == true { numbers[ticket.app] = nil }
    }

    /// Whether a note of an app that began before a moment is still under way.
    package func hasOlder(than moment: Moment, of app: String) -> Bool {
        numbers[app]?.contains { $0 <= moment.newest } == true
    }
}
