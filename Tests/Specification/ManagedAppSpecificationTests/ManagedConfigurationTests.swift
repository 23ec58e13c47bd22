import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import ManagedApp
import ManagedAppSpecification
import TestInputs
import Testing

/// One struct is the decoder, the specification and the check: A03.
struct ManagedConfigurationTests {
    private func decode<Value: Decodable>(_ list: PropertyListValue, as type: Value.Type = NotesConfiguration.self)
        throws -> Value
    {
        try PropertyListDecoder().decode(type, from: list.xml())
    }

    private let least: [String: PropertyListValue] = ["serverURL": .string("https://a.example")]

    /// S4-API-06, S4-API-08, S4-BP-05: what is not there has its default, what is not known is ignored.
    @Test func defaultsStandForWhatIsNotConfigured() throws {
        var list = least
        list["unknown"] = .integer(1)
        let notes = try decode(.dictionary(list))
        #expect(notes.serverURL == URL(string: "https://a.example"))
        #expect(notes.syncMinutes == 15 && notes.role == .staff && notes.teams.isEmpty)
        #expect(notes.expires == nil && notes.labels == nil)
    }

    @Test func everyTypeIsRead() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let list = PropertyListValue.dictionary([
            "serverURL": .string("https://a.example"), "syncMinutes": .integer(5), "user_role": .string("lead"),
            "expires": .date(date), "logo": .data(Data([1])),
            "teams": .array([.dictionary(["name": .string("A"), "members": .array([.string("b")])])]),
            "labels": .dictionary(["x": .string("y")]), "share": .real(0.5), "places": .array([.string("https://p")]),
            "small": .integer(-128), "syncSeconds": .integer(300), "place": .integer(2), "code": .string("AB"),
        ])
        let notes = try decode(list)
        #expect(notes.syncMinutes == 5 && notes.role == .lead && notes.expires == date && notes.logo == Data([1]))
        #expect(notes.teams.first?.members == ["b"] && notes.labels == ["x": "y"] && notes.share == 0.5)
        #expect(notes.places?.map(\.absoluteString) == ["https://p"] && notes.small == -128 && notes.syncSeconds == 300)
        #expect(notes.place == .lake && notes.code == "AB")
        #expect(notes.configuredValue.list == list)
    }

    static let broken: [(key: String, value: PropertyListValue, code: Int, message: String)] = [
        ("serverURL", .string("http://a"), 9_004, "must match the pattern ^https://"),
        ("serverURL", .string(""), 9_009, "must be a URL"),
        ("syncMinutes", .integer(4), 9_002, "must be at least 5"),
        ("syncMinutes", .integer(121), 9_002, "must be at most 120"),
        ("user_role", .string("guest"), 9_001, "must be one of \"staff\", \"lead\""),
        ("expires", .date(Date(timeIntervalSince1970: 0)), 9_007, "must not be before 2026-01-01T00:00:00Z"),
        ("logo", .data(Data()), 9_008, "must be of at least 1 bytes"),
        (
            "teams", .array(Array(repeating: .dictionary(["name": .string("a")]), count: 3)), 9_005,
            "must hold at most 2"
        ),
        ("teams", .array([.dictionary(["name": .string("")])]), 9_003, "must be of at least 1 character"),
        ("share", .real(1), 9_002, "must be below 1"),
        ("places", .array([.string("https://p"), .string("https://p")]), 9_006, "must hold nothing twice"),
        ("place", .integer(3), 9_001, "must be one of the values that are listed"),
        ("share", .real(0.5), 9_010, "logo must be there, as share is there"),
    ]

    /// The errors are the app's own, with codes that the specification documents: S4-API-07, S4-SPEC-03.
    @Test(arguments: broken) func aBrokenRuleIsRefusedByItsCode(
        broken: (key: String, value: PropertyListValue, code: Int, message: String)
    ) throws {
        var list = least
        list[broken.key] = broken.value
        let error = try #require(throws: ConfigurationRuleError.self) { try decode(.dictionary(list)) }
        #expect(error.code.rawValue == broken.code)
        #expect(error.message == broken.message)
        #expect(try Published.notes().specification.errors.contains { $0.code == broken.code })
    }

    /// S4-API-07: where a key has an error of the app's own, whatever breaks its rules is told by that, and the published
    /// table has no other for it.
    @Test func theAppsOwnErrorSpeaksForItsKey() throws {
        let cases: [([String: PropertyListValue], NotesError)] = [
            (["code": .string("a")], .noCode),
            (["syncMinutes": .integer(120), "logo": .data(Data([1]))], .tooSeldom),
        ]
        for (entries, error) in cases {
            let list = PropertyListValue.dictionary(least.merging(entries) { $1 })
            #expect(throws: error) { try decode(list) }
        }
        let specification = try PublishedSpecification(Coded.self, app: "com.example.coded").specification
        #expect(specification.errors.isEmpty, "\(specification.errors)")
        #expect(specification.configuration["teams"]?.item.first?["name"]?.bounds.minLength == 1)
    }

    /// A rule of a type holds wherever the type is used, and its words stand unless the key says others.
    @Test func whatATypeSaysOfItselfGoesForEachOfItsKeys() throws {
        let keys = try PublishedSpecification(Coded.self, app: "com.example.coded").specification.configuration
        #expect(keys["first"]?.title == "A color" && keys["second"]?.title == "The other")
        #expect(keys["first"]?.bounds.pattern == "^#" && keys["second"]?.bounds.pattern == "^#")
        #expect(throws: NotesError.noCode) {
            try decode(.dictionary(["first": .string("red")]), as: Coded.self)
        }
    }

    /// What has to hold between keys is in the document, and what any JSON Schema validator finds by it the decoder refuses.
    @Test func conditionsBetweenKeysArePublished() throws {
        let document = try Published.notes().specification.document
        let conditions = try #require(document["allOf"]?.array)
        #expect(conditions.first?["if"]?["required"] == .array([.string("share")]))
        #expect(conditions.first?["then"]?["required"] == .array([.string("logo")]))
        #expect(conditions.last?["if"]?["properties"]?["syncMinutes"]?["const"] == .integer(120))
        #expect(conditions.last?["then"]?["properties"]?["logo"] == .boolean(false))
        #expect(try Published.notes().specification.errors.map(\.code).contains(9_010))
        // Keys that the app does not know are told of as before.
        let findings = try Published.notes().specification.findings(
            in: .dictionary(least.merging(["smal": .integer(1)]) { $1 }))
        #expect(findings.map(\.rule) == ["unknownKey"], "\(findings)")
    }

    @Test func aMissingKeyAndAWrongTypeNameTheirPlace() throws {
        let missing = try #require(throws: DecodingError.self) { try decode(.dictionary([:])) }
        guard case .keyNotFound(let key, _) = missing else { throw missing }
        #expect(key.stringValue == "serverURL")
        var list = least
        list["teams"] = .array([.dictionary(["name": .string("a"), "members": .array([.integer(1)])])])
        let wrong = try #require(throws: DecodingError.self) { try decode(.dictionary(list)) }
        guard case .typeMismatch(_, let context) = wrong else { throw wrong }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        #expect(path == ["teams", "[0]", "members", "[0]"])
    }

    @Test func theAppsOwnValidationComesLast() {
        #expect(throws: NotesError.noServer) { try decode(.dictionary(["serverURL": .string("https://localhost")])) }
    }

    // MARK: The specification

    @Test func theSpecificationSaysWhatTheStructSays() throws {
        let keys = try Published.notes().specification.configuration
        #expect(
            keys.keys.map(\.name) == [
                "serverURL", "syncMinutes", "user_role", "expires", "logo", "teams", "labels", "share", "places",
                "small", "syncSeconds", "place", "code",
            ])
        #expect(keys["place"]?.choices?.map(\.title) == ["The forest", nil])
        let server = try #require(keys["serverURL"])
        #expect(server.isRequired && server.title == "Server" && server.description == "Where notes are kept.")
        #expect(server.bounds.pattern == "^https://" && server.bounds.format == "uri")
        let sync = try #require(keys["syncMinutes"])
        #expect(!sync.isRequired && sync.defaultValue == .integer(15))
        #expect(sync.description == "How often notes are fetched, in minutes.")
        #expect(sync.bounds.minimum == .integer(5) && sync.bounds.maximum == .integer(120))
        #expect(keys["user_role"]?.choices?.map(\.value) == [.string("staff"), .string("lead")])
        #expect(keys["user_role"]?.defaultValue == .string("staff"))
        #expect(keys["teams"]?.item.first?.keys.map(\.name) == ["name", "members"])
        #expect(keys["labels"]?.values.first?.type == .string)
        #expect(keys["small"]?.bounds.minimum == .integer(-128))
        #expect(keys["share"]?.bounds.exclusiveMaximum == .integer(1) && keys["share"]?.isHidden == true)
        #expect(keys["syncSeconds"]?.deprecation?.replacedBy == "syncMinutes")
        let lint = try Published.notes().specification.lint().filter { $0.severity == .error }
        #expect(lint.isEmpty, "\(lint.map(\.description))")
    }

    /// The published check and the app's decoder agree, whatever is configured.
    @Test func whatTheSpecificationAllowsIsWhatTheDecoderTakes() throws {
        let specification = try Published.notes().specification
        var random = SplitMix64(seed: 12)
        var (valid, invalid) = (0, 0)
        for _ in 0..<3_000 {
            let list = Sample.configuration(&random)
            let findings = specification.findings(in: list).filter { $0.severity == .error }
            do {
                _ = try decode(list)
                valid += 1
                #expect(findings.isEmpty, "\(findings.map(\.description)) \(list)")
            } catch {
                invalid += 1
                #expect(!findings.isEmpty, "\(error) \(list)")
            }
        }
        #expect(valid > 300 && invalid > 300, "\(valid) and \(invalid)")
    }

    /// Renaming a key without publishing it again fails.
    @Test func codeThatDriftsFromThePublishedFileIsTold() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "specification-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let notes = try Published.notes()
        try Data(notes.json.utf8).write(to: file)
        try notes.check(publishedAt: file.path)
        try Data(notes.json.replacing("\"small\"", with: "\"tiny\"").utf8).write(to: file)
        let drift = try #require(throws: SpecificationDrift.self) { try notes.check(publishedAt: file.path) }
        #expect(drift.differences == ["small is new", "tiny is gone: the app ignores it"])
        try Data(notes.json.replacing("A picture.", with: "An image.").utf8).write(to: file)
        let words = try #require(throws: SpecificationDrift.self) { try notes.check(publishedAt: file.path) }
        #expect(words.differences == ["titles, descriptions or the like differ"])
        try Data(notes.json.replacing("\"const\": 120", with: "\"const\": 119").utf8).write(to: file)
        let between = try #require(throws: SpecificationDrift.self) { try notes.check(publishedAt: file.path) }
        #expect(between.differences == ["the configuration what has to hold between keys changed"])
    }
}

