import Foundation
import InputBounds
import TestInputs
import Testing

struct PropertyListFuzzTests {
    private static let tokens = [
        "<dict>", "</dict>", "<array>", "</array>", "<key>", "</key>", "<string>", "</string>", "<integer>",
        "</integer>",
        "<real>", "<date>", "<data>", "</data>", "<true/>", "<false></false>", "<!--", "-->", "<![CDATA[", "]]>", "<?",
        "?>",
        "&amp;", "&#65;", "&#x41;", "&", ";", "<", ">", "/", " ", "\n", "nan", "-", "+", "0x", "1e9", "=", "\u{FEFF}",
        "é",
        "<!DOCTYPE", "[", "encoding=", "</plist>", "<plist version=\"1.0\">", "\u{0}", "\u{1}", "\r",
    ]

    private static let inputs: [Data] = {
        var random = SplitMix64(seed: 7)
        var inputs: [Data] = []
        for _ in 0..<12 {
            let value = PropertyListValue.array([.random(depth: 3, using: &random), .random(depth: 4, using: &random)])
            inputs.append(value.xml())
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            if let binary = try? encoder.encode(value) { inputs.append(binary) }
        }
        return inputs
    }()

    /// Whatever a mutated list does, nothing crashes; what the scan lets pass, Foundation reads to the same value.
    @Test func whatTheScanAcceptsFoundationReadsAlike() throws {
        var random = SplitMix64(seed: Mutation.seed)
        var accepted = 0
        for _ in 0..<Mutation.iterations {
            let input = Self.inputs[Int.random(in: 0..<Self.inputs.count, using: &random)]
            let mutated = Mutation.mutate(input, with: Self.inputs, tokens: Self.tokens, using: &random)
            let passes = (try? PropertyListScan.check(mutated, limits: .message)) != nil
            let value = try? PropertyListValue(parsing: mutated, limits: .message)
            if value != nil { #expect(passes, "read, but not passed by the scan: \(mutated.base64EncodedString())") }
            guard passes else { continue }
            _ = unsafe try? PropertyListSerialization.propertyList(from: mutated, format: nil)
            let decoded = try? PropertyListDecoder().decode(PropertyListValue.self, from: mutated)
            guard let value else { continue }
            accepted += 1
            let alike = decoded.map { Agreement.propertyList($0, value) } ?? false
            #expect(alike, "Foundation disagrees: \(mutated.base64EncodedString())")
            #expect(try PropertyListValue(parsing: value.xml(), limits: .configuration) == value.wholeSeconds)
        }
        #expect(accepted > Mutation.iterations / 50, "too few mutations survive to prove anything")
    }
}

extension PropertyListValue {
    /// The value with its dates as the XML form holds them.
    var wholeSeconds: PropertyListValue {
        switch self {
        case .date(let date):
            .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
        case .array(let items): .array(items.map(\.wholeSeconds))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.wholeSeconds))
        default: self
        }
    }
}
