import AppSpecification
import Foundation
import InputBounds
import Management
import TestInputs
import Testing

/// Variables in texts and in configurations: what they stand for, and that nothing else is ever filled in.
struct VariableTests {
    private static let values = ["person.email": "anna@example.com", "person.userName": "${device.udid}", "x": "$"]

    private func filled(_ text: String) -> String? { VariableText(text)?.filled(Self.values) }

    @Test(arguments: [
        ("", ""), ("plain $ { }", "plain $ { }"), ("${person.email}", "anna@example.com"),
        ("<${person.email}>${person.email}", "<anna@example.com>anna@example.com"),
        ("$${person.email}", "${person.email}"), ("$$${person.email}", "$${person.email}"),
        // What a value looks like does not matter: it is not looked at again.
        ("${person.userName}", "${device.udid}"), ("${x}{person.email}", "${person.email}"),
        ("$${${person.email}}", "${anna@example.com}"), ("é${person.email}\u{301}", "éanna@example.com\u{301}"),
    ])
    func aVariableIsFilledInOnce(text: String, result: String) {
        #expect(filled(text)?.utf8.elementsEqual(result.utf8) == true, "\(filled(text) ?? "nothing")")
    }

    @Test(arguments: ["${", "a${b", "$${${", "${a${"])
    func anOpenVariableIsNoText(text: String) {
        #expect(VariableText(text) == nil)
    }

    @Test func withoutAValueThereIsNothing() {
        #expect(filled("${person.email}${person.phone}") == nil)
    }

    @Test(arguments: [
        ("person.emial", "person.email"), ("email", "person.email"), ("device.serial", "device.serialNumber"),
        ("serialNumber", "device.serialNumber"), ("cn", "person.fullName"), ("sAMAccountName", "person.accountName"),
        ("Person.UserName", "person.userName"), ("upn", "person.principalName"),
    ])
    func theNearestNameIsSuggested(name: String, known: String) {
        #expect(DeviceVariables.nearestName(to: name) == known)
        #expect(DeviceVariables.names.contains(known))
    }

    @Test(arguments: ["", "qqqqqqqqqqq", "}", String(repeating: "person.email", count: 100)])
    func whatIsLikeNothingSuggestsNothing(name: String) {
        #expect(DeviceVariables.nearestName(to: name) == nil)
    }

