import Foundation
import InputBounds
import TestInputs

extension PropertyListValue {
    /// Any value up to `depth` levels; dates in whole seconds, as the XML form holds them.
    static func random(depth: Int, using random: inout SplitMix64) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &random) {
        case 0: return .string(text(using: &random))
        case 1: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 2: return .number(random.next())
        case 3: return .real(Double.random(in: -1e12...1e12, using: &random))
        case 4:
            return .real(
                [0, -0.0, 1, .infinity, -.infinity, .leastNonzeroMagnitude, 1.7e308][
                    Int.random(in: 0..<7, using: &random)])
        case 5: return .boolean(Bool.random(using: &random))
        case 6:
            let seconds = Int.random(in: -13_000_000_000...240_000_000_000, using: &random)
            return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case 7:
            return .data(
                Data(
                    (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            )
        case 8:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            var entries: [String: PropertyListValue] = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                entries[text(using: &random)] = .random(depth: depth - 1, using: &random)
            }
            return .dictionary(entries)
        }
    }

    private static func text(using random: inout SplitMix64) -> String {
        let letters = Array("aZ09 <>&\"'é漢😀\n\t\r]]>/\u{1}\u{7F}\u{FEFF}\u{301}")
        return String(
            (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &random)]
            })
    }
}
