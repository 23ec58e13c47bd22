import Synchronization

/// How many keys the server refused to deliver in a defaults dictionary since it started.
package final class SecretRefusals: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The app marks the key as sensitive.
        case marked
        /// The value looks like a secret.
        case suspected
    }

    private let marked = Atomic<Int>(0)
    private let suspected = Atomic<Int>(0)

    package func count(_ kind: Kind) -> Int {
        switch kind {
        case .marked: marked.load(ordering: .relaxed)
        case .suspected: suspected.load(ordering: .relaxed)
        }
    }

    /// Counts what was refused of a configuration: the key that is marked, or each value that looks like a secret.
    ///
    /// What is forced was not refused for its looks.
    func note(_ content: DefaultsContent, isForced: Bool) {
        if content.marked != nil {
            marked.add(1, ordering: .relaxed)
        } else if !isForced {
            suspected.add(content.suspected.count, ordering: .relaxed)
        }
    }
}