    /// S4-GOAL-02: an unknown variable is refused when it is set, with its key path and the nearest name.
    @Test func anUnknownVariableIsRefusedWithItsPlace() {
        let list: PropertyListValue = .dictionary([
            "ok": .string("${person.email}"),
            "servers": .array([.dictionary(["url": .string("https://${person.emial}")])]),
        ])
        #expect(
            throws: AdminRefusal.invalid(
                rule: "The text at servers[0].url has a variable that is not known, ${person.emial} (did you mean "
                    + "${person.email}?); a text of the app's own is written $${person.emial}.")
        ) { try ConfigurationTemplate.judge(list) }
        #expect(
            throws: AdminRefusal.invalid(
                rule: "The text at a has a ${ without its }; the characters themselves are written $${.")
        ) { try ConfigurationTemplate.judge(.dictionary(["a": .string("${person.email")])) }
    }

    /// Red where an app's own word is refused without its name, and without how it is written.
    @Test(arguments: [
        ("${home}/Downloads", "${home}", "$${home}"), ("${user_home}", "${user_home}", "$${user_home}"),
        ("https://x/${oid:${name}}", "${oid:${name}", "$${oid:${name}"), ("a ${\u{7}b}", "${b}", "$${b}"),
        ("${" + String(repeating: "x", count: 500) + "}", "xxx…}", "xxx…}"),
    ])
    func anAppsOwnWordIsRefusedWithItsNameAndTheWayOut(text: String, name: String, way: String) {
        let refusal = #expect(throws: AdminRefusal.self) {
            try ConfigurationTemplate.judge(.dictionary(["DownloadDirectory": .string(text)]))
        }
        #expect(refusal?.reason.hasPrefix("The text at DownloadDirectory has a variable that is not known, ") == true)
        #expect(refusal?.reason.contains(name) == true && refusal?.reason.contains("is written") == true)
        #expect(refusal?.reason.hasSuffix(way + ".") == true && (refusal?.reason.count ?? 0) < 300)
    }

    @Test func aConfigurationWithoutVariablesIsNoTemplate() throws {
        let list: PropertyListValue = .dictionary(["a": .string("$5 {x}"), "${person.email}": .integer(1)])
        #expect(try ConfigurationTemplate.judge(list) == nil)
    }

    @Test func textsAreFilledInWhereverTheyStandAndNothingElse() throws {
        let list: PropertyListValue = .dictionary([
            "nested": .dictionary(["deep": .array([.string("${person.email}"), .integer(1), .real(0.5)])]),
            "literal": .string("$${person.email}"), "data": .data(Data("${person.email}".utf8)),
            "${person.email}": .string("key"), "date": .date(Date(timeIntervalSince1970: 0)),
        ])
        let template = try #require(try ConfigurationTemplate.judge(list))
        #expect(template.variables == ["person.email"])
        guard case .bytes(let bytes) = template.filled(Self.values) else {
            Issue.record("not filled in")
            return
        }
        #expect(
            try PropertyListValue(parsing: bytes, limits: .configuration)
                == .dictionary([
                    "nested": .dictionary(["deep": .array([.string("anna@example.com"), .integer(1), .real(0.5)])]),
                    "literal": .string("${person.email}"), "data": .data(Data("${person.email}".utf8)),
                    "${person.email}": .string("key"), "date": .date(Date(timeIntervalSince1970: 0)),
                ]))
        #expect(template.filled(Self.values) == template.filled(Self.values), "the same bytes for the same values")
        #expect(template.filled([:]) == .missing(["person.email"]))
    }

    /// A short text that stands for a long one many times ends before it fills the memory.
    @Test func valuesCannotMakeAConfigurationLargerThanOneMayBe() throws {
        let many = PropertyListValue.array((0..<20_000).map { _ in .string("${person.email}") })
        let template = try #require(try ConfigurationTemplate.judge(.dictionary(["a": many])))
        let taken = processorSeconds {
            #expect(template.filled(["person.email": String(repeating: "x", count: 1_000_000)]) == .tooLarge)
        }
        #expect(taken < 10)
        guard case .bytes = template.filled(["person.email": "x"]) else {
            Issue.record("refused although it fits")
            return
        }
    }

    @Test func whatXMLCannotHoldIsRefusedInATemplate() {
        for value in [PropertyListValue.string("\u{1}"), .string("\u{0}"), .date(Date(timeIntervalSince1970: 0.5))] {
            let list: PropertyListValue = .dictionary(["a": .string("${person.email}"), "b": value])
            #expect(throws: AdminRefusal.self) { try ConfigurationTemplate.judge(list) }
        }
    }

    @Test func aLongKeyPathIsCut() {
        let list: PropertyListValue = .dictionary([String(repeating: "k", count: 10_000): .string("${nothing}")])
        do {
            _ = try ConfigurationTemplate.judge(list)
            Issue.record("taken")
        } catch { #expect(error.reason.utf8.count < 400) }
    }

    // MARK: Whatever comes

    /// Texts of pieces that mean something to the reader: what comes out is what the pieces stand for, once.
    @Test func piecesStandForThemselvesOrTheirValue() throws {
        var random = SplitMix64(seed: Mutation.seed &+ 73)
        let pieces: [(String, String)] = [
            ("$${", "${"), ("${person.email}", "anna@example.com"), ("${person.userName}", "${device.udid}"),
            ("}", "}"), ("{", "{"), ("a", "a"), ("é", "é"), ("\u{301}", "\u{301}"), ("${x}", "$"), (" ", " "),
        ]
        for _ in 0..<Mutation.iterations {
            let chosen = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                pieces.randomElement(using: &random)
            }
            let text = chosen.map(\.0).joined()
            let result = chosen.map(\.1).joined()
            try #require(filled(text)?.utf8.elementsEqual(result.utf8) == true, "\(text)")
        }
    }

    /// The text itself may be a secret's; a known name that is like it says nothing of that.
    @Test func aVariableOfASecretIsRefusedWithTheNearestKnownOne() throws {
        let said = try #require(DeviceVariables.brokenRule(in: "CN=${device.serialNumbr}", isSecret: true))
        #expect(said.contains("did you mean ${device.serialNumber}?"), "\(said)")
        #expect(!said.contains("serialNumbr}"), "\(said)")
    }

    /// Hostile texts end in time that grows with their length, and never in a variable that is not known.
    @Test(arguments: ["${", "$", "$${", "}", "${person.email}", "${a"])
    func aLongTextEndsInTime(piece: String) {
        let text = String(repeating: piece, count: 200_000)
        var parts: VariableText?
        let taken = processorSeconds { parts = VariableText(text) }
        #expect(taken < 10)
        #expect((parts == nil) == ["${", "${a"].contains(piece))
    }
}
