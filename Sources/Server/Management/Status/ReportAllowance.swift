import Foundation
import Synchronization

/// How often one device may report its status: what it writes, all others wait for.
///
/// A device saves up `burst` reports and regains `perMinute` of them in a minute. Only those that reported lately are
/// remembered.
final class ReportAllowance: Sendable {
    /// More than an honest device has to say in a moment: it tells together what happens together.
    static let burst = 60

    private struct State {
        /// When each device has all of its reports again.
        var whole: [String: TimeInterval] = [:]
        var sweepsAt = 1_024
    }

    private let interval: TimeInterval
    private let state = Mutex(State())

    /// With nothing there is no bound.
    init(perMinute: Int?) { interval = perMinute.map { 60 / TimeInterval(max($0, 1)) } ?? 0 }

    /// Takes a report of the device, or says in how many seconds it may come again.
    func take(_ device: String, now: TimeInterval) -> Int? {
        guard interval > 0 else { return nil }
        return state.withLock { state in
            let whole = max(state.whole[device] ?? now, now)
            let wait = whole - now - interval * TimeInterval(Self.burst - 1)
            guard wait <= 0 else { return max(1, Int(wait.rounded(.up))) }
            state.whole[device] = whole + interval
            if state.whole.count >= state.sweepsAt {
                state.whole = state.whole.filter { $0.value > now }
                state.sweepsAt = max(1_024, state.whole.count * 2)
            }
            return nil
        }
    }
}
