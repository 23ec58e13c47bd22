import Foundation
import Testing

@testable import Management

/// What the organization's provider may call administrators, and what a refusal of a sign-in says.
struct ProvidedNameTests {
    private static let rules = """
        {"rules": [
            {"claim": "groups", "is": "fleet", "role": "administrator"}, {"claim": "email", "is": "a@b", "role": "reader"}
        ]}
        """

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private static func judge(_ claims: [String: [String]]) throws -> SignInCandidate {
        try SignInRules(parsing: Data(rules.utf8)).judge(
            ExternalIdentity(issuer: "https://i", subject: "1"), texts: { claims[$0] ?? [] },
            description: { claims[$0] == nil ? "“\($0)” is missing" : "“\($0)” is one text" })
    }

    @Test(arguments: [
        "ada@example.org", "o'brien@example.org", "a/b@example.org", "{x}|~!#$%&*=?^`@example.org",
        "\"ada lovelace\"@example.org", "\"a@b/c\"@example.org", "ada@[IPv6:2001:db8::1]", "J\u{FC}rgen M\u{FC}ller",
        "\u{674E}\u{5C0F}\u{9F99}", "\u{41E}\u{43B}\u{44C}\u{433}\u{430}", "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}",
        "CORP\\ada",
    ]) func namesOfAnyLanguageAndAddressesAreTaken(_ name: String) {
        #expect(ProvidedName.brokenRule(by: name) == nil)
    }

    @Test(arguments: [
        ("", "1 to 254 bytes"), (String(repeating: "a", count: 255), "1 to 254 bytes"),
        ("a\u{7}", "control characters"), ("a\nb", "control characters"), (" ada", "space"), ("ada ", "space"),
        (".", "steps"), ("..", "steps"), ("ren\u{65}\u{301}", "NFC"), ("anna/builds", "slash"), ("/ada", "slash"),
        ("ada@b/c", "slash"),
        ("admin\u{200B}", "invisible"), ("admin\u{200D}", "invisible"), ("\u{202E}nimda", "invisible"),
        ("admin\u{FE0F}", "invisible"), ("ad\u{AD}min", "invisible"),
    ]) func aNameThatCouldBeMistakenIsRefusedByItsRule(_ name: String, _ rule: String) throws {
        let broken = try #require(ProvidedName.brokenRule(by: name))
        #expect(broken.contains(rule), "\(broken)")
    }

    /// An administrator and a token are never the same author, though addresses may have a slash.
    @Test func anAuthorIsAnAdministratorOrAToken() {
        #expect(Author("anna") == .administrator("anna"))
        #expect(Author("anna/builds") == .token("builds", of: "anna"))
        #expect(Author("a/b@example.org") == .administrator("a/b@example.org"))
        #expect(Author("a/b@example.org/builds") == .token("builds", of: "a/b@example.org"))
        #expect(Author("anna@example.org/builds").administrator == "anna@example.org")
        for text in ["anna", "anna/builds", "a/b@example.org", "a/b@example.org/builds"] {
            #expect(Author(text).text == text)
        }
    }

    /// OpenID Connect Core 5.4: what is missing in the token may be user info, and is asked for only where it decides.
    @Test func moreIsAskedForOnlyWhereItDecides() throws {
        let rules = try SignInRules(parsing: Data(Self.rules.utf8))
        func isUndecided(_ claims: [String: [String]]) -> Bool { rules.isUndecided { claims[$0] } }
        #expect(isUndecided([:]) && isUndecided(["groups": ["fleet"]]), "there is no name")
        #expect(!isUndecided(["groups": ["fleet"], "email": []]))
        #expect(isUndecided(["email": ["a@b"]]), "an earlier rule may fit")
        #expect(!isUndecided(["groups": [], "email": ["a@b"]]))
    }

    /// Red with “does not say a name” for a name that was said and not taken.
    @Test func aRefusalSaysWhatWasFound() async throws {
        let management = try fixture.management
        func reason(_ claims: [String: [String]]) async throws -> String {
            try await management.admit(try Self.judge(claims)).refusal?.reason ?? "let in"
        }
        let nobody = try await reason(["groups": ["staff"]])
        #expect(nobody.contains("“groups” is one text, “email” is missing") && nobody.contains("add a rule"))
        let nameless = try await reason(["groups": ["fleet"]])
        #expect(nameless.contains("“email” is missing") && nameless.contains("set another one as “name”"))
        let long = try await reason(["groups": ["fleet"], "email": [String(repeating: "x", count: 300)]])
        #expect(long.contains("of 300 bytes") && long.contains("1 to 254 bytes") && !long.contains("xx"))
        #expect(try await reason(["groups": ["fleet"], "email": ["o'brien@example.org"]]) == "let in")
    }

    /// Providers and directories send both forms; a name is kept in one, by which the API finds it.
    @Test func aNameIsKeptComposed() async throws {
        let admitted = try await fixture.management.admit(
            try Self.judge(["groups": ["fleet"], "email": ["rene\u{301}@example.org"]]))
        #expect(admitted.value?.name.utf8.elementsEqual("ren\u{E9}@example.org".utf8) == true)
        #expect(try await fixture.management.administrator(named: "ren\u{E9}@example.org") != nil)
    }
}
