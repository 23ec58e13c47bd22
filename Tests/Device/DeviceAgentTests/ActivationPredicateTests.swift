import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// A predicate is evaluated as NSPredicate does, for what the device knows; what it cannot evaluate it refuses by name.
struct ActivationPredicateTests {
    static func facts(_ more: Declaration...) -> PredicateFacts {
        let properties = Declaration(
            type: PredicateFacts.propertiesType, identifier: "p", serverToken: "1",
            payload: .object([
                "shard": .integer(40), "share": .real(0.5), "lob": .string("finance"), "beta": .boolean(true),
                "gone": .null, "jamf.device.groups": .array([.string("g1"), .string("g2")]), "empty": .array([]),
                "place": .object([:]), "numbers": .array([.integer(1), .integer(7)]),
            ]))
        return PredicateFacts(
            Dictionary(uniqueKeysWithValues: ([properties] + more).map { ($0.identifier, $0) }),
            status: [
                "device.operating-system.family": .string("Linux"), "device.operating-system.version": .string("12.5"),
                "device.model.family": .string("Linux"), "mdm.is-awaiting-configuration": .boolean(false),
            ])
    }

    @Test(arguments: [
        "TRUEPREDICATE", "NOT FALSEPREDICATE", "!FALSEPREDICATE", "truepredicate && 1 == 1", "1==1", "1 = 1.0",
        "5 <> 6",
        "@status(device.operating-system.family) == 'Linux'",
        "@status( device.operating-system.family ) ==[c] \"LINUX\"",
        "(@property(lob) == 'finance') AND (@status(device.model.family) IN {'Mac', 'Linux'})",
        "(@property(shard)) <= 75", "(@property(shard) <= 75)", "((@property(shard) <= 75))", "75 >= @property(shard)",
        "@property(shard) => 40 && @property(shard) =< 40", "@property(shard) > -1 AND @property(shard) < 4.1e1",
        "@property(shard) BETWEEN {40, 41}", "NOT @property(shard) BETWEEN {41, 50}", "@property(share) == 0.5",
        "@property(beta) == YES", "@property(beta) == 1", "@property(beta) != false",
        "@status(mdm.is-awaiting-configuration) == NO", "@property(gone) == NULL", "@property(nowhere) == nil",
        "NOT @property(nowhere) != NULL", "@property(lob) != NULL", "@property(lob) != 'sales'",
        "@property(lob) != 7", "@property(gone) != 'x'",
        "@property(lob) BEGINSWITH 'fin'", "@property(lob) ENDSWITH[c] 'NCE'", "@property(lob) CONTAINS 'nan'",
        "@property(lob) contains ''", "@property(lob) LIKE 'f*n?e'", "@property(lob) LIKE[c] '*FIN*'",
        "@property(lob) MATCHES 'f.*e'", "@property(lob) MATCHES 'x|finance'", "NOT @property(lob) MATCHES 'inanc'",
        "@property(lob) MATCHES '^(?!sales)[a-z]+'", "NOT @property(lob) MATCHES '^(?=f)[a-z]'",
        "'nan' IN @property(lob)", "'g1' IN @property(jamf.device.groups)",
        "@property(jamf.device.groups) CONTAINS 'g2'",
        "ANY @property(jamf.device.groups) IN {'g2', 'g3'}", "SOME @property(jamf.device.groups) ==[c] 'G1'",
        "ALL @property(jamf.device.groups) BEGINSWITH 'g'", "NONE @property(jamf.device.groups) == 'g3'",
        "ALL @property(empty) == 1", "ANY @property(numbers) > 6", "@property(numbers) == {1, 7}",
        "@status(device.operating-system.version) == '12.5'", "'9' > '12'", #"'it\'s' == "it's""#,
        "FALSEPREDICATE AND FALSEPREDICATE OR TRUEPREDICATE", "TRUEPREDICATE OR FALSEPREDICATE AND FALSEPREDICATE",
        // What is unknown does not matter where the rest decides.
        "TRUEPREDICATE OR @property(nowhere) == 1", "@status(passcode.is-present) == 1 OR 1 == 1",
    ])
    func holds(_ text: String) throws {
        #expect(try ActivationPredicate(text).answer(Self.facts()) == .holds)
    }

    @Test(arguments: [
        "FALSEPREDICATE", "1==0", "NOT TRUEPREDICATE", "@property(shard) <= 39", "@property(lob) == 'Finance'",
        "@property(lob) == 7", "@property(gone) > 1", "@property(gone) BEGINSWITH 'x'", "@property(gone) IN {'x'}",
        "@status(device.model.family) IN {}", "ANY @property(empty) == 1", "ALL @property(numbers) > 1",
        "NONE @property(numbers) == 7", "@property(lob) LIKE 'finance?'", "@property(lob) LIKE ''",
        "@property(lob) MATCHES 'fin'", "@property(numbers) == {1}", "@property(lob) == NULL",
        "@property(nowhere) == 1 AND FALSEPREDICATE", "@property(shard) BETWEEN {41, 50}",
        "@property(lob) CONTAINS 'financial'",
    ])
    func fails(_ text: String) throws {
        #expect(try ActivationPredicate(text).answer(Self.facts()) == .fails)
    }

