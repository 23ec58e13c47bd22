import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// Secrets among the declarations: which are asked for, which serve, and when they are gone.
struct SecretEvaluationTests {
    private static let app = "com.example.app"

    private func set(
        _ config: AppConfig?, extensions: [String: AppConfig] = [:], token: String = "1",
        _ assets: [String: CredentialAsset.Kind]
    ) -> [String: Declaration] {
        var all = [
            Declaration(identifier: "act", serverToken: "1", SimpleActivation(standardConfigurations: ["app"])),
            Declaration(
                identifier: "app", serverToken: token,
                AppManagedConfiguration(
                    source: .composedIdentifier(Self.app), appConfig: config, extensionConfigs: extensions)),
        ]
        all += assets.map { identifier, kind in
            CredentialAsset(kind, document: DataAsset(dataURL: "https://h/c"))
                .declaration(identifier: identifier, serverToken: token)
        }
        return Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
    }

    private func secret(_ identifier: String, _ asset: String) -> AppConfig.Secret {
        AppConfig.Secret(identifier: identifier, assetReference: asset)
    }

    private func here(_ digest: String, token: String = "1") -> SecretResult {
        .here(ProvisionedSecret(serverToken: token, digest: digest))
    }

    private func applied(
        _ declarations: [String: Declaration], _ results: [String: SecretResult] = [:], previous: Applied = Applied()
    ) -> Applied {
        let evaluation = Evaluation(declarations, previous: previous)
        let secrets = evaluation.secretsHere(previous).merging(results) { _, new in new }
        return evaluation.outcome(assets: [:], secrets: secrets, previous: previous)
    }

    private func codes(_ applied: Applied, _ identifier: String) -> [String] {
        applied.verdicts[identifier]?.reasons.map(\.code) ?? []
    }

