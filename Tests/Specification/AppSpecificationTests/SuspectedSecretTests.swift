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

    /// A key and its certificate for `x`, exported by OpenSSL 3 with the password `x`.
    private static let pkcs12 = """
        MIID/AIBAzCCA7IGCSqGSIb3DQEHAaCCA6MEggOfMIIDmzCCAlIGCSqGSIb3DQEHBqCCAkMwggI/AgEAMIICOAYJKoZIhvcN\
        AQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi0ansnKSqWMQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQME\
        ASoEEDktR0qms2DHSK1r5VgbRgGAggHQnhcQgdEQ09s65mpgNgY+ED+qAzaAyOG1Bom5fzG4WVSh4txkytY+5pP/HwW4FiAJ\
        wynOj+lavdJK5dzyDmGjDa7wqmRFyQ0PkpTKskkmAccU3l+MTjmwINM+u9HNXIVvKtL0DhZ51Fdr3A/ChdkdXUeNiOO+LJ3a\
        IBrRBqwwn52uA/Ssriv4+mP+2GJwgpHH+OuP7Vy4GX/lcFxkz0uxYF0Sl+ox89dyNrFEuhyUrWzyirBtWkkeGtsgQsaXqAZz\
        nY+Hdj/jEADkItKS9zQJMV2noyBp4tmfEfqMvwU5CYXvGJF7f/nYXlD9564hUUqwrCV9UfwsQgAp9dYLVgobPr4yKLys3B7g\
        ZTzn0JDCh3nuHj2FC6k5yLh90zSER6gQh8rEbxiZufUkOvm4fXjAI5b6rWbJ5Md1kvmuKU7HVSQQRkXHgoJq0to6lFmbWsEW\
        VYmqLAiyooJ+LE7UCabhA+NUUZBkZcEcvxmUekB3ZsUUeB7VuZVC8K/IJuJl7k02dU8bP+MWfyCn1kE+NhGmE38nYuhnXL/w\
        5hvszlT2UtgoNA8Ks7tXQ72xkiw6P9aYSOTs9Bvl/LETbnFIMTzRBOpgFkeJI71L7D7Fb6M3z6MwggFBBgkqhkiG9w0BBwGg\
        ggEyBIIBLjCCASowggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIrmEsutzU\
        +LECAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBB/7V/ra8Byur8WovH7G4xmBIGQaBQvsCa7DGLJhPxVF4Eg+XxY\
        nqww9jPgSQp7cEb9rDT2ddL1zIaYesWMgGqguPpvcA4penDbi2fhH5Q14AmNoGQzNTfNh32/10jkcSnxHrCqZQg5UTlaPd5S\
        GqS3WoIi/Oh6zxcL48GW9dKnoxEAv+TLQXEaCyrcKMCVfFFSaiwjE1DbnMg6Oz3z+0fTDRZsMSUwIwYJKoZIhvcNAQkVMRYE\
        FITG9i68qWEcgjUNySJZOhoOlDEzMEEwMTANBglghkgBZQMEAgEFAAQgb6JCdV8ZhPDEb8kW+dYAxcOqBPlFeUb/qm2fA5D5\
        7eEECOMcGq40Lr2xAgIIAA==
        """

    /// Red while a file of keys was found by its key's name alone: it is no PEM.
    @Test func aPKCS12FileIsFoundInEachForm() throws {
        let file = try #require(Data(base64Encoded: Self.pkcs12))
        #expect(file.count == 1_024)
        #expect(sign(.data(file)) == .pkcs12)
        let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithCarriageReturn]
        let urls = Self.pkcs12.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        for text in [
            Self.pkcs12, "\n " + file.base64EncodedString(options: options), urls,
            "data:application/x-pkcs12;base64," + Self.pkcs12,
        ] {
            #expect(sign(.string(text)) == .pkcs12, "\(text.prefix(40))")
        }
        let finding = try #require(SuspectedSecrets.all(in: .dictionary(["id": .data(file)])).first?.finding)
        #expect(finding.description.contains("PKCS #12") && !finding.description.contains("MII"))
    }

    /// How other programs begin such a file: OpenSSL with older ciphers, signed data, BER in pieces, long lengths.
    @Test(arguments: [
        "308203720201033082033806092a864886f70d010701a0820329048203253082",
        "30820500020103308204f006092a864886f70d010702",
        "3080020103308006092a864886f70d010701a0802480048203e8",
        "30840000037202010330840000033806092a864886f70d010701a0",
    ])
    func aPKCS12FileIsFoundByItsBeginning(hexadecimal: String) throws {
        let file = try Self.bytes(hexadecimal)
        #expect(sign(.data(file)) == .pkcs12)
        #expect(sign(.string(file.base64EncodedString())) == .pkcs12)
        for count in 0..<18 { #expect(sign(.data(file.prefix(count))) == nil, "\(count) bytes are none") }
    }

    /// Red for a search that takes all DER for keys.
    ///
    /// A certificate, CMS that is signed, of certificates alone, and encrypted, a certificate request, SignedData of
    /// version 3 without its type, another version, and what is no DER.
    @Test(arguments: [
        "3082016e30820113a00302010202143beef9454c6595958e296835c813ce86631bb76b300a06082a",
        "3082032b06092a864886f70d010702a082031c30820318020101310d300b06096086480165030402",
        "3082019d06092a864886f70d010702a082018e3082018a0201013100300b06092a864886f70d0107",
        "3082034d06092a864886f70d010703a082033e3082033a020102",
        "3081c6306e020100300c310a300806035504030c01783059301306072a8648ce3d020106082a8648",
        "3082031802010331123010060960864801650304020130030609", "308203180201023082030606092a864886f70d010701a0",
        "3082031802010330820306060960864801650304020101", "89504e470d0a1a0a0000000d49484452", "3003020103", "30",
    ])
    func otherBytesAreNone(hexadecimal: String) throws {
        let bytes = try Self.bytes(hexadecimal)
        #expect(sign(.data(bytes)) == nil)
        #expect(sign(.string(bytes.base64EncodedString())) == nil)
    }

    private static func bytes(_ hexadecimal: String) throws -> Data {
        let digits = try hexadecimal.map { try #require($0.hexDigitValue) }
        return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
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
