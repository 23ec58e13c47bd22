import Foundation
import InputBounds
import TestInputs
import Testing

/// Whatever a device sends is read within the bounds or refused, and what Foundation reads is read alike.
struct LenientFuzzTests {
    private static let tokens = [
        "<dict>", "</dict>", "<array>", "</array>", "<key>", "</key>", "<string>", "</string>", "<integer>0x",
        "</integer>", "<real>", "<date>", "<data>", "<true/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&amp;",
        "&#55357;", "&#0;", "&", ";", "<", ">", "/", "nan", "=", "\u{FEFF}", "<!DOCTYPE", "[", "]", "</plist>",
        "\u{0}", "iso-8859-1", "bplist00",
    ]
    private static let tokensOfJSON = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud83d", "\\u0000", "1e999", "NaN", "-", "\u{0}", "null",
    ]

    private static func inputs(using random: inout SplitMix64) -> [Data] {
        var inputs: [Data] = []
        for _ in 0..<12 {
            let value = PropertyListValue.array([.random(depth: 3, using: &random), .random(depth: 4, using: &random)])
            inputs.append(value.xml())
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            if let binary = try? encoder.encode(value) { inputs.append(binary) }
        }
        return inputs
    }

    /// Nothing traps, the bounds hold, and what is read can be written and read again.
    @Test func anyBytesAreReadWithinTheBoundsOrRefused() throws {
        var random = SplitMix64(seed: Mutation.seed)
        let inputs = Self.inputs(using: &random)
        let limits = InputLimits(bytes: 65_536, depth: 6, objects: 200)
        var read = 0
        for _ in 0..<Mutation.iterations {
            let input = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            let mutated = Mutation.mutate(input, with: inputs, tokens: Self.tokens, using: &random)
            guard let reading = try? PropertyListValue.reading(mutated, limits: limits) else { continue }
            read += 1
            let (objects, depth) = reading.value.extent
            #expect(objects <= limits.objects && depth <= limits.depth, "\(mutated.base64EncodedString())")
            #expect(reading.oddities.first.count <= reading.oddities.count)
            let written = try PropertyListValue(parsing: reading.value.xml(), limits: .configuration)
            #expect(written == reading.value.wholeSeconds, "\(mutated.base64EncodedString())")
            _ = JSONValue(describing: reading.value).encoded()
        }
        #expect(read > Mutation.iterations / 20, "too few mutations survive to prove anything")
    }

    @Test func anyJSONIsReadWithinTheBoundsOrRefused() throws {
        var random = SplitMix64(seed: Mutation.seed)
        let inputs = Self.inputs(using: &random).compactMap { data in
            (try? PropertyListValue.reading(data, limits: .message).value).map {
                JSONValue(describing: $0).encoded()
            }
        }
        let limits = InputLimits(bytes: 65_536, depth: 6, objects: 200)
        var read = 0
        for _ in 0..<Mutation.iterations {
            let input = inputs[Int.random(in: 0..<inputs.count, using: &random)]
            let mutated = Mutation.mutate(input, with: inputs, tokens: Self.tokensOfJSON, using: &random)
            guard let reading = try? JSONValue.reading(mutated, limits: limits) else { continue }
            read += 1
            let again = try JSONValue(
                parsing: reading.value.encoded(), limits: InputLimits(bytes: 1_048_576, depth: 6, objects: 200))
            #expect(again == reading.value, "\(mutated.base64EncodedString())")
        }
        #expect(read > Mutation.iterations / 20, "too few mutations survive to prove anything")
    }

    /// Ways to write the same list that Foundation takes: none of them changes what is read.
    private static let harmless: [@Sendable (Data) -> Data] = [
        { data in data }, { data in Data([0xEF, 0xBB, 0xBF]) + data },
        { data in
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            return Data(lines.filter { !$0.hasPrefix("<!DOCTYPE") }.joined(separator: "\n").utf8)
        },
        { data in edit(data, "<plist version=\"1.0\">", "<plist version=\"1.0\"><!-- a comment --><?b c?>") },
        { data in edit(data, "</plist>", "<!-- <dict> --></plist>\n\n") },
        { data in edit(data, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"?>") },
    ]

    private static func edit(_ data: Data, _ found: String, _ other: String) -> Data {
        Data(String(decoding: data, as: UTF8.self).replacing(scalars: found, with: other).utf8)
    }

    /// What Foundation writes and reads, in either form and however it is dressed up, has the same value here.
    @Test func whatFoundationReadsIsReadAlike() throws {
        var random = SplitMix64(seed: Mutation.seed)
        var compared = 0
        for turn in 0..<max(Mutation.iterations / 10, 60) {
            let value = PropertyListValue.random(depth: 4, using: &random)
            let format: PropertyListSerialization.PropertyListFormat = turn % 2 == 0 ? .xml : .binary
            let object = Self.object(value)
            guard var data = try? PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            else { continue }
            if format == .xml { data = Self.harmless[turn / 2 % Self.harmless.count](data) }
            let found = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
            guard let found else { continue }
            // What Foundation understood, as it writes it in the form that keeps the types apart.
            guard let again = try? PropertyListSerialization.data(fromPropertyList: found, format: .binary, options: 0)
            else { continue }
            compared += 1
            let understood = try PropertyListValue(parsing: again, limits: .message)
            let reading = try PropertyListValue.reading(data, limits: .message)
            let alike = Agreement.propertyList(understood.countingBooleans, reading.value.countingBooleans)
            #expect(alike, "\(data.base64EncodedString())")
            #expect(reading.oddities.isEmpty, "\(data.base64EncodedString())")
        }
        #expect(compared > 30, "too few lists were compared to prove anything")
    }

    /// The same in Foundation's types; integers above 63 bits it writes as others, and a byte order mark that begins a text
    /// it leaves out of a binary list.
    private static func object(_ value: PropertyListValue) -> Any {
        switch value {
        case .string(let text): String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
        case .integer(let number): number
        case .unsigned: Int64.max
        case .real(let number): number
        case .boolean(let flag): flag
        case .date(let date): date
        case .data(let data): data
        case .array(let items): items.map(object)
        case .dictionary(let entries): entries.mapValues(object)
        }
    }
}

extension PropertyListValue {
    /// The value with its booleans as numbers, as which Foundation has them in memory.
    fileprivate var countingBooleans: PropertyListValue {
        switch self {
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .array(let items): .array(items.map(\.countingBooleans))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.countingBooleans))
        default: self
        }
    }
}
