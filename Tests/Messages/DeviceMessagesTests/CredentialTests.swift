import DeviceMessages
import Foundation
import InputBounds
import Testing

struct CredentialTests {
    @Test(arguments: CredentialAsset.Kind.allCases)
    func everyKindOfAssetSurvivesBeingWritten(kind: CredentialAsset.Kind) throws {
        let document = DataAsset(
            dataURL: "https://s/c", contentType: kind.mediaTypes.first, size: 3, sha256: Data(repeating: 1, count: 32),
            authentication: .none)
        let asset = CredentialAsset(kind, document: document, accessible: kind.isIdentity ? .afterFirstUnlock : nil)
        let declaration = asset.declaration(identifier: "a", serverToken: "1")
        #expect(declaration.kind == .asset && declaration.type == kind.rawValue)
        #expect(try CredentialAsset(Declaration(parsing: declaration.encoded())) == asset)
    }

    @Test func readsAssetsAsAServerSendsThem() throws {
        let acme = try CredentialAsset(Declaration(parsing: Golden.data("asset-credential-acme.json")))
        #expect(acme.kind == .acme && acme.accessible == .afterFirstUnlock && acme.document.authentication == .mdm)
        let certificate = try CredentialAsset(Declaration(parsing: Golden.data("asset-credential-certificate.json")))
        #expect(certificate.kind == .certificate && certificate.accessible == nil)
        #expect(certificate.document.sha256?.prefix(2) == Data([0xBA, 0x78]))
    }

    @Test func refusesAnAssetOfNoSuchKind() {
        let data = Declaration(identifier: "a", serverToken: "1", DataAsset(dataURL: "https://s/c"))
        #expect(throws: InputRefusal(rule: "the declaration has another type")) { try CredentialAsset(data) }
        let odd = Declaration(
            type: CredentialAsset.Kind.scep.rawValue, identifier: "a", serverToken: "1",
            payload: .object([
                "Reference": .object(["DataURL": .string("https://s/c")]), "Accessible": .string("Always"),
            ]))
        #expect(throws: InputRefusal(rule: "the key Accessible has an unknown value")) { try CredentialAsset(odd) }
    }

    @Test func namesTheKeysThatAKindDoesNotKnow() {
        let payload = JSONValue.object(["Reference": .null, "Authentication": .null, "Accessible": .null, "X": .null])
        #expect(CredentialAsset.unknownKeys(of: .userNameAndPassword, in: payload) == ["Accessible", "X"])
        #expect(CredentialAsset.unknownKeys(of: .acme, in: payload) == ["X"])
    }

    @Test func readsAPassword() throws {
        let document = try UserNameAndPassword(parsing: Golden.data("credential-password.json"))
        #expect(document.userName == "jane")
        #expect(document.password == "correct horse \"battery\" staple ü")
        #expect(try UserNameAndPassword(parsing: document.encoded()) == document)
        let nameOnly = UserNameAndPassword(userName: "jane", password: nil)
        #expect(try UserNameAndPassword(parsing: nameOnly.encoded()) == nameOnly)
    }

    @Test func readsAnIdentity() throws {
        let document = try IdentityDocument(parsing: Golden.data("credential-identity.json"))
        #expect(document == IdentityDocument(password: "opens it", identity: Data([0x30, 0x82, 1, 2, 3, 4, 5])))
        #expect(try IdentityDocument(parsing: document.encoded()) == document)
    }

