import Foundation
import Synchronization

/// Digests of messages that were refused: who sends one again is refused before anything is computed.
///
/// Two generations: when the young one is full or ten minutes old, it takes the old one's place. So memory is bounded, and
/// a refusal that would be another one later does not stay for good.
final class RefusedMessages: Sendable {
    private struct Generations {
        var began = ContinuousClock.now
        var young: Set<Data> = []
        var old: Set<Data> = []
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int = 4_096) { self.capacity = capacity }

    func contains(_ digest: Data) -> Bool {
        generations.withLock { generations in
            Self.turn(&generations)
            return generations.young.contains(digest) || generations.old.contains(digest)
        }
    }

    func insert(_ digest: Data) {
        generations.withLock { generations in
            if generations.young.count >= capacity { Self.begin(&generations) }
            generations.young.insert(digest)
        }
    }

    private static func turn(_ generations: inout Generations) {
        if generations.began.duration(to: .now) > .seconds(600) { begin(&generations) }
    }

    private static func begin(_ generations: inout Generations) {
        generations = Generations(young: [], old: generations.young)
    }
}