    private static let undecided: [(String, Set<ActivationPredicate.Gap>)] = [
        ("@status(passcode.is-present) == TRUE", [.unknown(.status("passcode.is-present"))]),
        ("NOT @property(nowhere) == 1", [.unknown(.property("nowhere"))]),
        ("@property(nowhere) != 'x'", [.unknown(.property("nowhere"))]),
        ("@status(device.identifier.serial-number) == NULL", [.unknown(.status("device.identifier.serial-number"))]),
        (
            "@property(a) == 1 AND TRUEPREDICATE AND @property(b) == 1",
            [.unknown(.property("a")), .unknown(.property("b"))]
        ),
        ("ANY @property(nowhere) IN {'x'}", [.unknown(.property("nowhere"))]),
        ("@property(lob) < 5", [.kinds]), ("ANY @property(lob) == 'f'", [.kinds]),
        ("@property(shard) CONTAINS '4'", [.kinds]),
        ("@property(shard) MATCHES '4'", [.kinds]), ("@property(place) < 1", [.kinds]),
    ]

    /// An item that is not known leaves the whole open, turned around too, and so do values that are not compared so.
    @Test(arguments: ActivationPredicateTests.undecided)
    func isUndecided(_ text: String, _ gaps: Set<ActivationPredicate.Gap>) throws {
        #expect(try ActivationPredicate(text).answer(Self.facts()) == .undecided(gaps))
    }

    /// Of two declarations that give a property different values none is chosen; the same value twice is a value.
    @Test func aDisputedPropertyIsUnknown() throws {
        let other = Declaration(
            type: PredicateFacts.propertiesType, identifier: "q", serverToken: "1",
            payload: .object(["lob": .string("sales"), "shard": .integer(40)]))
        let facts = Self.facts(other)
        for text in ["@property(lob) == 'sales'", "@property(lob) == NULL"] {
            #expect(try ActivationPredicate(text).answer(facts) == .undecided([.unknown(.property("lob"))]))
        }
        #expect(try ActivationPredicate("@property(shard) == 40").answer(facts) == .holds)
    }

    /// What is no predicate, and what is one and not evaluated here, is refused with a sentence that names it.
    @Test(arguments: [
        ("", "a value"), ("@property(a)", "an operator"), ("@property(a) ==", "a value"), ("1 == 1 1", "more follows"),
        ("(1 == 1", "parenthesis"), ("1 == 1)", "more follows"), ("@property(a) IN {'x'", "list"),
        ("@property(a) IN {@property(b)}", "list"), ("'open", "not closed"), ("@property a == 1", "parentheses"),
        ("@status()==1", "parentheses"), ("@self(x) == 1", "only @status and @property"),
        ("family == 'Linux'", "a value"),
        ("@property(a) == 1e", "number"), ("@property(a) == 1e999", "too large"),
        ("@property(a) == '\\d'", "backslash"), ("@property(a) == ’x’", "character"),
        (
            "SUBQUERY(@status(app.managed.list), $app, $app.@key(identifier) == 'x').@count != 0",
            "SUBQUERY is not evaluated"
        ),
        ("SELF == 1", "SELF is not evaluated"), ("@key(a) == 1", "@key"), ("$app == 1", "variables"),
        ("@property(a) == %@", "arguments"), ("@property(a) + 1 == 2", "calculations"), ("2 * 2 == 4", "calculations"),
        ("@property(a).@count == 1", "paths"), ("@property(a) ==[cd] 'x'", "[c]"),
        ("@property(a) BETWEEN {1}", "BETWEEN"), ("@property(a) LIKE 5", "LIKE"),
        ("@property(a) MATCHES '(?=x)'", "MATCHES"),
        ("@property(a) MATCHES 'a)|(b'", "MATCHES"), ("@property(a) MATCHES[c] 'x'", "MATCHES"),
    ])
    func isRefused(_ text: String, _ word: String) throws {
        let refusal = try #require(throws: ActivationPredicate.Refusal.self) {
            _ = try ActivationPredicate(text)
        }
        #expect(refusal.sentence.contains(word), "\(refusal.sentence)")
    }

    /// Whatever is nested, repeated or compared, reading and evaluating it takes a moment.
    @Test func noPredicateTakesLong() throws {
        let long = JSONValue.string(String(repeating: "a", count: 500_000))
        let list = JSONValue.array(Array(repeating: .string("a"), count: 50_000))
        let declared = Declaration(
            type: PredicateFacts.propertiesType, identifier: "long", serverToken: "1",
            payload: .object(["long": long, "many": list]))
        let facts = Self.facts(declared)
        func many(_ part: String, of count: Int = ActivationPredicate.longest, then end: String = "") -> String {
            String(repeating: part, count: count / part.utf8.count) + end
        }
        let found = "@property(long) CONTAINS '" + many("a", of: 8_000, then: "b'")
        let hostile: [String] = [
            many("("), many("NOT "), many("!"), many("{"), many("\\"), many("1==1\u{301}"),
            many("1==1 AND ", of: 16_000, then: "1==1"), many("1==1 OR ", of: 16_000, then: "1==0"), found,
            many("@property(long) CONTAINS 'b' OR ", of: 16_000, then: "1==0"),
            many("@property(long) ENDSWITH[c] 'b' OR ", of: 16_000, then: "1==0"),
            many("ANY @property(many) CONTAINS 'b' OR ", of: 16_000, then: "1==0"),
            many("@property(a) MATCHES 'a{900}' OR ", of: 16_000, then: "1==0"),
            "@property(long) LIKE '" + many("*a", of: 8_000, then: "*b'"), "@property(long) MATCHES '(a*)*b'",
            "@property(long) MATCHES '" + many("(a|a)*", of: 600, then: "b'"),
        ]
        for text in hostile {
            let seconds = processorSeconds {
                guard let predicate = try? ActivationPredicate(text) else { return }
                _ = predicate.answer(facts)
            }
            #expect(seconds < 10, "\(text.prefix(60)) took \(seconds) seconds")
        }
        #expect(try ActivationPredicate(found).answer(facts) == .undecided([.effort]))
    }
}
