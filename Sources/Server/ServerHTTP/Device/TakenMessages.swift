import Crypto
import Foundation
import Synchronization

/// Messages of devices that took effect lately, so that one that somebody sends again does not.
///
/// Bounded by two generations: one that is full, or older than a message can count, replaces the one before.
final class TakenMessages: Sendable {
    struct Message: Hashable {
        fileprivate let digest: [UInt8]

        /// The bytes of a signature tell nothing: one that is sent again may be written in another way.
        init(_ body: Data, by signer: Data, signed: Date) {
            var hash = SHA256()
            hash.update(data: signer)
            hash.update(data: Data("\(signed.timeIntervalSince1970) ".utf8))
            hash.update(data: body)
            digest = Array(hash.finalize())
        }
    }

    private struct Generations {
        var young: Set<Message> = []
        var old: Set<Message> = []
        var began: Date
    }

    private let generations: Mutex<Generations>
    private let seconds: TimeInterval
    private let capacity: Int
    private let now: @Sendable () -> Date

    /// `seconds` is how long a message counts.
    init(seconds: TimeInterval, capacity: Int = 65_536, now: @escaping @Sendable () -> Date) {
        generations = Mutex(Generations(began: now()))
        self.seconds = seconds
        self.capacity = capacity / 2
        self.now = now
    }

    func holds(_ message: Message) -> Bool {
        generations.withLock { $0.young.contains(message) || $0.old.contains(message) }
    }

    func keep(_ message: Message) {
        generations.withLock { generations in
            let moment = now()
            if generations.young.count >= capacity || moment.timeIntervalSince(generations.began) > seconds {
                (generations.old, generations.young, generations.began) = (generations.young, [], moment)
            }
            generations.young.insert(message)
        }
    }
}
