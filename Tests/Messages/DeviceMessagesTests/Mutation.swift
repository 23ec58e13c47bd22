import Foundation

/// Damages inputs the way a hostile or broken peer would.
enum Mutation {
    /// How often the fuzz tests try; `make fuzz` raises it.
    static let iterations = ProcessInfo.processInfo.environment["MARTLET_FUZZ_ITERATIONS"].flatMap(Int.init) ?? 2_000
    static let seed = ProcessInfo.processInfo.environment["MARTLET_FUZZ_SEED"].flatMap(UInt64.init) ?? 20_260_131

    /// Changes one to four places: bits, bytes, tokens of the format, removals, repetitions, pieces of another input.
    static func mutate(
        _ input: Data, with others: [Data], tokens: [String], using random: inout SplitMix64
    ) -> Data {
        var bytes = [UInt8](input)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...24, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            case 4: bytes.removeSubrange(place...)
            case 5:
                let other = others[Int.random(in: 0..<others.count, using: &random)]
                let from = Int.random(in: 0...other.count, using: &random)
                bytes.replaceSubrange(place..<end, with: other.dropFirst(from).prefix(end - place))
            default:
                let token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
                bytes.insert(contentsOf: Array(token.utf8), at: place)
            }
        }
        return Data(bytes)
    }
}
