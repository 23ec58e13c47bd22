import ArgumentParser
package import Foundation

/// A moment as an administrator writes it: `2026-01-31`, `2026-01-31T12:00:00Z`, or how long ago it was, such as `7d`.
package struct Moment: ExpressibleByArgument, Sendable, Equatable {
    package let date: Date

    package init?(argument: String) {
        self.init(argument, now: Date())
    }

    package init?(_ argument: String, now: Date) {
        if let day = try? Date(argument + "T00:00:00Z", strategy: .iso8601), argument.utf8.count == 10 {
            date = day
        } else if let moment = try? Date(argument, strategy: .iso8601) {
            date = moment
        } else if let span = TimeSpan(argument: argument), argument.last?.isLetter == true {
            date = now - TimeInterval(span.seconds)
        } else {
            return nil
        }
    }

    /// As the server reads it.
    package var text: String { date.formatted(.iso8601) }
}