    /// Protocol §9, §14: three keys have a space in them, and bytes are Base64.
    @Test func readsHowToAskBySCEP() throws {
        let document = try SCEPDocument(parsing: Golden.data("credential-scep.json"))
        #expect(document.request.url == "http://ca.example.com/scep")
        #expect(document.request.subject.count == 2 && document.request.subject[1].count == 2)
        #expect(document.request.keySize == 2_048 && document.request.keyUsage == 5)
        #expect(document.request.caFingerprint == Data(0..<32))
        #expect(document.request.retries == 5 && document.request.retryDelay == 20)
        #expect(document.subjectAltName?.principalName == "jane@corp.example.com")
        #expect(try SCEPDocument(parsing: document.encoded()) == document)
        let least = try SCEPDocument(parsing: Data(#"{"URL":"https://ca"}"#.utf8))
        #expect(least.request.keySize == 1_024 && least.request.retries == 3 && least.request.retryDelay == 10)
        #expect(least.request.keyUsage == 0 && least.request.keyType == "RSA" && least.subjectAltName == nil)
    }

    @Test func readsHowToAskByACME() throws {
        let document = try ACMEDocument(parsing: Golden.data("credential-acme.json"))
        #expect(document.keyType == .ec && document.keySize == 384 && document.hardwareBound && document.attest)
        #expect(document.subjectAltName?.uri == "urn:example:device" && document.usageFlags == 1)
        #expect(document.extendedKeyUsage == ["1.3.6.1.5.5.7.3.2"])
        #expect(try ACMEDocument(parsing: document.encoded()) == document)
    }

    /// Protocol §13: what a key may be depends on its kind and on where it lives.
    @Test(arguments: [
        ("\"KeySize\": 384", "\"KeySize\": 192", "the key KeySize is not one of a curve"),
        ("\"KeySize\": 384", "\"KeySize\": 521", "a hardware bound key has 256 or 384 bits"),
        ("ECSECPrimeRandom", "RSA", "the key KeySize is not one of an RSA key"),
        ("ECSECPrimeRandom", "DSA", "the key KeyType has an unknown value"),
        ("\"HardwareBound\": true", "\"HardwareBound\": false", "only a hardware bound key can be attested"),
        ("\"HardwareBound\": true,", "", "the key HardwareBound is missing"),
        ("https://", "http://", "the key DirectoryURL is not an https URL"),
    ])
    func refusesAnACMEKeyThatCannotBe(old: String, new: String, rule: String) throws {
        try Self.refuses("credential-acme.json", old, new, rule) { _ = try ACMEDocument(parsing: $0) }
    }

    @Test(arguments: [
        ("\"Keysize\": 2048", "\"Keysize\": 3072", "the key Keysize has an unknown value"),
        ("\"Key Type\": \"RSA\"", "\"Key Type\": \"EC\"", "the key Key Type has an unknown value"),
        ("\"Key Usage\": 5", "\"Key Usage\": 2", "the key Key Usage has an unknown value"),
        ("AAECAwQF", "AAEC", "the key CAFingerprint is neither SHA-256 nor SHA-1"),
        (
            Data(0..<32).base64EncodedString(), Data(count: 16).base64EncodedString(),
            "the key CAFingerprint is neither SHA-256 nor SHA-1"
        ),
        ("AAECAwQF", "%%%%", "the key CAFingerprint is not Base64"),
        ("[[\"O\", \"Example\"]]", "[[\"O\"]]", "the key Subject is not made of pairs of strings"),
        ("\"Retries\": 5", "\"Retries\": -1", "retries or their delay are out of range"),
        ("\"URL\"", "\"Url\"", "the key URL is missing"),
    ])
    func refusesASCEPDocumentThatNobodyCouldFollow(old: String, new: String, rule: String) throws {
        try Self.refuses("credential-scep.json", old, new, rule) { _ = try SCEPDocument(parsing: $0) }
    }

    /// A refusal names the rule, never the value: S4-SECRET documents hold secrets.
    @Test func refusesASecretThatIsTooLongWithoutRepeatingIt() throws {
        let long = UserNameAndPassword(userName: "jane", password: String(repeating: "p", count: 16_385))
        let refusal = #expect(throws: InputRefusal.self) { try UserNameAndPassword(parsing: long.encoded()) }
        #expect(refusal?.rule == "the key Password is too long")
        let large = IdentityDocument(password: "p", identity: Data(count: 65_537))
        #expect(throws: InputRefusal(rule: "the key Identity has no allowed length")) {
            try IdentityDocument(parsing: large.encoded())
        }
        let largest = IdentityDocument(password: "p", identity: Data(count: 65_536))
        #expect(try IdentityDocument(parsing: largest.encoded()) == largest)
    }

    private static func refuses(
        _ golden: String, _ old: String, _ new: String, _ rule: String, _ read: (Data) throws -> Void
    ) throws {
        let text = String(decoding: try Golden.data(golden), as: UTF8.self)
        let changed = text.replacing(old, with: new)
        #expect(changed != text)
        #expect(throws: InputRefusal(rule: rule)) { try read(Data(changed.utf8)) }
    }
}
