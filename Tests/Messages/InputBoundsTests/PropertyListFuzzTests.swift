import Foundation
import InputBounds
import TestInputs
import Testing

struct PropertyListFuzzTests {
    private static let tokens = [
        "<dict>", "</dict>", "<array>", "</array>", "<key>", "</key>", "<string>", "</string>", "<integer>",
        "</integer>",
        "<data/>", "<key/>", "<string/>", "<dict/>", "<array />", "<integer/>", "<real/>", "<date/>", "<true />",
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

/// Lists as people write them by hand, in every spelling that the format leaves open.
struct HandwrittenListTests {
    /// Red where `<data/>` and `<key/>` pass every check and reach the app as "cannot be read".
    @Test func whatPassesIsReadByFoundationToTheSameValue() throws {
        var random = SplitMix64(seed: Mutation.seed &+ 5)
        var (passed, refused) = (0, 0)
        for _ in 0..<Mutation.iterations {
            let list = Data(("<plist>" + Self.value(depth: 3, &random) + "</plist>").utf8)
            guard let value = try? PropertyListValue(parsing: list, limits: .configuration) else {
                refused += 1
                continue
            }
            passed += 1
            let decoded = try? PropertyListDecoder().decode(PropertyListValue.self, from: list)
            let alike = decoded.map { Agreement.propertyList($0, value) } ?? false
            #expect(alike, "\(String(decoding: list, as: UTF8.self))")
        }
        #expect(passed > Mutation.iterations / 10 && refused > 0)
    }

    private static let scalars = [
        "<string/>", "<string />", "<string></string>", "<string>x</string>", "<string> &amp;&#65; </string>",
        "<string><![CDATA[<x>]]></string>", "<string><![CDATA[]]></string>", "<data/>", "<data />", "<data></data>",
        "<data>\n\tAAEC\n</data>", "<data> </data>", "<data>AA==</data>", "<true/>", "<true />", "<true></true>",
        "<false\n/>", "<integer>1</integer>", "<integer> 1</integer>", "<integer>+1</integer>", "<integer>-0</integer>",
        "<integer>007</integer>", "<integer>18446744073709551615</integer>", "<integer/>", "<integer></integer>",
        "<real>.5</real>", "<real>5.</real>", "<real>1e5</real>", "<real>nan</real>", "<real>+infinity</real>",
        "<real> 1.5</real>", "<real/>", "<date>2026-01-01T00:00:00Z</date>", "<date/>", "<date> </date>",
        // The edges of what each kind can hold, and one step beyond them.
        "<integer>9223372036854775807</integer>", "<integer>9223372036854775808</integer>",
        "<integer>-9223372036854775808</integer>", "<integer>-9223372036854775809</integer>",
        "<integer>18446744073709551616</integer>", "<integer>00000000000000000001</integer>",
        "<real>1.7976931348623157e308</real>", "<real>1e309</real>", "<real>-0</real>",
        "<date>0001-01-01T00:00:00Z</date>", "<date>2024-02-29T23:59:59Z</date>", "<date>2023-02-29T00:00:00Z</date>",
        "<date>9999-12-31T23:59:59Z</date>", "<date>2026-06-30T23:59:60Z</date>", "<data>AA\n==</data>",
        "<string>a\r\nb</string>", "<string>&#x1F600;</string>", "<string>&#0;</string>", "<string>]]></string>",
    ]
    private static let keys = [
        "<key>KEY</key>", "<key>KEY</key>", "<key> KEY</key >", "<key>&lt;KEY</key>", "<key><![CDATA[KEY]]></key>",
        "<key/>",
        "<key></key>", "<key />",
    ]
    private static let between = ["", "", " ", "\n\t", "<!-- a remark -->", "<?target?>"]

    private static func value(depth: Int, _ random: inout SplitMix64) -> String {
        let kind = Int.random(in: 0..<(depth > 0 ? 5 : 3), using: &random)
        let count = Int.random(in: 0...3, using: &random)
        func gap(_ random: inout SplitMix64) -> String { between.randomElement(using: &random) ?? "" }
        switch kind {
        case 3:
            guard count > 0 else {
                return ["<array/>", "<array />", "<array></array>"].randomElement(using: &random) ?? ""
            }
            var text = "<array>"
            for _ in 0..<count { text += gap(&random) + value(depth: depth - 1, &random) }
            return text + gap(&random) + "</array>"
        case 4:
            guard count > 0 else {
                return ["<dict/>", "<dict />", "<dict> </dict>"].randomElement(using: &random) ?? ""
            }
            var text = "<dict>"
            for index in 0..<count {
                let key = (keys.randomElement(using: &random) ?? "").replacing("KEY", with: "k\(index)")
                text += gap(&random) + key + gap(&random) + value(depth: depth - 1, &random)
            }
            return text + gap(&random) + "</dict>"
        default: return scalars.randomElement(using: &random) ?? ""
        }
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
