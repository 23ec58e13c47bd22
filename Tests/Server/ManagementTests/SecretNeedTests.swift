import AppSpecification
import Foundation
import InputBounds
import Management
import Testing

/// The secrets that an app cannot do without are named where it is not given them: S4-SPEC-04, A15.
struct SecretNeedTests {
    private static let app = "com.example.app"
    private static let text = #"""
        {"x-app": {"bundleIdentifier": "com.example.app"}, "x-secrets": [
           {"kind": "password", "identifier": "account", "purpose": "Signing in.", "required": true},
           {"kind": "identity", "prefix": "vpn-", "required": true},
           {"kind": "certificate", "identifier": "authority"}],
         "x-extensions": {"com.example.app.x": {"x-secrets": [
           {"kind": "password", "identifier": "token", "required": true}]}}}
        """#

    private func warnings(
        _ given: [SecretSlot], in groups: [String] = ["all"], extensions: [String: String] = [:]
    ) throws -> [String] {
        let assignments = groups.map {
            Assignment(
                group: $0, app: Self.app, configuration: "main", extensions: extensions, assigned: Fixture.start,
                order: 1)
        }
        let specification = try AppSpecification(parsing: Data(Self.text.utf8))
        return SecretNeeds(of: specification, in: assignments, given: given).warnings
    }

    private func slot(
        _ kind: AppSecretKind, _ identifier: String, group: String = "all", extension name: String? = nil
    ) -> SecretSlot {
        SecretSlot(group: group, app: Self.app, extension: name, kind: kind, identifier: identifier)
    }

    @Test func eachThatIsMissingIsNamedWithItsPurpose() throws {
        #expect(
            try warnings([]) == [
                "The group all does not give the app the password “account”, which it needs: Signing in.",
                "The group all does not give the app any identity whose identifier begins with “vpn-”, which it needs.",
            ])
        #expect(try warnings([slot(.password, "account"), slot(.identity, "vpn-1")]).isEmpty)
    }

    @Test func groupsThatLackTheSameAreNamedTogether() throws {
        let given = [slot(.password, "account", group: "a"), slot(.identity, "vpn-1", group: "a")]
        let told = try warnings(given + [slot(.identity, "vpn-1", group: "b")], in: ["c", "b", "a"])
        #expect(
            told == [
                "The groups b, c do not give the app the password “account”, which it needs: Signing in.",
                "The group c does not give the app any identity whose identifier begins with “vpn-”, which it needs.",
            ])
    }

    @Test func oneOfAnotherKindIsNoneAndSaidToBe() throws {
        let told = try warnings([
            slot(.password, "account"), slot(.identity, "vpn-1"), slot(.password, "vpn-2"),
            slot(.identity, "authority"), slot(.password, "unknown"),
        ])
        #expect(
            told == [
                "The group all gives the app a password as “vpn-2”, where it asks for an identity.",
                "The group all gives the app an identity as “authority”, where it asks for a certificate.",
            ])
    }

    @Test func anExtensionNeedsItsOwnOnceItIsGivenAConfiguration() throws {
        let given = [slot(.password, "account"), slot(.identity, "vpn-1"), slot(.password, "token")]
        #expect(try warnings(given).isEmpty)
        let name = "com.example.app.x"
        #expect(
            try warnings(given, extensions: [name: "side"]) == [
                "The group all does not give the extension \(name) the password “token”, which it needs."
            ])
        #expect(
            try warnings(given + [slot(.password, "token", extension: name)], extensions: [name: "side"]).isEmpty)
    }

    /// Said and never refused: a secret may be assigned later, and another group of a device may give it.
    @Test func assigningAndConfiguringNameThem() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign()
        let before = try await fixture.configure(value: "2")
        #expect(before.warnings.isEmpty)
        _ = try #require(
            await management.putSpecification(
                Data(Self.text.utf8), of: Self.app, version: "1", author: "admin"
            ).value)
        let missing = try warnings([])
        #expect(try await fixture.configure(value: "3").warnings.suffix(2) == missing[...])
        let bytes = Fixture.configuration("4")
        #expect(try await management.judge(bytes, of: Self.app, toBe: "main").value?.warnings.suffix(2) == missing[...])
        #expect(try await management.judge(bytes, of: Self.app).value?.warnings.contains(missing[0]) == false)
        for isDryRun in [true, false] {
            let made = try await management.assign(
                app: Self.app, configuration: "main", to: "all", isDryRun: isDryRun, author: "admin")
            #expect(made.value?.warnings == missing)
        }
        let secret = SecretValue.password(userName: nil, password: "p")
        _ = try #require(await management.setSecret("s", to: secret, author: "admin").value)
        _ = try #require(
            await management.assignSecret(
                "s", to: slot(.password, "account"), author: "admin"
            ).value)
        #expect(try await fixture.configure(value: "5").warnings.suffix(1) == [missing[1]])
    }
}
