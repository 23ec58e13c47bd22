import DeviceMessages
import Foundation
import InputBounds
import Testing

struct DeclarationTests {
    @Test func readsAndWritesTokens() throws {
        let response = try TokensResponse(parsing: Golden.data("tokens.json"))
        #expect(response.syncTokens.declarationsToken == "6f1ed002ab5595859014ebf0951522d9")
        #expect(response.syncTokens.timestamp == Date(timeIntervalSince1970: 1_769_846_400))
        #expect(
            String(decoding: response.encoded(), as: UTF8.self)
                == #"{"SyncTokens":{"DeclarationsToken":"6f1ed002ab5595859014ebf0951522d9","#
                + #""Timestamp":"2026-01-31T08:00:00Z"}}"#)
    }

    @Test func readsAndWritesTheListOfDeclarations() throws {
        let items = try DeclarationItems(parsing: Golden.data("declaration-items.json"))
        #expect(items[.configuration].map(\.identifier) == ["app.com.example.Landmarks", "lonely"])
        #expect(items[.asset] == [ItemReference(identifier: "data.com.example.Landmarks", serverToken: "d1")])
        #expect(try DeclarationItems(parsing: items.encoded()) == items)
        let empty = String(decoding: DeclarationItems(declarationsToken: "t").encoded(), as: UTF8.self)
        #expect(
            empty
                == #"{"Declarations":{"Activations":[],"Assets":[],"Configurations":[],"Management":[]},"DeclarationsToken":"t"}"#
        )
    }

    @Test func refusesAnIdentifierThatIsListedTwice() throws {
        let twice = [ItemReference(identifier: "a", serverToken: "1")]
        let items = DeclarationItems(activations: twice, assets: twice, declarationsToken: "t")
        #expect(throws: InputRefusal(rule: "a declaration is listed twice")) {
            try DeclarationItems(parsing: items.encoded())
        }
    }

    /// S4-CAP-01: the app's and its extensions' configurations and secrets are all there; other keys survive.
    @Test func readsAManagedApp() throws {
        let declaration = try Declaration(parsing: Golden.data("app-managed.json"))
        #expect(declaration.kind == .configuration)
        let app = try declaration.read(AppManagedConfiguration.self)
        #expect(app.source == .composedIdentifier("com.example.Landmarks (ABCDE12345)"))
        #expect(app.bundleIdentifier == "com.example.Landmarks")
        #expect(app.install == .required)
        #expect(app.appConfig?.passwords == [AppConfig.Secret(identifier: "login", assetReference: "a-pw")])
        #expect(app.extensionConfigs["com.example.Landmarks.vpn (ABCDE12345)"]?.identities.first?.identifier == "vpn")
        #expect(app.assetReferences == ["a-acme", "a-acme2", "a-cert", "a-data", "a-pw"])
        #expect(app.payload == declaration.payload)
        let again = Declaration(identifier: declaration.identifier, serverToken: "7", app)
        #expect(again == declaration)
        #expect(try Declaration(parsing: again.encoded()) == declaration)
    }

    @Test func readsInstallAsOptionalWhereItIsNotSaid() throws {
        let payload = JSONValue.object(["BundleID": .string("a.b")])
        #expect(try AppManagedConfiguration(payload: payload).install == .optional)
    }

    @Test(
        arguments: [
            [:], ["BundleID": .string("a"), "ManifestURL": .string("https://m")], ["BundleID": .integer(1)],
            ["BundleID": .string("a"), "InstallBehavior": .object(["Install": .string("Never")])],
            ["BundleID": .string("a"), "AppConfig": .array([])],
            ["BundleID": .string("a"), "AppConfig": .object(["Passwords": .array([.object([:])])])],
        ] as [[String: JSONValue]])
    func refusesAManagedAppThatIsMalformed(payload: [String: JSONValue]) {
        #expect(throws: InputRefusal.self) { try AppManagedConfiguration(payload: .object(payload)) }
    }

    @Test func readsADataAssetWithTheDigestInEitherForm() throws {
        let asset = try Declaration(parsing: Golden.data("asset-data.json")).read(DataAsset.self)
        #expect(asset.size == 3)
        #expect(asset.contentType == "application/x-plist")
        #expect(asset.authentication == .mdm)
        let digest = try #require(asset.sha256)
        #expect(digest.prefix(4) == Data([0xBA, 0x78, 0x16, 0xBF]))
        let base64 = JSONValue.object([
            "Reference": .object([
                "DataURL": .string("https://s/a"), "Hash-SHA-256": .string(digest.base64EncodedString()),
            ])
        ])
        #expect(try DataAsset(payload: base64).sha256 == digest)
        #expect(try DataAsset(payload: asset.payload) == asset)
    }

    @Test(arguments: ["http://s/a", "ftp://s", "", "s"])
    func refusesAnAssetThatIsNotFetchedOverTLS(url: String) {
        let payload = JSONValue.object(["Reference": .object(["DataURL": .string(url)])])
        #expect(throws: InputRefusal.self) { try DataAsset(payload: payload) }
    }

    @Test func survivesBeingWrittenInEverySmallType() throws {
        let activation = SimpleActivation(standardConfigurations: ["a", "b"], predicate: "@property(shard) <= 75")
        #expect(try SimpleActivation(payload: activation.payload) == activation)
        let subscriptions = StatusSubscriptions(names: ["app.managed.list", "device.identifier.udid"])
        #expect(try StatusSubscriptions(payload: subscriptions.payload) == subscriptions)
        #expect(try ServerCapabilities(payload: ServerCapabilities().payload) == ServerCapabilities())
        let organization = OrganizationInfo(name: "Example", email: "it@example.com", url: "https://example.com")
        #expect(try OrganizationInfo(payload: organization.payload) == organization)
    }

    @Test func namesTheKeysItDoesNotKnow() {
        let payload = JSONValue.object(["StandardConfigurations": .array([]), "Z": .null, "A": .null])
        #expect(SimpleActivation.unknownKeys(in: payload) == ["A", "Z"])
    }

    @Test(
        arguments: [
            ("com.apple.configuration.app.managed", DeclarationKind.configuration), ("com.apple.asset.data", .asset),
            ("com.apple.activation.simple", .activation), ("com.apple.management.properties", .management),
            ("com.apple.asset", nil), ("com.apple.asset.", nil), ("com.apple.other.a", nil), ("", nil),
        ] as [(String, DeclarationKind?)])
    func tellsTheKindByTheType(type: String, kind: DeclarationKind?) {
        #expect(DeclarationKind(type: type) == kind)
    }

    @Test func refusesTheWrongType() throws {
        let declaration = Declaration(identifier: "a", serverToken: "1", OrganizationInfo(name: "x"))
        #expect(throws: InputRefusal(rule: "the declaration has another type")) { try declaration.read(DataAsset.self) }
    }
}
