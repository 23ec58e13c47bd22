import Attestation
import Foundation
import TestInputs
import Testing

struct CBORTests {
    @Test(arguments: [UInt64(1), 2])
    func `every value reads back as it was written`(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let value = Self.value(depth: 0, &generator)
            #expect(try CBORValue(decoding: value.encoded) == value)
        }
    }

    @Test(
        arguments: [
            ("nothing", []), ("two values", [0, 0]), ("a tag", [0xc0, 0]), ("a float", [0xf9, 0, 0]),
            ("an undefined value", [0xf7]), ("an array without end", [0x9f, 0xff]),
            ("bytes without end", [0x5f, 0xff]),
            ("a number that is not the shortest", [0x18, 1]), ("a long one that is not", [0x19, 0, 0xff]),
            ("a number beyond 63 bits", [0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0]), ("a name twice", [0xa2, 0, 1, 0, 2]),
            ("text that is not UTF-8", [0x61, 0xff]),
            ("bytes that are not there", [0x5b, 0x7f, 255, 255, 255, 255, 255, 255, 255]),
            ("elements that are not there", [0x9b, 0, 0, 0, 1, 0, 0, 0, 0]), ("a map cut short", [0xa1, 0]),
            ("a reserved length", [0x1c]),
        ] as [(String, [UInt8])])
    func `what is not one bounded value is refused`(_ name: String, _ bytes: [UInt8]) {
        #expect(throws: CBORMalformed.self) { try CBORValue(decoding: Data(bytes)) }
    }

    @Test func `depth, count and size are bounded`() throws {
        func nested(_ depth: Int) -> Data { Data([UInt8](repeating: 0x81, count: depth) + [0]) }
        #expect(throws: Never.self) { try CBORValue(decoding: nested(CBORLimits.depth)) }
        for depth in [CBORLimits.depth + 1, 60_000] {
            #expect(throws: CBORMalformed.self) { try CBORValue(decoding: nested(depth)) }
        }
        let many = CBORValue.array([CBORValue](repeating: .array([.null, .null]), count: 100))
        #expect(throws: CBORMalformed.self) { try CBORValue(decoding: many.encoded) }
        let large = CBORValue.bytes(Data(count: CBORLimits.bytes))
        #expect(throws: CBORMalformed.self) { try CBORValue(decoding: large.encoded) }
    }

    private static func value(depth: Int, _ generator: inout SplitMix64) -> CBORValue {
        switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &generator) {
        case 0: .integer(.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...63, using: &generator))
        case 1: .bytes(Data(count: .random(in: 0...300, using: &generator)))
        case 2: .text(String(repeating: "ß", count: .random(in: 0...40, using: &generator)))
        case 3: .bool(.random(using: &generator))
        case 4, 5: .null
        case 6: .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth: depth + 1, &generator) })
        default:
            .map(
                (0..<Int.random(in: 0...4, using: &generator)).map {
                    .init(.text("key \($0)"), value(depth: depth + 1, &generator))
                })
        }
    }
}
