import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import InputBounds
import Management
import StoreSQLite
import Synchronization
import Testing

/// Secrets from the administrator's hand to the device's document.
struct SecretTests {
    private static let planted = "PLANTED-correct-horse-battery"
    private static let app = "com.example.app"
    private static let slot = SecretSlot(group: "all", app: app, kind: .password, identifier: "login")

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    @discardableResult
    private func set(
        _ name: String = "pin", _ value: SecretValue = .password(userName: nil, password: planted)
    ) async throws -> Secret {
        try #require(await fixture.management.setSecret(name, to: value, author: "admin").value)
    }

    private func give(_ name: String = "pin", _ slot: SecretSlot = slot) async throws {
        _ = try #require(await fixture.management.assignSecret(name, to: slot, author: "admin").value)
    }

    private func credential(_ version: Int, of name: String = "pin") async throws -> CredentialDocument? {
        try await fixture.management.credential(name: name, version: version, for: fixture.context()).value
    }

    private func tokens(group: String = "all") async throws -> [String: String] {
        var tokens: [String: String] = [:]
        for (name, document) in try await fixture.management.manifest(of: [group]).declarations {
            tokens[name] = try Declaration(parsing: document).serverToken
        }
        return tokens
    }

    // MARK: What devices are told

    /// S4-SECRET-01, D5: an app finds a password under the identifier of its developer; nothing lets anyone guess at it.
    @Test func aPasswordIsToldByReferenceAlone() async throws {
        try await set()
        try await give()
        let manifest = try await fixture.management.manifest(of: ["all"])
        let document = try #require(manifest.declarations["configuration/martlet.app.com.example.app"])
        let configuration = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
        let secret = try #require(configuration.appConfig?.passwords.first)
        #expect(secret.identifier == "login")
        let asset = try Declaration(parsing: #require(manifest.declarations["asset/\(secret.assetReference)"]))
        #expect(asset.type == "com.apple.asset.credential.userpassword")
        let reference = try DataAsset(payload: asset.payload)
        #expect(reference.dataURL == "https://mdm.example.com/mdm/credentials/pin/1")
        #expect(reference.contentType == "application/json")
        #expect(reference.sha256 == nil && reference.size == nil)
        #expect(reference.authentication == .mdm)
        #expect(secret.assetReference.utf8.count <= 64)
    }

    @Test func anExtensionFindsItsOwnSecrets() async throws {
        try await set()
        try await give(
            "pin",
            SecretSlot(
                group: "all", app: Self.app, extension: "com.example.app.vpn", kind: .password, identifier: "login"))
        let manifest = try await fixture.management.manifest(of: ["all"])
        let document = try #require(manifest.declarations["configuration/martlet.app.com.example.app"])
        let configuration = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
        #expect(configuration.appConfig?.passwords.isEmpty == true)
        #expect(
            configuration.extensionConfigs["com.example.app.vpn (TEAM)"]?.passwords.map(\.identifier) == ["login"])
    }

    /// S4-SECRET-04, D2: a new version changes one token, and none of devices without that secret.
    @Test func aRotationChangesExactlyOneToken() async throws {
        _ = try await fixture.management.createGroup(named: "others", author: "admin")
        try await fixture.assign(group: "others")
        try await set()
        try await set("other", .password(userName: nil, password: "x"))
        try await give()
        try await give("other", SecretSlot(group: "all", app: Self.app, kind: .password, identifier: "second"))
        let before = try await tokens()
        let others = try await fixture.management.manifest(of: ["others"])
        try await set("pin", .password(userName: nil, password: "new"))
        let after = try await tokens()
        #expect(before.keys.sorted() == after.keys.sorted())
        let changed = before.filter { after[$0.key] != $0.value }.keys
        #expect(changed.count == 1 && changed.allSatisfy { $0.hasPrefix("asset/martlet.secret.") })
        #expect(try await fixture.management.manifest(of: ["others"]) == others)
    }

    @Test func aWithdrawnSecretLeavesTheManifestAsItWas() async throws {
        let before = try await tokens()
        try await set()
        try await give()
        #expect(try await tokens() != before)
        #expect(try await fixture.management.unassignSecret(from: Self.slot, author: "admin") == nil)
        #expect(try await tokens() == before)
    }

    // MARK: What devices get

