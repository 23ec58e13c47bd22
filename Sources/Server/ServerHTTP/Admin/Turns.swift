import Synchronization

/// Turns at things: of those who ask for one and the same thing, one is at work and the others wait in line.
///
/// A line has a bound, and so has the wait in it. Who is canceled leaves it.
final class Turns: Sendable {
    /// What came of asking for a turn.
    enum Place: Sendable, Equatable {
        /// It is theirs, until they leave.
        case turn
        /// Too many wait already.
        case full
        /// It did not come in time.
        case late
        /// They were canceled before it came.
        case cancelled
    }

    private struct Waiter: Sendable {
        let number: Int
        let place: CheckedContinuation<Place, Never>
    }

    private struct Lines: Sendable {
        /// Those who wait for the one who has the turn, by what the turn is of.
        var waiting: [[String]: [Waiter]] = [:]
        var numbers = 0

        /// Whether nobody is at work, and now this one is.
        mutating func enter(_ thing: [String]) -> Bool {
            guard waiting[thing] == nil else { return false }
            waiting[thing] = []
            return true
        }
    }

    private let lines = Mutex(Lines())
    private let mostWaiting: Int
    private let longest: Duration

    init(mostWaiting: Int, longest: Duration) {
        (self.mostWaiting, self.longest) = (mostWaiting, longest)
    }

    /// Nobody waits for anything and nobody is at work.
    var areIdle: Bool { lines.withLock { $0.waiting.isEmpty } }

    /// How many wait for a thing beside the one who has the turn.
    func waiting(for thing: [String]) -> Int { lines.withLock { $0.waiting[thing]?.count ?? 0 } }

    /// Waits for a turn; the caller that gets it must call `leave` afterwards.
    func take(_ thing: [String]) async -> Place {
        // Most often nobody else is there.
        if lines.withLock({ $0.enter(thing) }) { return .turn }
        return await withTaskGroup(of: Place.self) { group in
            group.addTask { await self.stand(in: thing) }
            group.addTask { [longest] in (try? await Task.sleep(for: longest)) == nil ? .cancelled : .late }
            let first = await group.next() ?? .cancelled
            group.cancelAll()
            // The turn may have come at the last moment: then it is theirs, and not lost.
            let second = await group.next() ?? .cancelled
            return first == .turn || second == .turn ? .turn : first
        }
    }

    /// Hands the turn to the caller that waits longest.
    func leave(_ thing: [String]) {
        let next = lines.withLock { lines -> Waiter? in
            guard let first = lines.waiting[thing]?.first else {
                lines.waiting[thing] = nil
                return nil
            }
            lines.waiting[thing]?.removeFirst()
            return first
        }
        next?.place.resume(returning: .turn)
    }

    private func stand(in thing: [String]) async -> Place {
        let number = lines.withLock { lines in
            lines.numbers += 1
            return lines.numbers
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = lines.withLock { lines -> Place? in
                    // The task was canceled before it joined the line, so its cancellation handler did not find it
                    // there.
                    if Task.isCancelled { return .cancelled }
                    if lines.enter(thing) { return .turn }
                    guard lines.waiting[thing, default: []].count < mostWaiting else { return .full }
                    lines.waiting[thing]?.append(Waiter(number: number, place: continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let gone = lines.withLock { lines -> Waiter? in
                guard let index = lines.waiting[thing]?.firstIndex(where: { $0.number == number }) else { return nil }
                return lines.waiting[thing]?.remove(at: index)
            }
            gone?.place.resume(returning: .cancelled)
        }
    }
}
