import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

struct ManifestCompilerTests {
    private let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
    private let reference = AssignmentSnapshot.ConfigurationReference(
        sha256: String(repeating: "ab", count: 32), size: 42, encoding: .xml)

    private func entry(
        _ app: String, team: String? = "TEAM", order: Int = 1, revision: Int = 0,
        _ reference: AssignmentSnapshot.ConfigurationReference?
    ) -> AssignmentSnapshot.Entry {
        AssignmentSnapshot.Entry(
            app: App(bundleIdentifier: app, name: "Any name", teamIdentifier: team, revision: revision),
            configuration: reference, order: order)
    }

    private func compile(_ entries: AssignmentSnapshot.Entry...) throws -> Manifest {
        compiler.compile(
            AssignmentSnapshot(entries: entries, changed: Date(timeIntervalSince1970: 1_800_000_000)))
    }

    private func tokens(_ manifest: Manifest) throws -> [String: String] {
        let items = try JSONValue(parsing: manifest.itemsDocument, limits: .statusReport)
        var tokens: [String: String] = [:]
        for list in try #require(items["Declarations"]?.object).values {
            for item in try #require(list.array) {
                tokens[try #require(item["Identifier"]?.string)] = item["ServerToken"]?.string
            }
        }
        return tokens
    }

    /// Golden: a change of these bytes makes every device of every fleet fetch everything again.
    @Test func writesTheSameBytesForEver() throws {
        let manifest = try compile(entry("com.example.app", reference))
        func text(_ name: String) -> String { String(decoding: manifest.declarations[name] ?? Data(), as: UTF8.self) }
        #expect(
            text("configuration/martlet.app.com.example.app") == """
                {"Identifier":"martlet.app.com.example.app","Payload":{"AppComposedIdentifier":"com.example.app (TEAM)",\
                "AppConfig":{"DataAssetReference":"martlet.data.com.example.app"},"InstallBehavior":{"Install":"Required"}},\
                "ServerToken":"09e0d5a39824e346ed6113e806a086c7d558e625a3e9ff1ec62eb08e2ef319cc",\
                "Type":"com.apple.configuration.app.managed"}
                """)
        #expect(
            text("asset/martlet.data.com.example.app") == """
                {"Identifier":"martlet.data.com.example.app","Payload":{"Authentication":{"Type":"MDM"},"Reference":\
                {"ContentType":"application/xml","DataURL":"https://mdm.example.com/mdm/assets/\(reference.sha256)",\
                "Hash-SHA-256":"\(reference.sha256)","Size":42}},\
                "ServerToken":"2a4b5096f5438fbc49e36d9ffb7a2481eeb6d407de67b9d1d17079b274bcc893",\
                "Type":"com.apple.asset.data"}
                """)
        #expect(
            String(decoding: manifest.tokensDocument, as: UTF8.self) == """
                {"SyncTokens":{"DeclarationsToken":"ad6b6fb641596264b549adf7d1e8277b1f7d7d948f0f226dda215f32a66c33e5",\
                "Timestamp":"2027-01-15T08:00:00Z"}}
                """)
    }

    @Test func namesEveryDeclarationInTheItemsAndActivatesEveryConfiguration() throws {
        let manifest = try compile(entry("com.example.b", nil), entry("com.example.a", reference))
        #expect(
            Set(try tokens(manifest).keys)
                == Set(manifest.declarations.keys.map { String($0.split(separator: "/")[1]) }))
        let activation = try JSONValue(
            parsing: try #require(manifest.declarations["activation/martlet.activation"]), limits: .statusReport)
        #expect(
            activation["Payload"]?["StandardConfigurations"]?.array?.map(\.string) == [
                "martlet.app.com.example.a", "martlet.app.com.example.b", "martlet.status",
            ])
        let documents = try manifest.declarations.values.map { try Declaration(parsing: $0) }
        #expect(documents.allSatisfy { $0.identifier.utf8.count <= 64 && $0.serverToken.utf8.count <= 64 })
    }

    @Test func doesNotDependOnTheOrderOfWhatItReads() throws {
        let entries = (0..<20).map { entry("com.example.app\($0)", order: $0, reference) }
        let first = compiler.compile(AssignmentSnapshot(entries: entries, changed: .distantPast))
        for _ in 0..<5 {
            let other = compiler.compile(AssignmentSnapshot(entries: entries.shuffled(), changed: .distantPast))
            #expect(other == first)
        }
    }

    @Test func letsTheAssignmentMadeLastCount() throws {
        let other = AssignmentSnapshot.ConfigurationReference(
            sha256: String(repeating: "cd", count: 32), size: 1, encoding: .binary)
        let manifest = try compile(
            entry("com.example.app", order: 2, other), entry("com.example.app", order: 1, reference))
        #expect(Array(manifest.assets.keys) == [other.sha256])
        #expect(manifest.assets[other.sha256]?.mediaType == "application/x-plist")
    }

    /// Removing `app.managed` deletes the app from a device, so an edit may change only tokens (D2).
    @Test func changesOnlyTheTokensOfWhatChanged() throws {
        let before = try tokens(compile(entry("com.example.app", reference), entry("com.example.b", reference)))
        let edited = AssignmentSnapshot.ConfigurationReference(
            sha256: String(repeating: "cd", count: 32), size: 42, encoding: .xml)
        let after = try tokens(compile(entry("com.example.app", edited), entry("com.example.b", reference)))
        #expect(before.keys.sorted() == after.keys.sorted())
        #expect(before.filter { after[$0.key] != $0.value }.map(\.key) == ["martlet.data.com.example.app"])
    }

    @Test func aRaisedRevisionChangesTheTokenOfTheSameContent() throws {
        let before = try tokens(compile(entry("com.example.app", reference)))
        let after = try tokens(compile(entry("com.example.app", revision: 1, reference)))
        #expect(before.filter { after[$0.key] != $0.value }.map(\.key) == ["martlet.app.com.example.app"])
    }

    /// One asset under one name, whatever refers to it: a change of the delivery changes the app's declaration alone.
    @Test(arguments: Assignment.Delivery.allCases)
    func theDeliverySaysWhichReferencesNameTheAsset(delivery: Assignment.Delivery) throws {
        func delivered(_ delivery: Assignment.Delivery, _ extensions: Bool = false) throws -> Manifest {
            try compile(
                AssignmentSnapshot.Entry(
                    app: App(bundleIdentifier: "com.example.app", name: "Any name", teamIdentifier: "TEAM"),
                    configuration: reference, extensions: extensions ? ["com.example.app.x": reference] : [:], order: 1,
                    delivery: delivery))
        }
        let asset = "martlet.data.com.example.app"
        let manifest = try delivered(delivery, true)
        let document = try #require(manifest.declarations["configuration/martlet.app.com.example.app"])
        let app = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
        #expect(app.appConfig?.dataAssetReference == (delivery == .defaults ? nil : asset))
        #expect(app.legacyAppConfigAssetReference == (delivery == .framework ? nil : asset))
        #expect(manifest.declarations["asset/\(asset)"] != nil && manifest.assets[reference.sha256] != nil)
        #expect(app.extensionConfigs["com.example.app.x (TEAM)"]?.dataAssetReference != nil, "they have no dictionary")
        let (before, after) = (try tokens(delivered(.framework)), try tokens(delivered(delivery)))
        let moved = before.filter { after[$0.key] != $0.value }.map(\.key)
        #expect(before.keys.sorted() == after.keys.sorted())
        #expect(moved == (delivery == .framework ? [] : ["martlet.app.com.example.app"]))
    }

    @Test func differentSetsHaveDifferentTokens() throws {
        let manifests = [
            try compile(), try compile(entry("com.example.app", nil)), try compile(entry("com.example.app", reference)),
            try compile(entry("com.example.app", team: nil, reference)),
            try compile(entry("com.example.ap", reference)),
        ]
        #expect(Set(manifests.map(\.declarationsToken)).count == manifests.count)
    }

    @Test func keepsLongIdentifiersWithinTheWireAndApart() throws {
        let long = (0..<2).map { "com.example." + String(repeating: "x", count: 100) + "\($0)" }
        let manifest = try compile(entry(long[0], reference), entry(long[1], reference))
        let identifiers = try tokens(manifest).keys
        #expect(identifiers.allSatisfy { $0.utf8.count <= 64 })
        #expect(identifiers.count == 8)
    }

    @Test func namesAnAppWithoutTeamByItsBundleAlone() throws {
        let manifest = try compile(entry("com.example.app", team: nil, nil))
        let document = try #require(manifest.declarations["configuration/martlet.app.com.example.app"])
        let payload = try Declaration(parsing: document).payload
        #expect(payload["AppComposedIdentifier"]?.string == "com.example.app")
        #expect(payload["AppConfig"] == nil)
    }

    /// S4-FLOW-04: one declaration carries the app, its configuration and those of its extensions, each its own.
    @Test func givesEachExtensionItsOwnConfiguration() throws {
        let other = AssignmentSnapshot.ConfigurationReference(
            sha256: String(repeating: "cd", count: 32), size: 7, encoding: .xml)
        func manifest(_ extensions: [String: AssignmentSnapshot.ConfigurationReference]) throws -> Manifest {
            var one = entry("com.example.app", reference)
            one.extensions = extensions
            return try compile(one)
        }
        let both = try manifest(["com.example.app.tunnel": other, "com.example.app.keys": reference])
        let document = try #require(both.declarations["configuration/martlet.app.com.example.app"])
        let app = try AppManagedConfiguration(payload: Declaration(parsing: document).payload)
        #expect(
            Set(app.extensionConfigs.keys) == ["com.example.app.tunnel (TEAM)", "com.example.app.keys (TEAM)"])
        let tunnel = try #require(app.extensionConfigs["com.example.app.tunnel (TEAM)"]?.dataAssetReference)
        let asset = try Declaration(parsing: try #require(both.declarations["asset/\(tunnel)"]))
        #expect(asset.payload["Reference"]?["Hash-SHA-256"]?.string == other.sha256)
        #expect(both.assets[other.sha256]?.size == 7 && tunnel.utf8.count == 64)
        #expect(app.appConfig?.dataAssetReference == "martlet.data.com.example.app")
        // Another version changes one asset; another extension changes the app's declaration as well.
        let edited = try tokens(manifest(["com.example.app.tunnel": reference, "com.example.app.keys": reference]))
        #expect(try tokens(both).filter { edited[$0.key] != $0.value }.map(\.key) == [tunnel])
        let fewer = try tokens(manifest(["com.example.app.keys": reference]))
        #expect(
            try Set(tokens(both).filter { fewer[$0.key] != $0.value }.map(\.key)) == [
                tunnel, "martlet.app.com.example.app",
            ])
    }
}
