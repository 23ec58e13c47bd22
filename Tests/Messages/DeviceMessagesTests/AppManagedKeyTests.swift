import DeviceMessages
import InputBounds
import Testing

/// Each key that the published schema has for a managed app takes effect on a Martlet device or is reported; none is dropped
/// in silence.
struct AppManagedKeyTests {
    /// Keys with an effect.
    ///
    /// `AppStoreID` and `BundleID` are refused as a whole, since there is no store to install from.
    static let supported: Set = [
        "AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier", "InstallBehavior.Install",
        "UpdateBehavior.AutomaticAppUpdates", "AppConfig.DataAssetReference", "AppConfig.Passwords",
        "AppConfig.Identities", "AppConfig.Certificates", "ExtensionConfigs.ANY.DataAssetReference",
        "ExtensionConfigs.ANY.Passwords", "ExtensionConfigs.ANY.Identities", "ExtensionConfigs.ANY.Certificates",
        "LegacyAppConfigAssetReference",
    ]
    static let reported: Set = [
        "iOSApp", "InstallBehavior.License.Assignment", "InstallBehavior.License.VPPType", "InstallBehavior.Version",
        "InstallBehavior.AllowDownloadsOverCellular", "IncludeInBackup", "Attributes.AssociatedDomains",
        "Attributes.AssociatedDomainsEnableDirectDownloads", "Attributes.CellularSliceUUID",
        "Attributes.ContentFilterUUID", "Attributes.DNSProxyUUID", "Attributes.Hideable", "Attributes.Lockable",
        "Attributes.RelayUUID", "Attributes.TapToPayScreenLock", "Attributes.VPNUUID",
    ]

    /// A payload with one value, at a key path.
    static func payload(_ path: String) -> JSONValue {
        path.split(separator: ".").reversed().reduce(JSONValue.string("v")) { .object([String($1): $0]) }
    }

    @Test(arguments: supported.sorted()) func aKeyWithAnEffectIsNotReported(path: String) {
        #expect(AppManagedConfiguration.unknownKeys(in: Self.payload(path)) == [])
    }

    @Test(arguments: reported.sorted()) func aKeyWithoutAnEffectIsReportedByItsPath(path: String) throws {
        let unknown = AppManagedConfiguration.unknownKeys(in: Self.payload(path))
        #expect(unknown.count == 1)
        #expect(try (path + ".").hasPrefix(#require(unknown.first) + "."))
        #expect(unknown.first != "InstallBehavior" && unknown.first != "Attributes", "which one of them")
    }

    @Test func keysThatNobodyKnowsAreReportedAtEachLevel() {
        let secret = JSONValue.object(["Identifier": .string("a"), "AssetReference": .string("b"), "X": .null])
        let payload = JSONValue.object([
            "Surprise": .boolean(true), "Empty": .object([:]), "MartletLowestTrust": .string("launched"),
            "AppConfig": .object(["Y": .null, "Passwords": .array([secret, secret])]),
            "ExtensionConfigs": .object(["com.example.vpn (T)": .object(["Z": .null])]),
        ])
        #expect(
            AppManagedConfiguration.unknownKeys(in: payload) == [
                "AppConfig.Passwords.X", "AppConfig.Y", "Empty", "ExtensionConfigs.com.example.vpn (T).Z", "Surprise",
            ])
    }
}
