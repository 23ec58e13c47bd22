import Foundation
import TestInputs

/// Where a process is to end: at the Nth write, sync, rename or removal below a directory, over all its threads.
struct CrashPoint: Sendable {
    private let directory: String
    private let number: Int
    private let tears: Bool
    private let log: URL

    /// The Nth of `directory`, or none for zero; with `tears`, a write ends after half of its bytes.
    init(_ number: Int, of directory: String, tears: Bool = false, log: URL) {
        self.number = number
        self.directory = directory
        self.tears = tears
        self.log = log
        try? FileManager.default.removeItem(at: log)
    }

    /// What the process is started with.
    var environment: [String: String] {
        var environment = [
            "LD_PRELOAD": Road.binary("libCrashPoint.so").path,
            "MARTLET_CRASHPOINT_DIRECTORY": directory,
            "MARTLET_CRASHPOINT_AT": "\(number)",
            "MARTLET_CRASHPOINT_LOG": log.path,
        ]
        if tears { environment["MARTLET_CRASHPOINT_TEAR"] = "1" }
        return environment
    }

    /// What was counted so far, such as `rename /ca.pem`.
    var calls: [String] {
        ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    // MARK: How much is tried

    /// All of them in `make soak`; the quick suite tries a few.
    static let triesAll = first != nil

    /// Where a run through all of them begins: at 1, or where MARTLET_CRASH_POINTS says that one goes on.
    private static let first = ProcessInfo.processInfo.environment["MARTLET_CRASH_POINTS"].flatMap {
        $0 == "all" ? 1 : Int($0)
    }

    /// Says how far a long run has come, if this is one.
    static func tell(_ number: Int, of count: Int, _ what: String) {
        // Not printed: what goes to a pipe is kept back until there is much of it.
        if triesAll { FileHandle.standardError.write(Data("\(what): point \(number) of \(count)\n".utf8)) }
    }

    /// Whether the point is to be tried once more with half of its bytes written: `make soak` does so at every write.
    static func canTear(_ call: String?) -> Bool {
        triesAll && call?.hasPrefix("write") == true
    }

    /// How many of the points that are tried have to be reached, so that something is shown.
    ///
    /// Rounds differ in what is written, also with how busy the machine is, so that some points lie behind the end of a
    /// round: of a few that are spread over all of them half count, of all of them so many of ten.
    static func fewest(of points: Int, ofTen share: Int) -> Int {
        triesAll ? points * share / 10 : points / 2
    }

    /// The points to try of `count`; in the quick suite a few, spread, other ones for another seed.
    static func points(upTo count: Int, quick: Int) -> [Int] {
        if let first { return first <= count ? Array(first...count) : [] }
        let step = max(1, count / quick)
        var generator = SplitMix64(seed: CrashTests.seed)
        let offset = Int(generator.next() % UInt64(step))
        return stride(from: 1 + offset, through: max(1, count), by: step).map { $0 }
    }
}
