import CertificateAuthority
package import Foundation
import Synchronization

/// Compares both clocks for each decision that depends on the time, and keeps findings until they are logged.
package final class ClockWatch: Sendable {
    /// For so long after a step forward, in seconds on the boot clock, nothing is certified by the new time.
    package static let holding: TimeInterval = 3_600
    /// The most findings between two log lines; more are dropped.
    private static let mostEvents = 16

    private struct State {
        var course: ClockCourse
        var events: [ClockEvent] = []
    }

    private let now: @Sendable () -> Date
    private let uptime: @Sendable () -> TimeInterval
    /// When this life of the server began.
    let start: ClockReading
    private let state: Mutex<State>

    init(now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> TimeInterval) {
        (self.now, self.uptime) = (now, uptime)
        let first = Self.read(now, uptime)
        start = first
        state = Mutex(State(course: ClockCourse(first)))
    }

    /// A look at the clocks, and the step that has not settled.
    func look() -> (reading: ClockReading, step: ClockStep?) {
        state.withLock { state in
            let reading = Self.read(now, uptime)
            if let event = state.course.look(reading), state.events.count < Self.mostEvents {
                state.events.append(event)
            }
            return (reading, state.course.step)
        }
    }

    /// A step that has not settled, at this moment.
    package var step: ClockStep? { look().step }

    /// Whether certificates would be of a time that may never come: as long as a step forward is young, and larger than
    /// what certificates allow for.
    package var holdsCertificates: Bool {
        let (reading, step) = look()
        return Self.holds(step, at: reading)
    }

    /// The time as it goes without a step that has not settled.
    var steady: Date {
        let (reading, step) = look()
        return reading.wall - (step?.seconds ?? 0)
    }

    /// The time by which the server's own certificate is judged and issued: that before a young step forward.
    package var ofOwnCertificate: Date {
        let (reading, step) = look()
        guard let step, Self.holds(step, at: reading) else { return reading.wall }
        return reading.wall - step.seconds
    }

    /// What was found since this was last asked for, the oldest first.
    package func takeEvents() -> [ClockEvent] {
        _ = look()
        return state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    private static func holds(_ step: ClockStep?, at reading: ClockReading) -> Bool {
        guard let step, step.seconds > Authority.clockTolerance else { return false }
        return reading.boot - step.noticed < holding
    }

    /// Both clocks as they are together: who was kept from the processor between the two asks again.
    private static func read(_ now: () -> Date, _ uptime: () -> TimeInterval) -> ClockReading {
        var reading = ClockReading(wall: now(), boot: uptime())
        for _ in 0..<8 {
            let before = uptime()
            reading = ClockReading(wall: now(), boot: uptime())
            if reading.boot - before < 1 { break }
        }
        return reading
    }
}
