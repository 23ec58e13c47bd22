/// The last changes, numbered from one without gaps: a listener that was away can still get them.
package struct ChangeWindow: Sendable {
    package static let size = 16_384

    /// Which process numbered them: what another one numbered means nothing here.
    package let run: String
    private let size: Int
    private var ring: [Change] = []
    /// Changes that were ever added.
    package private(set) var last = 0

    package init(run: String, size: Int = ChangeWindow.size) {
        self.run = run
        self.size = size
    }

    package mutating func add(_ change: Change) {
        if ring.count < size {
            ring.append(change)
        } else {
            ring[last % size] = change
        }
        last += 1
    }

    /// What was there is not told to anybody any more: some of it is missing.
    package mutating func skip() {
        ring = []
        // Where a ring begins follows from the number: the next one is the first of a new ring.
        last = (last / size + 1) * size
    }

    /// The changes after a place, the oldest first; nothing if the next one is gone.
    package func changes(after place: Int, limit: Int) -> [Change]? {
        guard place >= last - ring.count, place <= last else { return nil }
        return (place..<min(last, place + limit)).map { ring[$0 % size] }
    }

    /// How listeners name a place.
    package func text(_ place: Int) -> String { "\(run)-\(place)" }

    /// The place that a text names, if it is one of this process and the window still knows what follows.
    package func place(_ text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == run, let place = Int(parts[1]), String(place) == parts[1],
            changes(after: place, limit: 0) != nil
        else { return nil }
        return place
    }
}
