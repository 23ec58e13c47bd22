import Foundation

/// What the kernel says of this process, under the names that Prometheus' own libraries use.
struct ProcessFacts: Sendable {
    private let start = Date()

    func add(to measures: inout MeasureText) {
        measures.add(
            .gauge, "process_start_time_seconds", "When the server began, in seconds since 1970.",
            Int(start.timeIntervalSince1970))
        var usage = rusage()
        if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            let seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
            measures.add(.counter, "process_cpu_seconds_total", "Processor time that the server took.", seconds)
        }
        // Pages that are resident stand second.
        if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        {
            let bytes = pages * sysconf(Int32(_SC_PAGESIZE))
            measures.add(.gauge, "process_resident_memory_bytes", "Memory that the server takes.", bytes)
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            measures.add(.gauge, "process_open_fds", "Files and connections that the server has open.", files.count)
        }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
}
