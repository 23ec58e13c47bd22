package import Foundation

/// Both clocks at one moment.
package struct ClockReading: Sendable, Equatable {
    /// The wall clock, which people and programs set.
    package var wall: Date
    /// Seconds on the boot clock, which nobody sets and which goes on while the machine is suspended.
    package var boot: TimeInterval

    package init(wall: Date, boot: TimeInterval) {
        self.wall = wall
        self.boot = boot
    }
}

/// A step of the wall clock that has not settled.
package struct ClockStep: Sendable, Equatable {
    /// By how many seconds the wall clock is ahead of where it was going; less than 0 where it was set back.
    package var seconds: TimeInterval
    /// When the clock was last seen to step, in seconds on the boot clock.
    package var noticed: TimeInterval

    package init(seconds: TimeInterval, noticed: TimeInterval) {
        self.seconds = seconds
        self.noticed = noticed
    }

    package var isForward: Bool { seconds > 0 }

    /// For people and programs.
    package var wholeSeconds: Int { Int(min(max(seconds, -1e15), 1e15).rounded()) }
}

/// What a look at the clocks found.
package enum ClockEvent: Sendable, Equatable {
    case stepped(ClockStep)
    /// The clock is back where it was going.
    case returned(ClockStep)
    /// It went on for so long that it is taken for right.
    case settled(ClockStep)
}

/// How the wall clock goes beside the boot clock: whether it stepped, by how much, and whether that has settled.
///
/// A value, fed with readings in their order. What time services do to the wall clock little by little is no step, and
/// neither are leap seconds.
package struct ClockCourse: Sendable, Equatable {
    /// So many seconds of difference are no step.
    package static let bound: TimeInterval = 30
    /// How much a clock may run fast or slow, as a share: the most that the kernel corrects a clock by.
    package static let slew = 0.0005
    /// A step has settled when it has stood for so long, in seconds on the boot clock.
    package static let settling: TimeInterval = 24 * 3_600

    private var last: ClockReading
    /// The reading before the step that has not settled.
    private var before: ClockReading?
    /// A step that has not settled.
    package private(set) var step: ClockStep?

    package init(_ first: ClockReading) { last = first }

    /// Takes the next reading; answers what it shows that was not known.
    @discardableResult
    package mutating func look(_ reading: ClockReading) -> ClockEvent? {
        defer { last = reading }
        let hasStepped = Self.isStep(from: last, to: reading)
        guard let present = step, let before else {
            guard hasStepped else { return nil }
            self.before = last
            return begin(ClockStep(seconds: Self.drift(from: last, to: reading), noticed: reading.boot))
        }
        guard Self.isStep(from: before, to: reading) else {
            end()
            return .returned(present)
        }
        // The whole way, however many steps it took.
        let away = Self.drift(from: before, to: reading)
        guard !hasStepped else { return begin(ClockStep(seconds: away, noticed: reading.boot)) }
        guard reading.boot - present.noticed < Self.settling else {
            end()
            return .settled(present)
        }
        step?.seconds = away
        return nil
    }

    private mutating func begin(_ next: ClockStep) -> ClockEvent {
        step = next
        return .stepped(next)
    }

    private mutating func end() { (step, before) = (nil, nil) }

    private static func drift(from first: ClockReading, to second: ClockReading) -> TimeInterval {
        second.wall.timeIntervalSince(first.wall) - (second.boot - first.boot)
    }

    private static func isStep(from first: ClockReading, to second: ClockReading) -> Bool {
        abs(drift(from: first, to: second)) > bound + slew * max(0, second.boot - first.boot)
    }
}
