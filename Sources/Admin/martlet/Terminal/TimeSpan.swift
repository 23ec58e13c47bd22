import ArgumentParser

/// A span of time as an administrator writes it: `250ms`, `30s`, `5m`, `1h`, `7d`; only 0 needs no unit.
package struct TimeSpan: ExpressibleByArgument, Sendable, Equatable {
    package let duration: Duration

    package init(_ duration: Duration) {
        self.duration = duration
    }

    package init?(argument: String) {
        let units: [(String, Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
        let digits = argument.prefix { ("0"..."9").contains($0) }
        let unit = argument.dropFirst(digits.count)
        guard let count = Int64(digits), digits.count <= 9,
            let factor = unit.isEmpty && count == 0 ? 1 : units.first(where: { $0.0 == unit })?.1
        else { return nil }
        duration = .milliseconds(count * factor)
    }

    package var seconds: Int { Int(duration.components.seconds) }

    package var defaultValueDescription: String { "\(seconds)s" }

    /// What the help says of every such option, and the refusal of what is none.
    package static var allValueStrings: [String] { ["a number with its unit, such as 30s, 5m, 12h or 7d"] }
}
