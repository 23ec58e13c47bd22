/// Which of some words was probably meant.
package enum NearestWord {
    // Longer ones are not typed by hand.
    private static let longest = 64
    // Letters of all words times those of the one, so that nobody waits for a suggestion.
    private static let effort = 1_000_000

    /// The word that takes the fewest changes, if that is at most a third of its letters; case does not count.
    ///
    /// Of several, the first in the order of texts; nothing where there are too many to look at.
    package static func to(_ word: String, among words: some Collection<String>) -> String? {
        guard word.utf8.count <= longest * 4, words.count <= effort / longest else { return nil }
        let wanted = Array(word.lowercased().unicodeScalars)
        guard wanted.count <= longest, words.count * wanted.count * wanted.count <= effort else { return nil }
        var nearest: (word: String, distance: Int)?
        for candidate in words where candidate.utf8.count <= longest * 4 {
            let letters = Array(candidate.lowercased().unicodeScalars)
            let most = min(nearest?.distance ?? .max, letters.count / 3)
            guard letters.count <= longest, abs(letters.count - wanted.count) <= most else { continue }
            let distance = distance(wanted, letters)
            guard distance <= most else { continue }
            if let nearest, nearest.distance == distance, nearest.word < candidate { continue }
            nearest = (candidate, distance)
        }
        return nearest?.word
    }

    /// How many letters have to be added, removed, exchanged or swapped with their neighbour.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, against) in other.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (letter == against ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == against {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, last) = (last, current)
        }
        return last[other.count]
    }
}
