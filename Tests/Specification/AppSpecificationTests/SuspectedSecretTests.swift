import AppSpecification
import Foundation
import InputBounds
import Testing

/// Which values look like secrets: those that an administrator hardly means for a dictionary that anything can read, and
/// no ordinary ones, since what is found is refused.
struct SuspectedSecretTests {
    private func sign(_ value: PropertyListValue, under key: String = "value") -> SuspectedSecret.Sign? {
        SuspectedSecrets.all(in: .dictionary([key: value])).first?.sign
    }

    private static func pem(_ kind: String) -> String {
        "-----BEGIN \(kind)-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END \(kind)-----\n"
    }

    @Test(arguments: [
        "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ])
    func aPrivateKeyIsFoundInEachForm(kind: String) {
        let file = Self.pem(kind)
        #expect(sign(.string(file)) == .privateKey)
        #expect(sign(.data(Data(file.utf8))) == .privateKey)
        #expect(sign(.string(Data(file.utf8).base64EncodedString())) == .privateKey)
        #expect(sign(.string(Self.pem("CERTIFICATE") + file)) == .privateKey, "behind its certificate")
    }

    @Test(arguments: [
        "https://anna:hunter2@example.org/a", "Use http://u:p@proxy.example.org:3128 here.",
        "postgres://app:hunter2@db.example.org/app", "https://u:p@ss@example.org",
    ])
    func anAddressWithAPasswordIsFound(text: String) {
        #expect(sign(.string(text)) == .passwordInAddress)
    }

    @Test(arguments: [
        "password", "wifiPassword", "API-Key", "client_secret", "apiToken", "token1", "passphrase", "Kerberos.Passcode",
        "privateKey", "sharedCredential",
    ])
    func aTextUnderAKeyThatSaysSoIsFound(key: String) {
        #expect(sign(.string("x"), under: key) == .name)
        #expect(sign(.data(Data([1])), under: key) == .name)
        #expect(sign(.string(""), under: key) == nil && sign(.integer(8), under: key) == nil)
        #expect(sign(.boolean(true), under: key) == nil)
    }

    /// Red for a search that goes by how random a value looks, or by a secret's word anywhere in a key.
    @Test(arguments: [
        "https://example.org/a?b=c#d", "https://example.org:8443", "https://anna@example.org",
        "mailto:anna@example.org",
        "at 10:30 see https://example.org, or write to anna:work@example.org", "https://example.org/a:b@c",
        "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "The quick brown fox", "My password is on the note",
        "d2hhdGV2ZXIgdGhpcyBpcywgaXQgaXMgbm8gc2VjcmV0",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "1600", "en_US", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJhZw==", "${device.serialNumber}",
    ])
    func anOrdinaryValueIsNone(text: String) {
        #expect(sign(.string(text)) == nil)
        #expect(sign(.string(Self.pem("CERTIFICATE"))) == nil && sign(.string(Self.pem("PUBLIC KEY"))) == nil)
    }

    @Test(arguments: [
        "passwordHint", "tokenEndpoint", "tokenURL", "passwordPolicy", "tokenType", "passwordMinimumLength",
        "secretaryName", "secretariat", "tokenizer", "passwordlessLogin", "credentialProvider", "passwordManager",
        "tokenLifetime", "passwordFile", "tokenIssuer", "keyboard", "passport", "title",
    ])
    func aKeyThatDescribesASecretHoldsNone(key: String) {
        #expect(sign(.string("x"), under: key) == nil)
    }

    @Test func eachIsNamedByItsKeyAndNeverByItsValue() throws {
        let found = SuspectedSecrets.all(
            in: .dictionary([
                "servers": .array([.dictionary(["password": .string("hunter2")])]), "title": .string("x"),
                "proxy": .string("http://u:hunter2@example.org"),
            ]))
        #expect(found.map { "\($0.path)" } == ["proxy", "servers[0].password"])
        for one in found {
            #expect(one.finding.severity == .error && one.finding.rule == SuspectedSecret.rule)
            #expect(!one.finding.description.contains("hunter2"))
        }
    }
}
