import Foundation

/// The seeds of the random courses that a test plays; the same seed is the same course.
package enum CourseSeeds {
    /// What is said with a failure, so that whoever reads it can repeat it.
    package static func replay(_ seed: UInt64) -> String { "MARTLET_COMMAND_SEED=\(seed) repeats it" }

    /// As many as a quick suite has time for, or as `MARTLET_COMMAND_COURSES` says; `MARTLET_COMMAND_SEED` is played alone.
    package static func commands(
        usually count: Int, environment said: [String: String]? = nil
    ) -> [UInt64] {
        let environment = said ?? ProcessInfo.processInfo.environment
        if let seed = environment["MARTLET_COMMAND_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let courses = environment["MARTLET_COMMAND_COURSES"].flatMap { Int($0) } ?? count
        return (0..<max(courses, 1)).map { 20_140_601 + UInt64($0) }
    }
}
