import AdminMessages
import ArgumentParser
import Foundation
import Testing
import martlet

/// Commands that replace a thing as a whole: what their options do not mention stays, or is asked about.
struct UnmentionedTests {
    private static let owner = Administrator(
        name: "olga", role: .appOwner, apps: ["a.b"], groups: ["g"], mustChangePassword: false,
        created: Date(timeIntervalSince1970: 0))

    /// Red: `--group` alone was refused, and with `--app` the groups were gone.
    @Test(
        arguments: [
            (["--group", "h"], RightsRequest(role: .appOwner, apps: ["a.b"], groups: ["h"])),
            (["--app", "c.d"], RightsRequest(role: .appOwner, apps: ["c.d"], groups: ["g"])),
            (["--role", "app-owner"], RightsRequest(role: .appOwner, apps: ["a.b"], groups: ["g"])),
            (["--no-groups"], RightsRequest(role: .appOwner, apps: ["a.b"])),
            (["--role", "reader"], RightsRequest(role: .reader)),
        ] as [([String], RightsRequest)])
    func anAdministratorKeepsTheRightsThatAreNotMentioned(arguments: [String], rights: RightsRequest) throws {
        #expect(try RightsChange.parse(arguments).request(changing: Self.owner) == rights)
    }

    @Test func aChangeOfRightsSaysWhatChanges() {
        #expect(throws: (any Error).self) { try RightsChange.parse([]) }
        #expect(throws: (any Error).self) { try RightsChange.parse(["--group", "h", "--no-groups"]) }
    }

    private static func secret(_ kind: SecretKind, _ facts: SecretFacts) -> Secret {
        Secret(name: "s", kind: kind, version: 3, created: Date(timeIntervalSince1970: 0), facts: facts)
    }

    /// Red: a password without `--user-name` took the user name away, and an identity came from another authority or
    /// left its chip.
    @Test func aNewVersionOfASecretSaysWhatItIsWithout() {
        let named = Self.secret(.password, SecretFacts(hasUserName: true))
        let bare = SecretRequest.password(PasswordSecret(password: "p"))
        #expect(SecretLoss.options(of: named, by: bare) == ["--user-name"])
        let again = SecretRequest.password(PasswordSecret(userName: "u", password: "p"))
        #expect(SecretLoss.options(of: named, by: again).isEmpty)
        let elsewhere = Self.secret(.scep, SecretFacts(authority: "https://ca.example.com/scep"))
        let subject = [["CN", "x"]]
        #expect(SecretLoss.options(of: elsewhere, by: .scep(SCEPSecret(subject: subject))) == ["--url"])
        let own = Self.secret(.acme, SecretFacts(authority: "own", hardwareBound: true, attest: true))
        #expect(
            SecretLoss.options(of: own, by: .acme(ACMESecret(subject: subject))) == ["--hardware-bound", "--attest"])
        #expect(
            SecretLoss.options(of: own, by: .acme(ACMESecret(subject: subject, hardwareBound: true, attest: true)))
                .isEmpty)
        #expect(SecretLoss.options(of: own, by: bare) == ["--acme"])
        #expect(SecretLoss.failure(of: named, by: bare)?.status == .refused)
        #expect(SecretLoss.failure(of: named, by: again) == nil)
    }
}
