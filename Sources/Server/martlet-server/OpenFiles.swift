import Foundation

/// How many files this process may have open: each device that waits for a wake-up is one.
struct OpenFiles: Equatable {
    let now: UInt64
    let before: UInt64

    /// Whether the limit was below what the system allows.
    var wereRaised: Bool { now > before }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Takes as many as the system lets this process have; programs begin with some thousand, whatever they serve.
    ///
    /// Answers how many they are, and were; nothing where the system refuses.
    static func takeAll() -> OpenFiles? {
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        var all = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        guard unsafe setrlimit(resource, &all) == 0 else { return nil }
        return OpenFiles(now: UInt64(all.rlim_cur), before: UInt64(limit.rlim_cur))
    }
}
