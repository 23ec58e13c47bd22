import Foundation

/// A wall clock that a test sets, for one program that is started with it.
struct ShiftedClock: Sendable {
    private let file: URL

    /// Begins with the right time.
    init(_ road: Road) throws {
        file = road.home.appending(path: "clock")
        try Self.bytes(of: 0).write(to: file)
    }

    /// What the program is started with.
    var environment: [String: String] {
        ["LD_PRELOAD": Road.binary("libPreload.so").path, "MARTLET_CLOCK_OFFSET": file.path]
    }

    /// Sets it ahead of the right time; the program sees that at once.
    func set(aheadBy seconds: Int64) throws {
        // In place: the program has this file in its memory.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Self.bytes(of: seconds))
        try handle.close()
    }

    private static func bytes(of seconds: Int64) -> Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: seconds >> (8 * Int64($0))) })
    }
}
