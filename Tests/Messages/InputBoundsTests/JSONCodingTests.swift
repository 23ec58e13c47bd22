import Foundation
import InputBounds
import TestInputs
import Testing

/// Types that write themselves to a document and read themselves from it, as Foundation has them do.
struct JSONCodingTests {
    private enum Colour: String, Codable { case red, green }

    private struct Inner: Codable, Equatable {
        var number: Int32
        var text: String?
    }

    private struct Sample: Codable, Equatable {
        var flag = true
        var text = "a\"\\/\u{1}\u{1F}\né\u{1F511}"
        var whole = -5
        var small: UInt8 = 255
        var large = Int64.max
        var real = 1.5
        var single: Float = 0.25
        var bytes = Data(0...255)
        var colour = Colour.green
        var missing: Int?
        var inner = Inner(number: 7, text: nil)
        var list = [Inner(number: 1, text: "x"), Inner(number: 2, text: nil)]
        var table = ["a": [1, 2], "b": []]
        var optional: [String?] = ["x", nil]
        var pages = [Data([1]), Data()]
    }

    /// Written by hand, and through a superclass.
    private class Base: Codable {
        var name = "base"
    }

    private final class Derived: Base {
        var first = 1
        var rest = [2, 3]

        private enum Key: String, CodingKey { case nested, list, item }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            first = try values.nestedContainer(keyedBy: Key.self, forKey: .nested).decode(Int.self, forKey: .item)
            var list = try values.nestedUnkeyedContainer(forKey: .list)
            rest = []
            while !list.isAtEnd { rest.append(try list.decode(Int.self)) }
            try super.init(from: values.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            var nested = values.nestedContainer(keyedBy: Key.self, forKey: .nested)
            try nested.encode(first, forKey: .item)
            var list = values.nestedUnkeyedContainer(forKey: .list)
            for number in rest { try list.encode(number) }
            try super.encode(to: values.superEncoder())
        }
    }

    @Test func valuesGoThereAndBack() throws {
        var other = Sample()
        other.missing = 3
        other.text = String(repeating: "long ", count: 1_000)
        for sample in [Sample(), other] {
            let document = try JSONValue(encoding: sample)
            #expect(try document.decoded(as: Sample.self) == sample)
            // Each reads what the other wrote.
            #expect(try JSONDecoder().decode(Sample.self, from: document.encoded()) == sample)
            let foreign = try JSONValue(parsing: JSONEncoder().encode(sample), limits: .message)
            #expect(try foreign.decoded(as: Sample.self) == sample)
        }
    }

    @Test func aClassGoesThereAndBackWithItsSuperclass() throws {
        let derived = Derived()
        (derived.name, derived.first, derived.rest) = ("another", 8, [9])
        let document = try JSONValue(encoding: derived)
        #expect(document["super"] == .object(["name": .string("another")]))
        let read = try document.decoded(as: Derived.self)
        #expect(read.name == "another" && read.first == 8 && read.rest == [9])
    }

    @Test(arguments: [
        (#"{"number":1,"text":"x"}"#, nil), (#"{"number":1,"text":null}"#, nil), (#"{"number":1,"more":[]}"#, nil),
        (#"{}"#, "number missing"), (#"{"number":null}"#, "number none"), (#"{"number":"1"}"#, "number type"),
        (#"{"number":1.5}"#, "number type"), (#"{"number":2147483648}"#, "number type"),
        (#"{"number":1,"text":7}"#, "text type"), (#"[]"#, " type"), (#"7"#, " type"), (#"null"#, " none"),
    ])
    func whatDoesNotFitIsRefusedByItsPlace(text: String, refusal: String?) throws {
        let document = try JSONValue(parsing: Data(text.utf8), limits: .message)
        #expect(Self.refusal { _ = try document.decoded(as: Inner.self) } == refusal)
    }

    @Test(arguments: [(#"["AA=="]"#, nil), (#"["?"]"#, "0 corrupt"), (#"["",1]"#, "1 type")])
    func bytesAreBase64(text: String, refusal: String?) throws {
        let document = try JSONValue(parsing: Data(text.utf8), limits: .message)
        #expect(Self.refusal { _ = try document.decoded(as: [Data].self) } == refusal)
    }

    @Test func aNumberAbove64BitsIsNotWritten() {
        #expect(throws: EncodingError.self) { try JSONValue(encoding: UInt64.max) }
        #expect(throws: Never.self) { try JSONValue(encoding: [UInt64(Int64.max)]) }
    }

    private static func refusal(_ read: () throws -> Void) -> String? {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        do {
            try read()
            return nil
        } catch DecodingError.keyNotFound(let key, _) {
            return key.stringValue + " missing"
        } catch DecodingError.valueNotFound(_, let context) {
            return path(context) + " none"
        } catch DecodingError.typeMismatch(_, let context) {
            return path(context) + " type"
        } catch DecodingError.dataCorrupted(let context) {
            return path(context) + " corrupt"
        } catch {
            return "\(error)"
        }
    }

    /// Texts are looked at eight bytes at a time: wherever a special one stands among them, it is seen.
    @Test func specialBytesAreSeenAtEachPlace() throws {
        let specials: [UInt8] = Array(1..<0x20) + [UInt8(ascii: "\""), UInt8(ascii: "\\")]
        for length in [7, 8, 9, 17, 24] {
            for place in 0..<length {
                for byte in specials {
                    var plain = [UInt8](repeating: UInt8(ascii: "~"), count: length)
                    plain[place] = byte
                    let text = String(decoding: plain, as: UTF8.self)
                    let written = JSONValue.string(text).encoded()
                    #expect(try JSONDecoder().decode(String.self, from: written) == text)
                    #expect(try JSONValue(parsing: written, limits: .message) == .string(text))
                    let raw = Data([UInt8(ascii: "\"")] + plain + [UInt8(ascii: "\"")])
                    #expect(throws: InputRefusal.self) { try JSONScan.check(raw, limits: .message) }
                }
                // Neighbours of the special ones, and what is not ASCII, are plain.
                for plain in ["\u{20}", "\u{21}", "\u{23}", "[", "]", "\u{7F}", "\u{A2}", "\u{DC}", "\u{FF}"] {
                    let (before, after) = (String(repeating: "~", count: place), String(repeating: "~", count: length))
                    let text = before + plain + after
                    #expect(JSONValue.string(text).encoded() == Data("\"\(text)\"".utf8))
                    #expect(try JSONValue(parsing: Data("\"\(text)\"".utf8), limits: .message) == .string(text))
                }
            }
        }
    }
}
