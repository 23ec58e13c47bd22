import AppMessages
import Foundation
import Testing

/// Throws damaged messages at both readers: whatever comes, they answer or refuse.
struct VarlinkFuzzTests {
    private static let iterations =
        ProcessInfo.processInfo.environment["MARTLET_FUZZ_ITERATIONS"].flatMap(Int.init) ?? 2_000

    private static let seeds: [Data] = [
        AppCall.watchConfiguration.encoded(),
        AppCall.reportConfiguration(
            ConfigurationOutcome(
                version: String(repeating: "0f", count: 32), valid: false, code: -1, message: "m", keyPath: "k[0]",
                keyPathSupplied: true)
        ).encoded(),
        AppCall.getSecret(.identity, identifier: "x\u{301}").encoded(),
        AppCall.watchSecrets(.certificate).encoded(),
        Varlink.reply(
            ConfigurationState(
                managed: true, synchronised: true, stale: true, version: "v", configuration: Data(0...255),
                generation: 3)),
        Varlink.reply(VarlinkError.expectedMore),
    ]

    @Test func everyDamagedStreamIsAnsweredOrRefused() {
        var random = SeededGenerator(state: 0x6D61_7274_6C65_7401)
        var calls = 0
        var refusals = 0
        for _ in 0..<Self.iterations {
            var bytes = Self.seeds.randomElement(using: &random).map(Array.init) ?? []
            for _ in 0..<Int.random(in: 0...4, using: &random) { Self.damage(&bytes, &random) }
            var reader = FrameReader(limit: FrameReader.callLimit)
            reader.append(bytes)
            do {
                while let message = try reader.next() {
                    let reply = try? VarlinkReply<ConfigurationState>(parsing: message)
                    _ = try? reply?.result.get()
                    _ = try AppCall(VarlinkCall(parsing: message)).encoded()
                    calls += 1
                }
            } catch {
                refusals += 1
            }
        }
        // The damage is neither so slight nor so great that only one way is ever taken.
        #expect(calls > 0 && refusals > 0)
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes.append(0) }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
        case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
        case 3: bytes.insert(0, at: place)
        case 4:
            let words = ["null", "1e999", "-0", "\"\\ud800\"", "{", "[[[[", "18446744073709551616", "true", "\\u0000"]
            bytes.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: place)
        default: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 2_000), at: place)
        }
    }
}

/// SplitMix64: the same sequence on every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
