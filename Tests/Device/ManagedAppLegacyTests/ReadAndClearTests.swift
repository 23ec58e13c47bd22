import AppMessages
import Foundation
import ManagedAppLegacy
import Synchronization
import Testing

/// An app counts as apps do, by a read and a write, while its feedback is taken away again and again.
@Suite(.timeLimit(.minutes(10)))
struct ReadAndClearTests {
    // Its clock stands still, so that an update is waited for however long a busy machine takes over it.
    private final class Counting: Sendable {
        let now = ContinuousClock.now
        let overlay = Mutex(DefaultsOverlay())
        // An app with several threads keeps them apart itself.
        let appsOwn = DispatchSemaphore(value: 1)
        let running: Mutex<Int>
        let failures = Mutex(0)

        init(writers: Int) {
            running = Mutex(writers)
            overlay.withLock { $0.told(ManagedAppLegacyTests.told(life: "life-0"), at: now) }
        }

        func increment(_ number: Int, by thread: UInt) {
            appsOwn.wait()
            defer { appsOwn.signal() }
            let known = overlay.withLock { $0.read(by: thread, at: now) }?.dictionary ?? [:]
            let changed: [String: Any] = [
                "n": (known["n"] as? Int ?? 0) + 1, "sum": (known["sum"] as? Int ?? 0) + number,
            ]
            guard let value = try? ParsedDictionary(checking: changed) else {
                failures.withLock { $0 += 1 }
                return
            }
            overlay.withLock { _ = $0.write(value, by: thread, at: now) }
        }

        /// Asks for the feedback, and answers with it once no update is open.
        func take(_ turn: Int) -> [String: Any] {
            let state = ManagedAppLegacyTests.told(life: "life-\(turn)", take: true)
            overlay.withLock { $0.told(state, at: now) }
            while true {
                let errand = overlay.withLock { overlay in
                    overlay.look(at: now)
                    return overlay.errand
                }
                if case .handOver(let note)? = errand {
                    _ = overlay.withLock { $0.answered(.handOver(note), life: "life-\(turn + 1)") }
                    return note.feedback.flatMap(dictionary) ?? [:]
                }
                usleep(50)
            }
        }
    }

    @Test(arguments: [1, 4]) func nothingIsLostOrCountedTwice(writers: Int) {
        let increments = 10_000
        let counting = Counting(writers: writers)
        for writer in 0..<writers {
            Thread.detachNewThread {
                for number in 0..<increments where number % writers == writer {
                    counting.increment(number, by: UInt(writer))
                }
                counting.running.withLock { $0 -= 1 }
            }
        }
        var (turn, count, sum) = (0, 0, 0)
        var isRunning = true
        repeat {
            // Once more after the last of them has ended.
            isRunning = counting.running.withLock { $0 > 0 }
            let taken = counting.take(turn)
            turn += 1
            count += taken["n"] as? Int ?? 0
            sum += taken["sum"] as? Int ?? 0
        } while isRunning
        #expect(counting.failures.withLock { $0 } == 0)
        #expect(count == increments)
        #expect(sum == increments * (increments - 1) / 2)
    }
}
