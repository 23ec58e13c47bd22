import Foundation

/// Times in order, for percentiles.
struct Latencies: Sendable {
    private var microseconds: [UInt32] = []

    mutating func add(nanoseconds: Int64) {
        microseconds.append(UInt32(clamping: nanoseconds / 1_000))
    }

    mutating func add(_ other: Latencies) {
        microseconds += other.microseconds
    }

    var count: Int { microseconds.count }

    /// The smallest time that `share` of all did not exceed, in milliseconds.
    func percentiles(_ shares: [Double]) -> [Double] {
        let sorted = microseconds.sorted()
        guard !sorted.isEmpty else { return shares.map { _ in 0 } }
        return shares.map { share in
            Double(sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]) / 1_000
        }
    }
}

/// What the system says of a running process.
struct ProcessUsage: Sendable {
    /// User and system time since its start.
    let cpuSeconds: Double
    let residentMiB: Double

    /// Reads `/proc`; the clock there ticks a hundred times a second, so measure for seconds.
    init(of identifier: String) throws {
        let stat = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
        // The name in parentheses may hold anything; the fields after it are numbers, utime the 12th of them.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 22, let user = Double(fields[12]), let system = Double(fields[13]),
            let pages = Double(fields[22])
        else { throw LoadFailure("the process cannot be watched") }
        cpuSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        residentMiB = pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}
