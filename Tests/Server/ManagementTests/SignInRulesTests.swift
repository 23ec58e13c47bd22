import Foundation
import Management
import Testing

/// What people may do who sign in elsewhere, by what is said of them there.
struct SignInRulesTests {
    private static func rules(_ text: String) throws -> SignInRules { try SignInRules(parsing: Data(text.utf8)) }

    @Test func theFirstRuleThatFitsDecides() throws {
        let rules = try Self.rules(
            """
            {"name": "upn", "rules": [
                {"claim": "groups", "is": "b", "role": "app-owner", "apps": ["a.b"], "groups": ["g"]},
                {"claim": "groups", "is": "a", "role": "administrator"}, {"claim": "email", "is": "x@y", "role": "reader"}
            ]}
            """)
        #expect(rules.nameClaim == "upn")
        func rights(_ claims: [String: [String]]) -> Rights? { rules.rights { claims[$0] ?? [] } }
        #expect(rights(["groups": ["a", "b"]]) == Rights(role: .appOwner, apps: ["a.b"], groups: ["g"]))
        #expect(rights(["groups": ["a"], "email": ["x@y"]]) == .all)
        #expect(rights(["email": ["x@y"]]) == Rights(role: .reader))
        for nobody in [[:], ["groups": ["A", "ab", ""]], ["email": ["a"]], ["other": ["a"]]] {
            #expect(rights(nobody) == nil)
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"rules": []}"#, #"{"rules": {}}"#, #"{"rules": [1]}"#, #"{"rules": [], "more": 1}"#,
        #"{"name": "", "rules": [{"claim": "a", "is": "b", "role": "reader"}]}"#,
        #"{"rules": [{"claim": "a", "is": "b", "role": "king"}]}"#,
        #"{"rules": [{"claim": "", "is": "b", "role": "reader"}]}"#,
        #"{"rules": [{"claim": "a", "is": "", "role": "reader"}]}"#,
        #"{"rules": [{"claim": "a", "is": "b", "role": "reader", "aps": []}]}"#,
        #"{"rules": [{"claim": "a", "is": "b", "role": "reader", "apps": ["a.b"]}]}"#,
        #"{"rules": [{"claim": "a", "is": "b", "role": "app-owner", "apps": [1]}]}"#,
        #"{"rules": [{"claim": "a", "is": ["b"], "role": "reader"}]}"#,
    ]) func aFileThatIsMisreadIsRefused(_ text: String) {
        #expect(throws: InvalidSignInRules.self) { try Self.rules(text) }
    }
}
