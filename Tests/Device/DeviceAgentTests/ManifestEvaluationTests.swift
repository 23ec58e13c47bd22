import DeviceAgent
import DeviceMessages
import Foundation
import Testing

/// Apps that are declared by a manifest, and whose packages may be installed (A01).
struct ManifestEvaluationTests {
    private func activation(_ names: [String]) -> Declaration {
        Declaration(identifier: "act", serverToken: "1", SimpleActivation(standardConfigurations: names))
    }

    private func asset() -> Declaration {
        Declaration(identifier: "asset", serverToken: "1", DataAsset(dataURL: "https://host/asset"))
    }

    private func all(_ declarations: Declaration...) -> [String: Declaration] {
        Dictionary(uniqueKeysWithValues: declarations.map { ($0.identifier, $0) })
    }

    private func codes(_ applied: Applied, _ identifier: String) -> [String] {
        applied.verdicts[identifier]?.reasons.map(\.code) ?? []
    }

    private func app(_ identifier: String) -> Declaration {
        Declaration(
            identifier: identifier, serverToken: "1",
            AppManagedConfiguration(
                source: .composedIdentifier("com.example.app"), appConfig: AppConfig(dataAssetReference: "asset")))
    }

    private func managed(_ identifier: String, url: String, token: String = "1") -> Declaration {
        Declaration(
            identifier: identifier, serverToken: token,
            AppManagedConfiguration(
                source: .manifestURL(url), install: .optional, appConfig: AppConfig(dataAssetReference: "asset")))
    }

    private func known(_ bundle: String) -> ManifestResult {
        .here(
            KnownManifest(
                AppManifest(
                    bundleIdentifier: bundle, bundleVersion: "2", title: "App", url: "https://host/p", check: .none),
                serverToken: "1"))
    }

    /// A01: which app a manifest means is known by the manifest alone.
    @Test func aManifestSaysWhichAppIsConfigured() {
        let set = all(activation(["app"]), managed("app", url: "https://host/m"), asset())
        #expect(
            AppsSystem.manifestNeeds(set).map { [$0.identifier, $0.serverToken, $0.url] }
                == [["app", "1", "https://host/m"]])
        let evaluation = Evaluation(set, manifests: ["app": known("com.example.app")], previous: Applied())
        let applied = evaluation.outcome(assets: ["asset": .here(digest: "d1")], previous: Applied())
        #expect(applied.apps["com.example.app"]?.configuration == "d1")
        #expect(applied.apps["com.example.app"]?.manifest?.url == "https://host/m")
        #expect(applied.apps["com.example.app"]?.isOptional == true)
        #expect(applied.manifests["app"]?.bundleIdentifier == "com.example.app")
        #expect(applied.isComplete)
    }

    @Test func withoutItsManifestAnAppKeepsWhatItHas() {
        let set = all(activation(["app"]), managed("app", url: "https://host/m"), asset())
        let first = Evaluation(set, manifests: ["app": known("com.example.app")], previous: Applied())
            .outcome(assets: ["asset": .here(digest: "d1")], previous: Applied())
        for (refusal, isComplete, code) in [
            (AssetRefusal.download("gone"), false, "Error.DownloadFailed"),
            (.content("not one"), true, "Error.InvalidAppID"),
        ] {
            let evaluation = Evaluation(set, manifests: ["app": .refused(refusal)], previous: first)
            let applied = evaluation.outcome(assets: evaluation.alreadyHere(first), previous: first)
            #expect(applied.apps["com.example.app"]?.configuration == "d1")
            #expect(applied.isComplete == isComplete)
            #expect(codes(applied, "app") == [code])
        }
    }

    @Test func aManifestAndAComposedIdentifierOfTheSameAppAreOneTooMany() {
        let set = all(activation(["a", "b"]), app("a"), managed("b", url: "https://host/m"), asset())
        let applied = Evaluation(set, manifests: ["b": known("com.example.app")], previous: Applied())
            .outcome(assets: ["asset": .here(digest: "d1")], previous: Applied())
        #expect(codes(applied, "b") == ["Error.DuplicateConfiguredApp"])
        #expect(applied.apps["com.example.app"]?.manifest == nil)
    }

    @Test func theTeamsOfAllTrustConfigurationsAreTrustedWhileTheyAreActive() {
        func trust(_ identifier: String, _ byte: UInt8) -> Declaration {
            Declaration(identifier: identifier, serverToken: "1", AppTrustConfiguration(teams: [Data([byte])]))
        }
        let declarations = all(activation(["one", "two"]), trust("one", 1), trust("two", 2), trust("three", 3))
        let applied = Evaluation(declarations, previous: Applied()).outcome(assets: [:], previous: Applied())
        #expect(applied.teams == [Data([1]), Data([2])])
    }
}
