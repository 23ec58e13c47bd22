import AppSpecification
import Foundation
import Management
import Testing

/// A secret for which an app does not ask is refused as a configuration is that it does not take.
///
/// Red: it was assigned, and the app never found it.
struct SecretMismatchTests {
    private static let app = "com.example.app"
    private static let text = #"""
        {"x-app": {"bundleIdentifier": "com.example.app"}, "x-secrets": [
           {"kind": "password", "identifier": "account"}, {"kind": "identity", "prefix": "vpn-"},
           {"kind": "certificate", "identifier": "authority"}],
         "x-extensions": {"com.example.app.x": {"x-secrets": [{"kind": "password", "identifier": "token"}]}}}
        """#
    private static let silent = #"{"x-app": {"bundleIdentifier": "com.example.app"}}"#

    private func mismatch(
        _ kind: AppSecretKind, _ identifier: String, extension name: String? = nil, by texts: [String] = [Self.text]
    ) throws -> SecretMismatch? {
        let slot = SecretSlot(group: "all", app: Self.app, extension: name, kind: kind, identifier: identifier)
        return SecretMismatch.of(slot, by: try texts.map { try AppSpecification(parsing: Data($0.utf8)) })
    }

    /// An app that is assigned and has its specification, and a secret for which it does not ask.
    private func fixtureWithSecret() async throws -> Fixture {
        let fixture = try Fixture()
        let management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign()
        _ = try #require(
            await management.putSpecification(
                Data(Self.text.utf8), of: Self.app, version: "1", author: "admin"
            ).value)
        let secret = SecretValue.password(userName: nil, password: "p")
        _ = try #require(await management.setSecret("s", to: secret, author: "admin").value)
        return fixture
    }

    @Test func whatTheAppAsksForIsTaken() throws {
        #expect(try mismatch(.password, "account") == nil)
        #expect(try mismatch(.identity, "vpn-2") == nil)
        #expect(try mismatch(.password, "token", extension: "com.example.app.x") == nil)
    }

    @Test func anUnknownIdentifierIsRefusedWithTheNearestKnownOne() throws {
        let near = try #require(try mismatch(.password, "acount"))
        #expect(near.rule == "unknownSecret" && near.identifier == "acount")
        #expect(near.suggestion == "Did you mean \"account\"?")
        let far = try #require(try mismatch(.password, "z"))
        #expect(
            far.suggestion == "It asks for \"account\" (password), \"authority\" (certificate), \"vpn-…\" (identity)")
        #expect(try mismatch(.password, "account", extension: "com.example.app.x") != nil)
    }

    @Test func oneOfAnotherKindIsRefusedWithTheKindThatIsAskedFor() throws {
        let found = try #require(try mismatch(.password, "vpn-2"))
        #expect(found.rule == "secretKind" && found.suggestion == nil)
        #expect(found.message == "the app asks for an identity of this identifier; found a password")
    }

    /// A device may have any version of the app: what one of them asks for is of use there.
    @Test func whatAnyVersionAsksForIsTaken() throws {
        let newer = Self.text.replacing("account", with: "login")
        #expect(try mismatch(.password, "account", by: [newer, Self.text]) == nil)
        #expect(try mismatch(.password, "account", by: [newer]) != nil)
    }

    /// An app may find a secret under an identifier that its configuration tells it.
    @Test func whatAConfigurationNamesIsTakenAndEverythingElseIsForced() async throws {
        let fixture = try await fixtureWithSecret()
        let management = try fixture.management
        let slot = SecretSlot(group: "all", app: Self.app, kind: .password, identifier: "told")
        guard case .secretNotAsked? = try await management.assignSecret("s", to: slot, author: "admin").refusal else {
            Issue.record("not refused")
            return
        }
        #expect(try await management.assignSecret("s", to: slot, isForced: true, author: "admin").value != nil)
        _ = try await fixture.configure(value: "told")
        #expect(try await management.assignSecret("s", to: slot, author: "admin").value != nil)
    }

    /// Red: an unknown group read that the app does not ask for the secret, and that --force sets it.
    @Test func whatIsNotThereIsSaidBeforeWhatTheAppAsksFor() async throws {
        let fixture = try await fixtureWithSecret()
        let management = try fixture.management
        let nowhere = SecretSlot(group: "nogroup", app: Self.app, kind: .password, identifier: "told")
        let group = try await management.assignSecret("s", to: nowhere, author: "admin").refusal
        guard case .unknownGroup? = group else {
            Issue.record("\(String(describing: group))")
            return
        }
        let slot = SecretSlot(group: "all", app: Self.app, kind: .password, identifier: "told")
        let unknown = try await management.assignSecret("t", to: slot, author: "admin").refusal
        guard case .unknownSecret? = unknown else {
            Issue.record("\(String(describing: unknown))")
            return
        }
        let asked = try await management.assignSecret("s", to: slot, author: "admin").refusal
        guard case .secretNotAsked? = asked else {
            Issue.record("\(String(describing: asked))")
            return
        }
    }

    /// Red: a secret that was assigned before the specification was set was never found by the app, and never named.
    @Test func aSecretThatWasAssignedBeforeIsNamedWhenTheSpecificationIsSet() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign()
        let secret = SecretValue.password(userName: nil, password: "p")
        _ = try #require(await management.setSecret("s", to: secret, author: "admin").value)
        for identifier in ["told", "account"] {
            let slot = SecretSlot(group: "all", app: Self.app, kind: .password, identifier: identifier)
            _ = try #require(await management.assignSecret("s", to: slot, author: "admin").value)
        }
        let stored = try #require(
            await management.putSpecification(
                Data(Self.text.utf8), of: Self.app, version: "1", author: "admin"
            ).value)
        #expect(
            stored.warnings == [
                "A secret is assigned for which the app does not ask (all): told: the app asks for no secret of this identifier."
            ])
    }

    @Test func whereNothingIsPublishedNothingIsRefused() throws {
        #expect(try mismatch(.password, "any", by: []) == nil)
        #expect(try mismatch(.password, "any", by: [Self.silent]) == nil)
        #expect(try mismatch(.password, "any", extension: "com.example.app.other") == nil)
    }
}
