import Foundation
import Management
import Testing

/// C7: what is a step of the wall clock, and when it has settled: values.
struct ClockCourseTests {
    private static let year: TimeInterval = 365 * 86_400
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Readings after the start, in seconds on both clocks, and what they show.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let readings: [(boot: TimeInterval, wall: TimeInterval)]
        var events: [ClockEvent] = []
        var step: ClockStep?

        init(
            _ name: String, _ readings: [(TimeInterval, TimeInterval)], _ events: [ClockEvent] = [],
            step: ClockStep? = nil
        ) {
            testDescription = name
            self.readings = readings.map { (boot: $0.0, wall: $0.1) }
            self.events = events
            self.step = step
        }
    }

    private static func step(_ seconds: TimeInterval, at boot: TimeInterval) -> ClockStep {
        ClockStep(seconds: seconds, noticed: boot)
    }

    /// Readings of a wall clock that goes at a rate, so many seconds apart.
    private static func every(
        _ seconds: TimeInterval, to last: TimeInterval, rate: Double
    ) -> [(TimeInterval, TimeInterval)] {
        stride(from: seconds, through: last, by: seconds).map { boot in (boot, boot * rate) }
    }

    // One by one: as one expression it takes the compiler too long.
    static let courses: [Course] = {
        var all: [Course] = []
        all.append(
            Course("a clock that goes as time does", every(60, to: 540, rate: 1)))
        all.append(
            Course("a machine that is suspended for a night", [(60, 60), (36_060, 36_060.5), (36_120, 36_120.5)]))
        all.append(
            Course("a leap second more", [(60, 59), (120, 119)]))
        all.append(
            Course("a leap second less", [(60, 61), (120, 121)]))
        all.append(
            Course(
                "a week of 500 millionths",
                every(3_600, to: 604_800, rate: 1.000_5)))
        all.append(
            Course(
                "a week of 500 millionths the other way",
                every(3_600, to: 604_800, rate: 0.999_5)))
        all.append(
            Course("a month of them without a look", [(2_592_000, 2_592_000 * 1.000_5 + 20)]))
        all.append(
            Course("a correction of half a minute", [(60, 89), (120, 149)]))
        all.append(
            Course(
                "minutes forward", [(60, 360), (120, 420)], [.stepped(step(300, at: 60))], step: step(300, at: 60)))
        all.append(
            Course("minutes back", [(60, -240)], [.stepped(step(-300, at: 60))], step: step(-300, at: 60)))
        all.append(
            Course(
                "four years for 75 seconds", [(60, 60 + 4 * year), (135, 135)],
                [.stepped(step(4 * year, at: 60)), .returned(step(4 * year, at: 60))]))
        all.append(
            Course(
                "a year back and forward", [(60, 60 - year), (120, 120)],
                [.stepped(step(-year, at: 60)), .returned(step(-year, at: 60))]))
        all.append(
            Course(
                "two years in two steps, and back in two",
                [(60, 60 + year), (120, 120 + 2 * year), (180, 180 + year), (240, 240)],
                [
                    .stepped(step(year, at: 60)), .stepped(step(2 * year, at: 120)), .stepped(step(year, at: 180)),
                    .returned(step(year, at: 180)),
                ]))
        all.append(
            Course(
                "a step that is taken back little by little", [(60, 100), (1_000, 1_025)],
                [.stepped(step(40, at: 60)), .returned(step(40, at: 60))]))
        all.append(
            Course(
                "an hour that stays for less than a day", [(60, 3_660), (86_459, 90_059)],
                [.stepped(step(3_600, at: 60))],
                step: step(3_600, at: 60)))
        all.append(
            Course(
                "an hour that stays for a day", [(60, 3_660), (86_460, 90_060), (86_520, 90_120)],
                [.stepped(step(3_600, at: 60)), .settled(step(3_600, at: 60))]))
        all.append(
            Course(
                "a step and a night of suspension", [(60, 3_660), (40_060, 43_660), (40_120, 40_120)],
                [.stepped(step(3_600, at: 60)), .returned(step(3_600, at: 60))]))
        return all
    }()

    @Test(arguments: courses) func aStepIsToldFromTime(_ played: Course) {
        var course = ClockCourse(ClockReading(wall: Self.start, boot: 0))
        let events = played.readings.compactMap { reading in
            course.look(ClockReading(wall: Self.start + reading.wall, boot: reading.boot))
        }
        #expect(events == played.events)
        #expect(course.step == played.step)
    }

    // MARK: The time that is believed

    private static let day: TimeInterval = 86_400

    /// A look: the wall clock in days after the start, the seconds on the boot clock since the one before, and the answer.
    typealias Look = (Double, TimeInterval, Bool)

    @Test(
        arguments: [
            ("a server that runs", [(0.5, 43_200, true), (40, 3_412_800, true)]),
            ("one that was off for less than a day", [(0.9, 0, true)]),
            (
                "one that was off for a year",
                [
                    (365, 0, false), (365.5, 43_200, false), (365.99, 42_336, false), (366, 864, true),
                    (367, 86_400, true),
                ]
            ),
            (
                "one that is restarted meanwhile",
                [(365, 0, false), (365.6, 51_840, false), (365.7, 0, false), (366.2, 43_200, true)]
            ),
            ("a leap, and back", [(0.1, 8_640, true), (1_460, 75, false), (0.102, 75, true), (0.2, 8_640, true)]),
            (
                "leaps to other years prove nothing of each other",
                [(1_460, 60, false), (1_460.6, 51_840, false), (1_825, 0, false), (1_825.6, 51_840, false)]
            ),
            ("one that began in a leap", [(1_460, 0, false), (1_460.1, 8_640, false), (0.1, 0, true)]),
            ("a clock that is set back goes on from there", [(-365, 60, true), (-364, 86_400, true), (0, 60, false)]),
        ] as [(String, [Look])])
    func aTimeIsBelievedOnceItHasGoneOnForADay(_ name: String, looks: [Look]) {
        var time = BelievedTime(Self.start)
        for (days, passed, isBelieved) in looks {
            let answer = time.believes(Self.start + days * Self.day, passed: passed)
            #expect(answer == isBelieved, "\(name), after \(days) days")
        }
    }
}