    @Test func eachKindOfSecretServesItsAppUnderItsName() {
        let config = AppConfig(
            passwords: [secret("b", "pw"), secret("a", "pw")], identities: [secret("b", "id")],
            certificates: [secret("b", "cert")])
        let applied = applied(
            set(config, ["pw": .userNameAndPassword, "id": .scep, "cert": .certificate]),
            ["pw": here("d1"), "id": here("d2"), "cert": here("d3")])
        let secrets = AppSecrets(applied.apps[Self.app]?.secrets ?? [])
        #expect(secrets.of(.password).map(\.identifier) == ["b", "a"], "in the order of the administrator")
        #expect(secrets.digest(.identity, "b") == "d2" && secrets.digest(.certificate, "b") == "d3")
        #expect(secrets.digest(.identity, "a") == nil)
        #expect(applied.digests == ["d1", "d2", "d3"] && applied.secretDigests == applied.digests)
        for name in ["act", "app", "pw", "id", "cert"] { #expect(applied.verdicts[name]?.valid == .valid) }
    }

    /// Protocol §9: only when some active configuration refers to it.
    @Test func aSecretThatNoActiveConfigurationNeedsIsNotAskedFor() {
        var declarations = set(AppConfig(passwords: [secret("a", "pw")]), ["pw": .userNameAndPassword])
        declarations["act"] = nil
        let evaluation = Evaluation(declarations, previous: Applied())
        #expect(evaluation.secretNeeds.isEmpty)
        #expect(evaluation.verdicts["pw"]?.reasons.map(\.code) == ["Info.NotReferencedByConfiguration"])
    }

    @Test(arguments: [
        ("password", CredentialAsset.Kind.certificate), ("password", .scep), ("certificate", .userNameAndPassword),
        ("identity", .certificate), ("identity", .userNameAndPassword),
    ])
    func anAssetOfAnotherKindThanItsPlaceIsRefused(place: String, kind: CredentialAsset.Kind) {
        var config = AppConfig()
        switch place {
        case "password": config.passwords = [secret("a", "x")]
        case "certificate": config.certificates = [secret("a", "x")]
        default: config.identities = [secret("a", "x")]
        }
        let applied = applied(set(config, ["x": kind]), ["x": here("d1")])
        #expect(codes(applied, "app") == ["Error.ConfigurationIsInvalid"])
        #expect(applied.apps[Self.app]?.secrets == [])
    }

    @Test func aDataAssetIsNoSecretAndASecretIsNoData() {
        var declarations = set(AppConfig(passwords: [secret("a", "x")]), [:])
        declarations["x"] = Declaration(identifier: "x", serverToken: "1", DataAsset(dataURL: "https://h/d"))
        #expect(codes(applied(declarations), "app") == ["Error.ConfigurationIsInvalid"])
        let reversed = set(AppConfig(dataAssetReference: "pw"), ["pw": .userNameAndPassword])
        #expect(codes(applied(reversed, ["pw": here("d")]), "app") == ["Error.ConfigurationIsInvalid"])
    }

    @Test func twoSecretsOfAKindWithOneNameAreRefused() {
        let twice = AppConfig(passwords: [secret("a", "pw"), secret("a", "pw")])
        let applied = applied(set(twice, ["pw": .userNameAndPassword]), ["pw": here("d")])
        #expect(codes(applied, "app") == ["Error.ConfigurationIsInvalid"])
    }

    /// The three kinds have namespaces of their own.
    @Test func oneNameMayNameASecretOfEachKind() {
        let config = AppConfig(passwords: [secret("a", "pw")], certificates: [secret("a", "cert")])
        let applied = applied(
            set(config, ["pw": .userNameAndPassword, "cert": .certificate]), ["pw": here("d"), "cert": here("e")])
        #expect(applied.verdicts["app"]?.valid == .valid)
    }

    @Test func aMissingAssetIsNamed() {
        let applied = applied(set(AppConfig(passwords: [secret("a", "gone")]), [:]))
        #expect(codes(applied, "app") == ["Error.MissingAssets"])
        #expect(applied.verdicts["app"]?.reasons.first?.details?["AssetIdentifiers"] == .array([.string("gone")]))
    }

    /// A secret whose newer version cannot be had keeps its older value, and the server reads that it does.
    @Test(arguments: [AssetRefusal.download("no"), .verification("no"), .content("no")])
    func aNewerVersionThatCannotBeHadLeavesTheOlderOneServing(refusal: AssetRefusal) {
        let config = AppConfig(passwords: [secret("a", "pw")])
        let before = applied(set(config, ["pw": .userNameAndPassword]), ["pw": here("d1")])
        let changed = set(config, token: "2", ["pw": .userNameAndPassword])
        var after = before
        for _ in 0..<2 {
            after = applied(changed, ["pw": .refused(refusal)], previous: after)
            #expect(AppSecrets(after.apps[Self.app]?.secrets ?? []).digest(.password, "a") == "d1")
            #expect(after.digests == ["d1"] && after.apps[Self.app]?.absences == [])
            #expect(after.verdicts["pw"]?.valid == .invalid && after.verdicts["app"]?.valid == .invalid)
            #expect(codes(after, "app") == ["Error.MissingAssets"])
            #expect(after.isComplete == !refusal.mayHeal)
            #expect(after.apps[Self.app]?.reasons.map(\.code) == ["Error.SecretNotUpdated"])
            #expect(Evaluation(changed, previous: after).secretsHere(after).isEmpty, "it is asked for again")
        }
        let whole = applied(changed, ["pw": here("d2", token: "2")], previous: after)
        #expect(whole.digests == ["d2"] && whole.apps[Self.app]?.reasons == [])
    }

    /// An app that never had the older version of a shared asset is not given it in place of the newer one.
    @Test func anOlderVersionServesOnlyTheAppThatHadIt() {
        let config = AppConfig(passwords: [secret("a", "pw")])
        let before = applied(set(config, ["pw": .userNameAndPassword]), ["pw": here("d1")])
        let renamed = AppConfig(passwords: [secret("b", "pw")])
        let after = applied(
            set(renamed, token: "2", ["pw": .userNameAndPassword]), ["pw": .refused(.download("no"))], previous: before)
        #expect(after.apps[Self.app]?.secrets == [] && after.digests.isEmpty)
        #expect(after.apps[Self.app]?.absences == [AppSecrets.Absence(.password, "b", .server)])
    }

    /// A certificate of a superseded version is not renewed, and hides no other renewal that is due.
    @Test func anOlderVersionThatServesIsNotRenewed() {
        let config = AppConfig(identities: [secret("a", "id")])
        let now = Date(timeIntervalSince1970: 1_000)
        let renewal = Renewal(from: now, until: now + 1_000, now: now, jitter: 0)
        let issued = SecretResult.here(ProvisionedSecret(serverToken: "1", digest: "d1", renewal: renewal))
        var state = AgentState(udid: "u")
        state.declarations.all = set(config, ["id": .scep])
        state.applied = applied(state.declarations.all, ["id": issued])
        #expect(state.nextRenewal == renewal.due)
        state.declarations.all = set(config, token: "2", ["id": .scep])
        state.applied = applied(
            state.declarations.all, ["id": .refused(.download("no"))], previous: state.applied)
        #expect(state.applied.digests == ["d1"] && state.nextRenewal == nil)
    }

    /// S4-SECRET-01, D3: a secret that cannot be had withholds itself and nothing else, also on the first assignment; the app
    /// is told apart what it was not given from what could not be had, and where.
    @Test(
        arguments: [
            (AssetRefusal.download("no"), AppSecrets.Absence.Place.server), (.verification("no"), .server),
            (.content("no"), .device),
        ], [true, false])
    func aSecretThatCannotBeHadWithholdsNothingElse(
        failure: (refusal: AssetRefusal, place: AppSecrets.Absence.Place), isFirst: Bool
    ) throws {
        let config = AppConfig(
            dataAssetReference: "data", passwords: [secret("failed", "p1")], identities: [secret("arrives", "id")],
            certificates: [secret("kept", "cert")])
        let kinds: [String: CredentialAsset.Kind] = ["p1": .userNameAndPassword, "id": .scep, "cert": .certificate]
        let before =
            isFirst
            ? Applied()
            : applied(
                set(AppConfig(certificates: [secret("kept", "cert")]), ["cert": .certificate]), ["cert": here("d1")])
        var declarations = set(config, token: "2", kinds)
        declarations["data"] = Declaration(identifier: "data", serverToken: "2", DataAsset(dataURL: "https://h/d"))
        let evaluation = Evaluation(declarations, previous: before)
        func outcome(_ password: SecretResult, after previous: Applied) -> Applied {
            evaluation.outcome(
                assets: ["data": .here(digest: "c2")],
                secrets: ["p1": password, "id": here("d2", token: "2"), "cert": here("d1", token: "2")],
                previous: previous)
        }
        let after = outcome(.refused(failure.refusal), after: before)
        let app = try #require(after.apps[Self.app])
        #expect(app.configuration == "c2", "the configuration arrives")
        let secrets = AppSecrets(app.secrets, absences: app.absences)
        #expect(secrets.digest(.identity, "arrives") == "d2" && secrets.digest(.certificate, "kept") == "d1")
        #expect(secrets.absences == [AppSecrets.Absence(.password, "failed", failure.place)])
        #expect(secrets.absence(.password, "arrives") == nil, "each kind has names of its own")
        // The absence is reported with its reason.
        #expect(codes(after, "app") == ["Error.MissingAssets"])
        let missing = after.verdicts["app"]?.reasons.first?.details
        #expect(missing?["AssetIdentifiers"] == .array([.string("p1")]))
        let reason = try #require(app.reasons.first { $0.code == "Error.SecretUnavailable" })
        #expect(app.reasons.count == 1)
        #expect(reason.details?["Kind"]?.string == "password" && reason.details?["Identifier"]?.string == "failed")
        #expect(reason.details?["Error"]?.string == "no")
        #expect(reason.details?["Reason"]?.string == after.verdicts["p1"]?.reasons.first?.code)
        // Once it is to be had nothing is absent any more.
        let whole = outcome(here("d3", token: "2"), after: after)
        #expect(whole.apps[Self.app]?.absences == [] && whole.apps[Self.app]?.secrets.count == 3)
        #expect(whole.apps[Self.app]?.reasons == [] && whole.verdicts["app"]?.valid == .valid)
    }

    /// What a declaration names that is wrong in itself was not given, and the server reads that nothing of it is applied.
    @Test func aDeclarationThatIsWrongGivesNothingAndSaysSo() {
        let wrong = applied(set(AppConfig(passwords: [secret("failed", "gone")]), [:]))
        #expect(wrong.apps[Self.app]?.absences == [])
        #expect(wrong.apps[Self.app]?.reasons.map(\.code) == ["Error.ConfigurationNotApplied"])
    }

    /// A configuration whose own data cannot be had keeps the one before; its secrets are not withheld for that.
    @Test func secretsArriveAlsoWhereTheConfigurationCannotBeHad() throws {
        let config = AppConfig(dataAssetReference: "data", passwords: [secret("a", "pw")])
        func declarations(_ token: String) -> [String: Declaration] {
            var all = set(config, token: token, ["pw": .userNameAndPassword])
            all["data"] = Declaration(identifier: "data", serverToken: token, DataAsset(dataURL: "https://h/d"))
            return all
        }
        let before = Evaluation(declarations("1"), previous: Applied()).outcome(
            assets: ["data": .here(digest: "c1")], secrets: ["pw": here("d1")], previous: Applied())
        let after = Evaluation(declarations("2"), previous: before).outcome(
            assets: ["data": .refused(.verification("no"))], secrets: ["pw": here("d2", token: "2")], previous: before)
        let app = try #require(after.apps[Self.app])
        #expect(app.configuration == "c1" && app.secrets.map(\.digest) == ["d2"])
        #expect(codes(after, "app") == ["Error.ConfigurationCannotBeApplied"])
        #expect(app.reasons.map(\.code) == ["Error.ConfigurationNotApplied"])
        #expect(app.reasons.first?.details?["Reason"]?.string == "Error.AssetCannotBeVerified")
    }

    /// Withdrawal beats: what the new declaration no longer names is gone, also when the rest of it fails.
    @Test func whatIsWithdrawnIsGoneAlsoWhenTheUpdateFails() {
        let both = AppConfig(passwords: [secret("kept", "p1"), secret("withdrawn", "p2")])
        let before = applied(
            set(both, ["p1": .userNameAndPassword, "p2": .userNameAndPassword]), ["p1": here("d1"), "p2": here("d2")])
        let after = applied(
            set(AppConfig(passwords: [secret("kept", "p1")]), token: "2", ["p1": .userNameAndPassword]),
            ["p1": .refused(.download("no"))], previous: before)
        #expect(after.apps[Self.app]?.secrets.map(\.identifier) == ["kept"])
        #expect(after.digests == ["d1"])
    }

    @Test func aSecretWithTheSameTokenIsNotFetchedAgain() {
        let declarations = set(AppConfig(passwords: [secret("a", "pw")]), ["pw": .userNameAndPassword])
        let before = applied(declarations, ["pw": here("d1")])
        #expect(Evaluation(declarations, previous: before).secretsHere(before) == ["pw": here("d1")])
        let changed = set(AppConfig(passwords: [secret("a", "pw")]), token: "2", ["pw": .userNameAndPassword])
        #expect(Evaluation(changed, previous: before).secretsHere(before).isEmpty)
    }

    /// S4-VPN-03: an extension may hold secrets its app cannot read, and the other way round.
    @Test func secretsOfAnExtensionAreKeptApart() {
        let applied = applied(
            set(
                AppConfig(passwords: [secret("a", "p1")]),
                extensions: ["com.example.app.vpn (TEAM)": AppConfig(passwords: [secret("a", "p2")])],
                ["p1": .userNameAndPassword, "p2": .userNameAndPassword]), ["p1": here("d1"), "p2": here("d2")])
        #expect(applied.apps[Self.app]?.secrets.map(\.digest) == ["d1"])
        #expect(applied.apps[Self.app]?.extensionSecrets["com.example.app.vpn (TEAM)"]?.map(\.digest) == ["d2"])
        #expect(applied.digests == ["d1", "d2"])
    }

    @Test func aRenewedSecretTakesThePlaceOfTheOldOneEverywhere() {
        let config = AppConfig(identities: [secret("a", "id"), secret("b", "id")])
        var state = applied(set(config, ["id": .scep]), ["id": here("d1")])
        let generation = state.generation
        state.replaceSecret(of: "id", with: ProvisionedSecret(serverToken: "1", digest: "d2"))
        #expect(state.digests == ["d2"] && state.generation == generation + 1)
        #expect(state.apps[Self.app]?.secrets.map(\.digest) == ["d2", "d2"])
    }

    /// A generation written before there were secrets is read as one without any.
    @Test func aGenerationOfAnEarlierAgentIsRead() throws {
        var state = AgentState(udid: "u")
        state.applied.apps["a"] = AppliedApp(composedIdentifier: "a", declarationIdentifier: "d", configuration: "c")
        let encoded = try JSONEncoder().encode(state)
        var object = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        var applied = try #require(object["applied"] as? [String: Any])
        var apps = try #require(applied["apps"] as? [String: [String: Any]])
        for key in ["secrets", "absences", "extensionSecrets"] { #expect(apps["a"]?.removeValue(forKey: key) != nil) }
        applied["apps"] = apps
        #expect(applied.removeValue(forKey: "secrets") != nil)
        object["applied"] = applied
        let earlier = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(AgentState.self, from: earlier) == state)
    }

    // MARK: - Renewal

    @Test(arguments: [(0.0, 6_000_000.0), (1, 5_250_000)])
    func aCertificateIsDueAtTwoThirdsOfItsLifeOrALittleBefore(jitter: Double, due: Double) {
        let begins = Date(timeIntervalSince1970: 1_000)
        let renewal = Renewal(from: begins, until: begins + 9_000_000, now: begins, jitter: jitter)
        #expect(abs(renewal.due.timeIntervalSince(begins) - due) < 1)
    }

    /// A clock that is wrong makes nobody ask again and again.
    @Test func aCertificateThatIsOldWhenItComesIsNotAskedForAgainAtOnce() {
        let begins = Date(timeIntervalSince1970: 0)
        let late = Renewal(from: begins, until: begins + 1_000_000, now: begins + 990_000, jitter: 0)
        #expect(late.due == begins + 1_090_000)
        let none = Renewal(from: begins, until: begins, now: begins, jitter: 0)
        #expect(none.due == begins + 60)
    }

    @Test func aRenewalThatFailedIsTriedAgainMoreOftenTowardsTheEnd() {
        let begins = Date(timeIntervalSince1970: 0)
        var renewal = Renewal(from: begins, until: begins + 1_000_000, now: begins, jitter: 0)
        renewal.failed(at: begins + 700_000)
        #expect(renewal.due == begins + 700_000 + 21_600, "at most six hours")
        renewal.failed(at: begins + 990_000)
        #expect(renewal.due == begins + 991_000, "a tenth of what is left")
        renewal.failed(at: begins + 2_000_000)
        #expect(renewal.due == begins + 2_000_060, "at least a minute, also when it is over")
    }

    /// An extension learns which of its secrets are missing, as an app does.
    @Test func anExtensionIsToldWhyItDoesNotHaveASecret() {
        let config = AppConfig(passwords: [secret("a", "pw"), secret("b", "late")])
        let name = "com.example.app.tunnel (T)"
        let applied = applied(
            set(nil, extensions: [name: config], ["pw": .userNameAndPassword, "late": .userNameAndPassword]),
            ["pw": here("d1")])
        let app = applied.apps[Self.app]
        #expect(app?.absences.isEmpty == true && app?.extensionAbsences.keys.sorted() == [name])
        #expect(app?.extensionAbsences[name]?.contains { $0.identifier == "b" && $0.place == .server } == true)
    }
}