    @Test func theDocumentIsForTheDeviceThatAsks() async throws {
        try await set("pin", .password(userName: "user-${device.udid}", password: Self.planted))
        try await give()
        let document = try #require(try await credential(1))
        #expect(document.mediaType == "application/json")
        #expect(
            String(decoding: document.bytes, as: UTF8.self)
                == #"{"Password":"\#(Self.planted)","UserName":"user-D1"}"#)
    }

    @Test func aVariableWithoutValueGivesNoDocument() async throws {
        try await set("pin", .password(userName: "${device.serialNumber}", password: "x"))
        try await give()
        let outcome = try await fixture.management.credential(name: "pin", version: 1, for: fixture.context())
        #expect(outcome.refusal == .noValue)
    }

    @Test func aRecipeBecomesApplesDocument() async throws {
        var recipe = ACMERecipe(
            authority: .external(url: "https://ca.example.com/acme/directory"), clientIdentifier: "${device.udid}",
            subject: [SubjectAttribute(type: "CN", value: "${device.udid}")])
        recipe.subjectAltNames = SubjectAltNames(dNSName: "${device.udid}.example.com")
        try await set("id", .acme(recipe))
        try await give("id", SecretSlot(group: "all", app: Self.app, kind: .identity, identifier: "tls"))
        let document = try #require(try await credential(1, of: "id"))
        #expect(
            String(decoding: document.bytes, as: UTF8.self) == """
                {"Attest":false,"ClientIdentifier":"D1","DirectoryURL":"https://ca.example.com/acme/directory",\
                "HardwareBound":false,"KeySize":256,"KeyType":"ECSECPrimeRandom","Subject":[[["CN","D1"]]],\
                "SubjectAltName":{"dNSName":"D1.example.com"}}
                """)
    }

    /// D3: withdrawal beats what the device was told.
    @Test func onlyThePresentVersionOfWhatIsAssignedNowIsReleased() async throws {
        try await set()
        #expect(try await credential(1) == nil)
        try await give()
        _ = try await fixture.ask(.declarationItems)
        #expect(try await credential(1) != nil)
        try await set()
        #expect(try await credential(1) == nil)
        #expect(try await credential(2) != nil)
        #expect(try await credential(3) == nil)
        #expect(try await fixture.management.unassignSecret(from: Self.slot, author: "admin") == nil)
        #expect(try await credential(2) == nil)
    }

    @Test func aDeviceOutsideTheGroupGetsNothing() async throws {
        try await set()
        try await give()
        let signer = Data(repeating: 9, count: 32)
        try await fixture.enrol("D2", group: "others", signer: signer)
        let stranger = try await fixture.context("D2", signer: signer)
        #expect(
            try await fixture.management.credential(name: "pin", version: 1, for: stranger).refusal == .notAssigned)
        let context = try await fixture.context()
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        #expect(
            try await fixture.management.credential(name: "pin", version: 1, for: context).refusal == .notAssigned)
    }

    // MARK: What is refused, and never repeated

    @Test(arguments: [
        SecretValue.password(userName: nil, password: ""), .certificate(der: Data("no certificate".utf8)),
        .password(userName: "${device.shoeSize}", password: "x"),
        .acme(
            ACMERecipe(authority: .external(url: "http://ca"), clientIdentifier: "x", subject: [])),
        .acme(
            ACMERecipe(
                authority: .external(url: "https://ca"), clientIdentifier: "x", subject: [], keyType: .rsa,
                keySize: 2_048, hardwareBound: true)),
        .acme(ACMERecipe(authority: .external(url: "https://ca"), clientIdentifier: "x", subject: [], attest: true)),
        .scep(SCEPRecipe(authority: .external(url: "https://ca"), subject: [], keySize: 1_024)),
        // What every device would refuse, and what no longer tells one authority from another.
        .scep(SCEPRecipe(authority: .external(url: "http://ca"), subject: [])),
        .scep(
            SCEPRecipe(authority: .external(url: "http://ca"), authorityFingerprint: Data(count: 20), subject: [])),
        .scep(
            SCEPRecipe(authority: .external(url: "https://ca"), authorityFingerprint: Data(count: 16), subject: [])),
        .scep(SCEPRecipe(authority: .own, subject: [])),
        .scep(SCEPRecipe(authority: .own, challenge: "x", subject: [SubjectAttribute(type: "CN", value: "x")])),
        .acme(
            ACMERecipe(
                authority: .own, clientIdentifier: "x", subject: [SubjectAttribute(type: "CN", value: "x")])),
        .acme(
            ACMERecipe(
                authority: .own, clientIdentifier: "", subject: [SubjectAttribute(type: "CN", value: "x")],
                // A server's certificate, which could be shown to devices.
                extendedKeyUsage: ["1.3.6.1.5.5.7.3.1"])),
        .acme(
            ACMERecipe(
                authority: .own, clientIdentifier: "", subject: [SubjectAttribute(type: "CN", value: "x")],
                keySize: 521)),
    ])
    func aValueThatCannotWorkIsRefused(value: SecretValue) async throws {
        let refusal = try await fixture.management.setSecret("s", to: value, author: "admin").refusal
        #expect(refusal?.kind == .invalid)
        #expect(try await fixture.management.secret(named: "s") == nil)
    }

    /// A wrong password is refused when the file is set, not on the device.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func anIdentityIsOpenedWhenItIsSet() async throws {
        let file = try Self.identityFile(password: "right")
        let refused = try await fixture.management.setSecret(
            "id", to: .pkcs12(bytes: file, password: "wrong"), author: "admin")
        #expect(refused.refusal == .invalid(rule: "The identity cannot be used: the password does not open the file."))
        let secret = try await set("id", .pkcs12(bytes: file, password: "right"))
        #expect(secret.current.description.keyType == "EC" && secret.current.description.keySize == 256)
        #expect(secret.current.description.subject == "CN=tester")
        #expect(secret.current.description.size == nil)
        try await give("id", SecretSlot(group: "all", app: Self.app, kind: .identity, identifier: "tls"))
        let document = try #require(try await credential(1, of: "id"))
        let object = try JSONValue(parsing: document.bytes, limits: .statusReport)
        #expect(object["Identity"]?.string == file.base64EncodedString())
        #expect(object["Password"]?.string == "right")
    }

    private static func identityFile(password: String) throws -> Data {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for arguments in [
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -subj /CN=tester",
            "pkcs12 -export -inkey k.pem -in c.pem -out i.p12 -passout pass:\(password)",
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = arguments.split(separator: " ").map(String.init)
            process.currentDirectoryURL = directory
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
        return try Data(contentsOf: directory.appending(path: "i.p12"))
    }

    /// A certificate may be given as text; what devices download is what its digest says.
    @Test func aCertificateIsToldWithItsDigest() async throws {
        let authority = try Authority.create(commonName: "pinned", now: Fixture.start)
        let secret = try await set("ca", .certificate(der: Data(authority.certificatePEM.utf8)))
        #expect(secret.current.description.fingerprint == Fixture.sha256(authority.certificateDER))
        #expect(secret.current.description.subject == "CN=pinned")
        try await give("ca", SecretSlot(group: "all", app: Self.app, kind: .certificate, identifier: "pin"))
        let manifest = try await fixture.management.manifest(of: ["all"])
        let asset = try #require(manifest.declarations.first { $0.key.hasPrefix("asset/martlet.secret.") })
        let declaration = try Declaration(parsing: asset.value)
        #expect(declaration.type == "com.apple.asset.credential.certificate")
        let reference = try DataAsset(payload: declaration.payload)
        let document = try #require(try await credential(1, of: "ca"))
        #expect(document.bytes == authority.certificateDER)
        #expect(reference.sha256 == Data(SHA256.hash(data: document.bytes)) && reference.size == document.bytes.count)
        #expect(reference.contentType == document.mediaType)
    }

    @Test func aValueHasNoText() {
        let value = SecretValue.password(userName: "user", password: Self.planted)
        for text in ["\(value)", String(reflecting: value), String(describing: [value])] {
            #expect(!text.contains(Self.planted))
        }
        var dumped = ""
        dump(value, to: &dumped)
        #expect(!dumped.contains(Self.planted))
    }

    /// D5: what an administrator set is nowhere in the store's files in clear.
    @Test func aPlantedValueIsInNoFile() async throws {
        try await set()
        try await give()
        #expect(try await credential(1) != nil)
        let forms = [
            Data(Self.planted.utf8), Data(Data(Self.planted.utf8).base64EncodedString().dropLast(4).utf8),
            Data(Self.planted.utf8.map { String(format: "%02x", $0) }.joined().utf8),
        ]
        let files = try fixture.files()
        #expect(files.contains { $0.count > 10_000 })
        for file in files { for form in forms { #expect(file.range(of: form) == nil) } }
    }

    // MARK: Master keys

    /// D5: a new master key takes over while the server serves; it reads the key when it needs it.
    @Test func rekeyingHappensWhileTheServerServes() async throws {
        try await set()
        try await give()
        let old = fixture.surroundings.keys.withLock { $0 }
        let new = MasterKeys.newKeyText()
        fixture.surroundings.keys.withLock { $0 = new + "\n" + old }
        let beside = try fixture.besideServer()
        #expect(try await beside.management.rewrapSecrets() == 1)
        #expect(try await beside.management.rewrapSecrets() == 0)
        fixture.surroundings.keys.withLock { $0 = new }
        try beside.store.close()
        #expect(try await credential(1) != nil)
        try await set()
        #expect(try await credential(2) != nil)
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == nil)
        #expect(try await credential(2) != nil)
    }

    @Test func whatWasSealedUnderAReplacedKeyIsSealedAgain() async throws {
        try await set()
        let old = fixture.surroundings.keys.withLock { $0 }
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() + "\n" + old }
        let beside = try fixture.besideServer()
        try await beside.management.rewrapSecrets()
        try beside.store.close()
        // The server knows nothing of the new key until the store refuses the old one.
        try await set()
        #expect(try await fixture.management.rewrapSecrets() == 0)
    }

    @Test func aServerWithoutItsKeySaysSo() async throws {
        try await set()
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == .keyMissing)
    }

    /// Red where only the keys of kept values counted: without a secret, another key took the place of the one on record.
    @Test func aServerWithoutTheKeyOnRecordSaysSoBeforeThereIsASecret() async throws {
        #expect(try await fixture.management.unlockSecrets() == nil)
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() }
        try fixture.restart()
        #expect(try await fixture.management.unlockSecrets() == .keyMissing)
    }

    /// Red where the value stayed in the way: what was forgotten is given to nobody, and set anew it goes its way.
    @Test func whatIsForgottenIsGivenToNobodyUntilItIsSetAnew() async throws {
        try await set()
        try await give()
        let told = try await tokens()
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() }
        try fixture.restart()
        let held = try MasterKeys(parsing: fixture.surroundings.keys.withLock { $0 })
        let locked = try await fixture.store.forgetLockedSecrets(keys: [held.current.id], now: Fixture.start)
        #expect(locked.secrets == ["pin"])
        #expect(try await fixture.management.unlockSecrets() == nil)
        #expect(try await tokens() == told, "devices keep what they have")
        #expect(try await credential(1) == nil)
        // Red: no view named the secret that has no value.
        func lacksValue() async throws -> [Bool] {
            let explained = try #require(await fixture.management.explain("D1").value)
            return explained.apps.flatMap(\.secrets).map(\.lacksValue)
        }
        #expect(try await lacksValue() == [true])
        try await set()
        #expect(try await credential(2) != nil)
        #expect(try await lacksValue() == [false])
    }

    @Test func aSealedValueOpensOnlyInItsPlace() throws {
        let keys = try MasterKeys(parsing: MasterKeys.newKeyText())
        let sealed = try keys.seal(Data("v".utf8), secret: "a", version: 1)
        #expect(try keys.open(sealed, secret: "a", version: 1) == Data("v".utf8))
        #expect(throws: SealRefusal.damaged) { try keys.open(sealed, secret: "a", version: 2) }
        #expect(throws: SealRefusal.damaged) { try keys.open(sealed, secret: "b", version: 1) }
        var bent = sealed
        bent.sealed[bent.sealed.startIndex + 20] ^= 1
        #expect(throws: SealRefusal.damaged) { try keys.open(bent, secret: "a", version: 1) }
        let others = try MasterKeys(parsing: MasterKeys.newKeyText())
        #expect(throws: SealRefusal.unknownMasterKey) { try others.open(sealed, secret: "a", version: 1) }
    }

    @Test(arguments: ["", "# nothing", "short", Data(count: 31).base64EncodedString()])
    func whatIsNoKeyIsRefused(text: String) {
        #expect(throws: MasterKeyRefusal.self) { try MasterKeys(parsing: text) }
    }
}
