import Foundation
import InputBounds
import Testing

@testable import OpenIDConnect

/// Claims in the forms in which providers write them.
struct PersonClaimsTests {
    private static func claims(_ sources: String...) throws -> PersonClaims {
        PersonClaims(try sources.map { try JSONValue(parsing: Data($0.utf8), limits: .adminBody) })
    }

    private static let forms: [(json: String, claim: String, texts: [String])] = [
        (#"{"groups": "fleet"}"#, "groups", ["fleet"]),
        (#"{"groups": ["staff", "fleet"]}"#, "groups", ["staff", "fleet"]),
        (#"{"groups": [7, true, null, {}]}"#, "groups", ["7", "true"]), (#"{"groups": []}"#, "groups", []),
        (#"{"admin": true}"#, "admin", ["true"]), (#"{"email": "a@b", "email_verified": true}"#, "email", ["a@b"]),
        (#"{"email": "a@b", "email_verified": "true"}"#, "email", ["a@b"]),
        (#"{"email": "a@b", "email_verified": "True"}"#, "email", ["a@b"]),
        (#"{"email": "a@b", "email_verified": "false"}"#, "email", []),
        (#"{"email": "a@b", "email_verified": 1}"#, "email", []), (#"{"email": "a@b"}"#, "email", []),
        (#"{"groups": {"a": 1}}"#, "groups", []), (#"{"groups": null}"#, "groups", []),
        // A list in one text is one text: names of groups have commas and spaces, too.
        (#"{"groups": "staff,fleet"}"#, "groups", ["staff,fleet"]),
    ]

    /// Red while `"true"` was no `true`, and a number was no text.
    @Test func aClaimIsATextOrAList() throws {
        for form in Self.forms {
            let texts = try Self.claims(form.json).texts(of: form.claim)
            #expect(texts == form.texts, "\(form.json)")
        }
    }

    @Test(arguments: [
        ("{}", "“email” is missing"), (#"{"email": null}"#, "“email” is missing"),
        (#"{"email": "secret@b"}"#, "“email_verified” is missing"),
        (#"{"email": "secret@b", "email_verified": false}"#, "“email_verified” is not true"),
        (#"{"email": {"secret": 1}, "email_verified": true}"#, "“email” is an object"),
        (#"{"email": [{"secret": 1}], "email_verified": true}"#, "“email” is a list without texts"),
        (#"{"email": 1.5, "email_verified": true}"#, "“email” is a fraction"),
        (#"{"email": ["secret", "b"], "email_verified": true}"#, "“email” is a list of 2 texts"),
        (#"{"_claim_names": {"email": "secret"}}"#, "“_claim_names”"),
    ]) func whatWasFoundIsSaidWithoutWhatItIs(_ json: String, _ sentence: String) throws {
        let text = try Self.claims(json).description(of: "email")
        #expect(text.contains(sentence) && !text.contains("secret"), "\(text)")
    }

    /// User info completes what the token lacks, and replaces nothing that it has.
    @Test func theTokenCountsFirst() throws {
        let both = try Self.claims(
            #"{"groups": ["staff"], "email": "a@b"}"#,
            #"{"groups": ["fleet"], "email": "c@d", "email_verified": true, "name": "Anna"}"#)
        #expect(both.texts(of: "groups") == ["staff"] && both.texts(of: "name") == ["Anna"])
        #expect(both.texts(of: "email") == ["c@d"], "an address counts with what its own source says of it")
        #expect(both.known("other") == nil)
        let token = try Self.claims(#"{"email": "a@b"}"#)
        #expect(token.known("email") == nil, "the user info endpoint may know whether it is verified")
        #expect(try Self.claims(#"{"email": "a@b", "email_verified": false}"#).known("email") == [])
    }
}
