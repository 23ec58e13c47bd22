import Synchronization

/// Names one request in its answer and in the log; of the server's own making, whatever a peer says.
enum RequestIdentifier {
    /// Where this life of the server began to count: names of another life are others.
    private static let start = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// Another one each time, without asking the system for random bytes: nobody has to be unable to guess it.
    static func next() -> String {
        // SplitMix64: it takes each number to another one, and neighbors far apart.
        var mixed = start &+ count.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        let digits = String(mixed ^ mixed >> 31, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
