import Foundation

/// A generator whose every run repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}

/// Changes bytes as a faulty or hostile peer might.
enum Mutation {
    /// How many inputs a fuzz test tries: `MARTLET_FUZZ_ITERATIONS`, or a number that fits into every test run.
    static let iterations =
        ProcessInfo.processInfo.environment["MARTLET_FUZZ_ITERATIONS"].flatMap { Int($0) } ?? 2_000

    static func mutate(_ data: Data, using generator: inout SeededGenerator) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            guard !bytes.isEmpty else { return Data() }
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let length = min(Int.random(in: 1...40, using: &generator), bytes.count - place)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1, 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 3:
                bytes[place] =
                    [0, 1, 2, 0x30, 0x31, 0x7f, 0x80, 0x82, 0xa0, 0xff].randomElement(using: &generator) ?? 0
            case 4: bytes.removeSubrange(place..<place + length)
            case 5: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 6: bytes.removeSubrange(place...)
            default: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
            }
        }
        return Data(bytes)
    }
}
