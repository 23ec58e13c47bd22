package import Foundation

/// Damages inputs the way a hostile or broken peer would.
package enum Mutation {
    /// How often the fuzz tests try; `make fuzz` raises it.
    package static let iterations = number("MARTLET_FUZZ_ITERATIONS") ?? 2_000

    /// Whether a run has time for everything: the quick suite tries a part of what is alike.
    package static var isLong: Bool { iterations > 2_000 }

    /// Where the fuzz tests begin; `MARTLET_FUZZ_SEED` lets a long run see other inputs than the last one.
    package static let seed = number("MARTLET_FUZZ_SEED").map(UInt64.init) ?? 20_260_131

    /// Octets that mean something in DER: tags, lengths, limits.
    private static let octetsOfDER: [UInt8] = [0, 1, 2, 4, 5, 6, 0x30, 0x31, 0x7f, 0x80, 0x81, 0x82, 0xa0, 0xff]

    /// Changes one to four places: bits, octets, removals, repetitions, tokens of the format, pieces of another input.
    package static func mutate(
        _ input: Data, with others: [Data] = [], tokens: [String] = [], octets: [UInt8] = [],
        using random: inout SplitMix64
    ) -> Data {
        var bytes = [UInt8](input)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...24, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = octets.randomElement(using: &random) ?? .random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            case 4: bytes.removeSubrange(place...)
            case 5:
                guard let other = others.randomElement(using: &random) else { fallthrough }
                let from = Int.random(in: 0...other.count, using: &random)
                bytes.replaceSubrange(place..<end, with: other.dropFirst(from).prefix(end - place))
            default:
                let token = tokens.randomElement(using: &random).map { Array($0.utf8) }
                bytes.insert(contentsOf: token ?? [.random(in: 0...255, using: &random)], at: place)
            }
        }
        return Data(bytes)
    }

    /// Changes DER, or what lies inside of it.
    package static func mutateDER(_ input: Data, using random: inout SplitMix64) -> Data {
        mutate(input, octets: octetsOfDER, using: &random)
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