/// Every rule here is one of the app's own errors.
@ManagedConfiguration
private struct Coded {
    @Key(refusal: NotesError.noCode) let teams: [Team]?
    @Key(refusal: NotesError.noCode) let first: Color?
    @Key(title: "The other", refusal: NotesError.noCode) let second: Color?

    struct Color: ConfigurationConvertible {
        let configured: String

        static var shape: ConfigurationShape {
            String.shape.annotated(KeyAnnotation(title: "A color", pattern: "^#"))
        }

        init(configured text: String) { configured = text }
    }
}

enum Published {
    static func notes() throws -> PublishedSpecification {
        try PublishedSpecification(
            NotesConfiguration.self, app: "com.example.notes", version: "3.1", title: "Notes",
            description: "Notes that teams take.", platforms: ["linux": nil],
            secrets: [.password("account", purpose: "Signing in.", isRequired: true)],
            errors: [
                .code(100, name: "noServer", meaning: "The server is this device.", remedy: "Correct serverURL."),
                .code(101, name: "noCode", meaning: "The code is none.", remedy: "Write two capital letters."),
                .code(102, name: "tooSeldom", meaning: "The logo is fetched too seldom.", remedy: "Fetch more often."),
            ],
            samples: [PublishedSample("A school", json: #"{"serverURL": "https://notes.example.com"}"#)])
    }
}

private enum Sample {
    static func configuration(_ random: inout SplitMix64) -> PropertyListValue {
        var list: [String: PropertyListValue] = ["serverURL": .string("https://a.example/b")]
        let choices: [(String, [PropertyListValue])] = [
            ("serverURL", [.string("http://a"), .string(""), .integer(1), .string("https://")]),
            (
                "syncMinutes",
                [
                    .integer(5), .integer(120), .integer(120), .integer(4), .integer(121), .real(7), .real(7.5),
                    .string("7"),
                ]
            ),
            ("user_role", [.string("staff"), .string("lead"), .string("Staff"), .boolean(true)]),
            (
                "expires",
                [
                    .date(Date(timeIntervalSince1970: 1_800_000_000)), .date(.distantPast),
                    .string("2027-01-01T00:00:00Z"),
                ]
            ),
            ("logo", [.data(Data([1])), .data(Data()), .data(Data(count: 9)), .string("AQ==")]),
            (
                "teams",
                [
                    .array([]), .array([.dictionary(["name": .string("a")])]), .array([.dictionary([:])]),
                    .dictionary([:]),
                ]
            ),
            (
                "labels",
                [.dictionary([:]), .dictionary(["a": .string("b")]), .dictionary(["a": .integer(1)]), .array([])]
            ),
            ("share", [.real(0.5), .real(0.99), .integer(1), .real(0.4)]),
            ("places", [.array([.string("https://p")]), .array([.string("p"), .string("p")]), .array([.integer(1)])]),
            ("small", [.integer(127), .integer(-128), .integer(128), .integer(-129)]),
            ("syncSeconds", [.integer(.max), .integer(.min), .unsigned(.max), .boolean(false)]),
            ("place", [.integer(1), .integer(3), .string("1")]),
            ("code", [.string("AB"), .string("ab")]),
            ("other", [.integer(1)]),
        ]
        for (key, values) in choices where Int.random(in: 0..<4, using: &random) == 0 {
            list[key] = values[Int.random(in: values.indices, using: &random)]
        }
        return .dictionary(list)
    }
}
