import Foundation
import InputBounds
import Testing

@testable import OpenIDConnect

/// What discovery and the token endpoint leave to the provider.
struct ProviderHabitTests {
    private static let issuer = "https://login.example.org/tenant"

    private static func metadata(
        _ members: [String: JSONValue], issuer: String = Self.issuer
    ) throws -> ProviderMetadata {
        let good: [String: JSONValue] = [
            "issuer": .string(Self.issuer), "authorization_endpoint": .string("https://a.example/authorize"),
            "token_endpoint": .string("https://a.example/token"), "jwks_uri": .string("https://a.example/keys"),
        ]
        return try ProviderMetadata(parsing: .object(good.merging(members) { $1 }), issuer: issuer)
    }

    /// Red while an issuer had to be written with the slash that the provider writes.
    @Test func anIssuerIsOneWithAndWithoutASlashAtItsEnd() throws {
        let with = Self.issuer + "/"
        #expect(ProviderMetadata.address(of: with) == ProviderMetadata.address(of: Self.issuer))
        // Whatever the operator writes, people are known by what the provider writes.
        #expect(try Self.metadata([:], issuer: with).issuer == Self.issuer)
        #expect(try Self.metadata(["issuer": .string(with)]).issuer == with)
        for (said, sentence) in [
            ("https://other.example", "oidcIssuer"), (with + "/", "oidcIssuer"),
            ("https://login.example.org/{tenantid}", "your own tenant"),
        ] {
            let refusal = #expect(throws: OpenIDRefusal.self) { try Self.metadata(["issuer": .string(said)]) }
            #expect(refusal?.kind == .metadata && refusal?.rule.contains(sentence) == true, "\(said)")
        }
    }

    @Test func metadataThatIsUnsuitableSaysWhichMember() throws {
        let cases: [(member: String, value: JSONValue)] = [
            ("issuer", .null), ("authorization_endpoint", .null), ("token_endpoint", .string("http://a.example/token")),
            ("jwks_uri", .string("https://a@b.example/keys")),
            ("code_challenge_methods_supported", .array([.string("plain")])),
        ]
        for one in cases {
            let refusal = #expect(throws: OpenIDRefusal.self) { try Self.metadata([one.member: one.value]) }
            #expect(refusal?.rule.contains("“\(one.member)”") == true, "\(refusal?.rule ?? "")")
        }
        #expect(try Self.metadata(["userinfo_endpoint": .string("http://a.example")]).userInfo == nil)
        #expect(try Self.metadata(["userinfo_endpoint": .string("https://a.example/me")]).userInfo != nil)
    }

    /// Core 9 and Discovery 3.
    ///
    /// Red while only `client_secret_basic` was spoken, whatever the provider announced.
    @Test func theSecretIsShownAsTheProviderTakesIt() throws {
        func choices(_ announced: [String]?, hasSecret: Bool = true) throws -> [ClientAuthentication] {
            try ClientAuthentication.choices(announced: announced, hasSecret: hasSecret)
        }
        #expect(try choices(nil) == [.basic, .post])
        #expect(try choices(["client_secret_basic"]) == [.basic])
        #expect(try choices(["private_key_jwt", "client_secret_post"]) == [.post])
        #expect(try choices(["client_secret_post", "client_secret_basic"]) == [.basic, .post])
        #expect(try choices(["client_secret_basic"], hasSecret: false) == [.withoutSecret])
        let refusal = #expect(throws: OpenIDRefusal.self) { try choices(["private_key_jwt", "none"]) }
        #expect(refusal?.rule.contains("client_secret_post") == true)
        #expect(try Self.metadata(["token_endpoint_auth_methods_supported": .array([])]).clientAuthentications == nil)
    }

    /// RFC 6749 §2.3.1: both parts are encoded before they are joined, so that a colon stays where it is.
    @Test func aSecretOfAnyCharactersIsShown() throws {
        let basic = ClientAuthentication.basic.parts(client: "a:b", secret: "p+ä %")
        #expect(basic.authorization == "Basic \(Data("a%3Ab:p%2B%C3%A4%20%25".utf8).base64EncodedString())")
        #expect(basic.form.isEmpty)
        let post = ClientAuthentication.post.parts(client: "a:b", secret: "p+ä %")
        #expect(FormText.encode(post.form) == "client_id=a%3Ab&client_secret=p%2B%C3%A4%20%25")
        #expect(post.authorization == nil)
        #expect(ClientAuthentication.withoutSecret.parts(client: "a", secret: nil).form.map(\.1) == ["a"])
    }

    @Test func anErrorOfTheTokenEndpointSaysWhatToDo() throws {
        func refusal(_ status: UInt, _ body: String, hasSecret: Bool = true) -> OpenIDRefusal? {
            #expect(throws: OpenIDRefusal.self) {
                try TokenAnswer(status: status, body: Data(body.utf8), hasSecret: hasSecret)
            }
        }
        let unknown = #"{"error": "invalid_client"}"#
        #expect(TokenAnswer.isUnknownClient(status: 401, body: Data()))
        #expect(TokenAnswer.isUnknownClient(status: 400, body: Data(unknown.utf8)))
        #expect(!TokenAnswer.isUnknownClient(status: 400, body: Data(#"{"error": "invalid_grant"}"#.utf8)))
        #expect(refusal(401, unknown)?.rule.contains("compare oidcClient") == true)
        #expect(refusal(401, unknown, hasSecret: false)?.rule.contains("set oidcSecretFile") == true)
        #expect(refusal(400, #"{"error": "invalid_grant"}"#)?.rule.contains("redirect URI") == true)
        #expect(refusal(302, "")?.rule.contains("status 302") == true)
        #expect(refusal(200, #"{"access_token": "a"}"#)?.rule.contains("scope openid") == true)
        #expect(refusal(200, "<html>")?.kind == .malformed)
    }

    /// An access token of another kind, or one that no header can have, is not used.
    @Test func anAccessTokenIsForTheUserInfoEndpoint() throws {
        func access(_ members: String) throws -> String? {
            try TokenAnswer(status: 200, body: Data(#"{"id_token": "t"\#(members)}"#.utf8), hasSecret: true).accessToken
        }
        #expect(try access(#", "access_token": "a.b-c", "token_type": "bearer""#) == "a.b-c")
        #expect(try access(#", "access_token": "a""#) == "a")
        #expect(try access(#", "access_token": "a", "token_type": "DPoP""#) == nil)
        #expect(try access(#", "access_token": "a\r\nb", "token_type": "Bearer""#) == nil)
        #expect(try access("") == nil)
    }
}
