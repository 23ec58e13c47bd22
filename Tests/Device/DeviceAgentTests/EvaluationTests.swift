import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

struct EvaluationTests {
    private let bytes = Data("<plist version=\"1.0\"><dict/></plist>".utf8)

    private func activation(_ names: [String], identifier: String = "act", predicate: String? = nil) -> Declaration {
        Declaration(
            identifier: identifier, serverToken: "1",
            SimpleActivation(standardConfigurations: names, predicate: predicate))
    }

    private func app(
        _ identifier: String, _ composed: String = "com.example.app (TEAM)", asset: String? = "asset",
        token: String = "1"
    ) -> Declaration {
        Declaration(
            identifier: identifier, serverToken: token,
            AppManagedConfiguration(
                source: .composedIdentifier(composed), appConfig: AppConfig(dataAssetReference: asset)))
    }

    private func asset(_ identifier: String = "asset", token: String = "1") -> Declaration {
        Declaration(identifier: identifier, serverToken: token, DataAsset(dataURL: "https://host/asset"))
    }

    private func all(_ declarations: Declaration...) -> [String: Declaration] {
        Dictionary(uniqueKeysWithValues: declarations.map { ($0.identifier, $0) })
    }

    private func applied(
        _ declarations: [String: Declaration], _ results: [String: AssetResult] = [:], previous: Applied = Applied()
    ) -> Applied {
        let evaluation = Evaluation(declarations, previous: previous)
        return evaluation.outcome(
            assets: evaluation.alreadyHere(previous).merging(results) { _, new in new }, previous: previous)
    }

    private func codes(_ applied: Applied, _ identifier: String) -> [String] {
        applied.verdicts[identifier]?.reasons.map(\.code) ?? []
    }

    @Test func configurationWithItsAssetServesTheApp() {
        let applied = applied(all(activation(["app"]), app("app"), asset()), ["asset": .here(digest: "d1")])
        #expect(applied.apps["com.example.app"]?.configuration == "d1")
        #expect(applied.apps["com.example.app"]?.declarationIdentifier == "app")
        for identifier in ["act", "app", "asset"] {
            #expect(applied.verdicts[identifier]?.active == true)
            #expect(applied.verdicts[identifier]?.valid == .valid)
        }
        #expect(applied.isComplete)
        #expect(applied.digests == ["d1"])
    }

    @Test func assetThatNoActiveConfigurationNeedsIsNotDownloaded() {
        let evaluation = Evaluation(all(app("app"), asset(), asset("other")), previous: Applied())
        #expect(evaluation.needs.isEmpty)
        #expect(evaluation.verdicts["app"]?.active == false)
        #expect(evaluation.verdicts["app"]?.valid == .unknown)
        #expect(evaluation.verdicts["app"]?.reasons.map(\.code) == ["Info.NotReferencedByActivation"])
        #expect(evaluation.verdicts["other"]?.reasons.map(\.code) == ["Info.NotReferencedByConfiguration"])
    }

    /// An activation whose predicate holds is in effect; one whose predicate is false is valid, and one whose predicate
    /// depends on what is unknown is not.
    @Test(arguments: [
        ("TRUEPREDICATE", "valid", ""), ("FALSEPREDICATE", "valid", "Info.Predicate"),
        ("@property(lob) == 'finance'", "invalid", "Error.UnableToEvaluatePredicate"),
        ("@property(lob) ==", "invalid", "Error.UnableToParsePredicate"),
    ])
    func activationIsInEffectWhileItsPredicateHolds(_ predicate: String, _ validity: String, _ reason: String) {
        let holds = reason.isEmpty
        let set = all(activation(["app"], predicate: predicate), app("app"), asset())
        let applied = applied(set, ["asset": .here(digest: "d1")])
        #expect(applied.verdicts["act"]?.active == holds && applied.verdicts["act"]?.valid.rawValue == validity)
        #expect(codes(applied, "act") == (holds ? [] : [reason]))
        #expect(codes(applied, "app") == (holds ? [] : ["Info.NotReferencedByActivation"]))
        #expect(applied.apps.isEmpty == !holds)
    }

    /// What a device does not know it names, and a manifest is fetched only where the predicate holds.
    @Test func unknownItemsAreNamedAndNothingIsFetchedForThem() {
        let predicate = "@status(passcode.is-present) == TRUE AND @property(lob) == 'finance'"
        let app = Declaration(
            identifier: "app", serverToken: "1", AppManagedConfiguration(source: .manifestURL("https://h/m")))
        let set = all(activation(["app"], predicate: predicate), app)
        let details = applied(set).verdicts["act"]?.reasons.first?.details
        #expect(details?["Predicate"]?.string == predicate)
        #expect(
            details?["UnknownItems"]
                == .array([.string("@property(lob)"), .string("@status(passcode.is-present)")]))
        #expect(AppsSystem.manifestNeeds(set).isEmpty)
        let facts = PredicateFacts([:], status: ["passcode.is-present": .boolean(true)])
        #expect(AppsSystem.manifestNeeds(set, facts: facts).isEmpty, "the property is still unknown")
        let known = all(activation(["app"], predicate: "TRUEPREDICATE"), app)
        #expect(AppsSystem.manifestNeeds(known).map(\.identifier) == ["app"])
    }

    @Test func missingConfigurationDoesNotStopTheOthers() {
        let applied = applied(all(activation(["app", "gone"]), app("app", asset: nil)))
        #expect(codes(applied, "act") == ["Error.MissingConfigurations"])
        #expect(applied.verdicts["act"]?.active == true)
        #expect(applied.apps["com.example.app"] != nil)
    }

    /// D9: an update whose assets fail leaves the previous one serving.
    @Test(arguments: [
        AssetRefusal.download("no"), .verification("no"), .content("no"),
    ]) func updateThatFailsLeavesThePreviousServing(_ refusal: AssetRefusal) {
        let before = applied(all(activation(["app"]), app("app"), asset()), ["asset": .here(digest: "d1")])
        let after = applied(
            all(activation(["app"]), app("app", token: "2"), asset(token: "2")), ["asset": .refused(refusal)],
            previous: before)
        #expect(after.apps["com.example.app"]?.configuration == "d1")
        #expect(after.digests == ["d1"])
        #expect(after.verdicts["asset"]?.valid == .invalid)
        #expect(after.verdicts["app"]?.active == true)
        #expect(after.verdicts["app"]?.valid == .invalid)
        #expect(codes(after, "app") == ["Error.ConfigurationCannotBeApplied"])
        #expect(after.isComplete == !refusal.mayHeal, "only what may heal is tried again")
        #expect(after.generation == before.generation + 1)
    }

    @Test func assetWithTheSameTokenIsNotDownloadedAgain() {
        let set = all(activation(["app"]), app("app"), asset())
        let before = applied(set, ["asset": .here(digest: "d1")])
        #expect(Evaluation(set, previous: before).alreadyHere(before) == ["asset": .here(digest: "d1")])
        let changed = all(activation(["app"]), app("app"), asset(token: "2"))
        #expect(Evaluation(changed, previous: before).alreadyHere(before).isEmpty)
    }

    @Test func missingAssetIsNamed() {
        let applied = applied(all(activation(["app"]), app("app")))
        let details = applied.verdicts["app"]?.reasons.first?.details
        #expect(codes(applied, "app") == ["Error.MissingAssets"])
        #expect(details?["AssetIdentifiers"] == .array([.string("asset")]))
    }

    @Test func secondConfigurationOfAnAppIsRefusedAndTheFirstKeepsServing() {
        let before = applied(all(activation(["z"]), app("z"), asset()), ["asset": .here(digest: "d1")])
        let after = applied(all(activation(["a", "z"]), app("a"), app("z"), asset()), previous: before)
        #expect(after.apps["com.example.app"]?.declarationIdentifier == "z")
        #expect(codes(after, "a") == ["Error.DuplicateConfiguredApp"])
        #expect(after.apps["com.example.app"]?.reasons.map(\.code) == ["Error.DuplicateConfiguredApp"])
    }

    @Test func removedConfigurationTakesEverythingOfTheAppWithIt() {
        let before = applied(all(activation(["app"]), app("app"), asset()), ["asset": .here(digest: "d1")])
        let after = applied(all(activation([])), previous: before)
        #expect(after.apps.isEmpty)
        #expect(after.digests.isEmpty)
    }

    @Test func configurationThatCannotBeReadCostsItsAppNothing() {
        let before = applied(all(activation(["app"]), app("app"), asset()), ["asset": .here(digest: "d1")])
        let broken = Declaration(
            type: AppManagedConfiguration.type, identifier: "app", serverToken: "2",
            payload: .object(["AppComposedIdentifier": .integer(1)]))
        let after = applied(all(activation(["app"]), broken, asset()), previous: before)
        #expect(codes(after, "app") == ["Error.InvalidPayload"])
        #expect(after.apps["com.example.app"]?.configuration == "d1")
    }

    @Test func unknownTypesAndKeysAreReported() {
        let unknown = Declaration(
            type: "com.apple.configuration.passcode.settings", identifier: "p", serverToken: "1", payload: .object([:]))
        let management = Declaration(identifier: "o", serverToken: "1", OrganizationInfo(name: "Us"))
        let strange = Declaration(
            type: StatusSubscriptions.type, identifier: "s", serverToken: "1",
            payload: .object([
                "StatusItems": .array([.object(["Name": .string("app.managed.list")])]), "Surprise": .boolean(true),
            ]))
        let applied = applied(all(activation(["p", "s"]), unknown, management, strange))
        #expect(codes(applied, "p") == ["Error.UnknownDeclarationType"])
        #expect(applied.verdicts["o"]?.active == false)
        #expect(applied.verdicts["o"]?.valid == .valid)
        #expect(codes(applied, "s") == ["Error.UnknownPayloadKeys"])
        #expect(applied.verdicts["s"]?.valid == .valid)
        #expect(applied.subscriptions == ["app.managed.list"])
    }

    /// What this device cannot honor is reported by its key.
    @Test func keysWithoutAnEffectAreReported() throws {
        var payload = try #require(app("app").payload.object)
        payload["IncludeInBackup"] = .boolean(false)
        payload["Attributes"] = .object(["VPNUUID": .string("v")])
        payload["InstallBehavior"] = .object(["Install": .string("Required"), "Version": .integer(7)])
        let strange = Declaration(
            type: AppManagedConfiguration.type, identifier: "app", serverToken: "1", payload: .object(payload))
        let applied = applied(
            all(activation(["app"]), strange, asset()), ["asset": .here(digest: "d1")])
        #expect(codes(applied, "app") == ["Error.UnknownPayloadKeys"] && applied.verdicts["app"]?.valid == .valid)
        let keys = applied.verdicts["app"]?.reasons.first?.details?["UnknownPayloadKeys"]?.array?.compactMap(\.string)
        #expect(
            keys == [
                "Attributes.VPNUUID", "IncludeInBackup", "InstallBehavior.Version",
            ])
        #expect(applied.apps["com.example.app"]?.configuration == "d1" && applied.isComplete)
    }

    /// One asset may be the app's configuration and the dictionary for its user defaults; one that is missing refuses both.
    @Test(arguments: ["asset", "legacy"])
    func theDictionaryForUserDefaultsIsHadAsTheConfigurationIs(name: String) throws {
        var payload = try #require(app("app").payload.object)
        payload["LegacyAppConfigAssetReference"] = .string(name)
        let declaration = Declaration(
            type: AppManagedConfiguration.type, identifier: "app", serverToken: "1", payload: .object(payload))
        let set = all(activation(["app"]), declaration, asset(), asset("legacy"))
        let both = applied(set, ["asset": .here(digest: "d1"), "legacy": .here(digest: "d2")])
        let app = try #require(both.apps["com.example.app"])
        #expect(codes(both, "app").isEmpty && app.configuration == "d1")
        #expect(app.defaults == (name == "asset" ? "d1" : "d2"))
        #expect(try JSONDecoder().decode(AppliedApp.self, from: JSONEncoder().encode(app)) == app)
        var meant = both
        meant.apps["com.example.app"]?.defaults = nil
        #expect(both.within(meant).apps["com.example.app"]?.defaults == nil)
    }

    @Test func appThatWouldHaveToBeInstalledIsRefused() {
        let store = Declaration(identifier: "app", serverToken: "1", AppManagedConfiguration(source: .appStoreID("1")))
        let applied = applied(all(activation(["app"]), store))
        #expect(codes(applied, "app") == ["Error.ConfigurationNotSupported"])
        #expect(applied.apps.isEmpty)
    }

    // MARK: - Data

    @Test func rightDataIsAccepted() throws {
        let hash = try #require(Data(hexadecimal: bytes.digest))
        let asset = DataAsset(
            dataURL: "https://h/a", contentType: "application/x-plist", size: bytes.count, sha256: hash)
        try asset.checkConfiguration(bytes, contentType: "Application/X-plist; charset=UTF-8")
    }

    @Test(arguments: ["type", "size", "hash", "content"]) func wrongDataIsRefused(_ fault: String) throws {
        let data = fault == "content" ? Data("{}".utf8) : bytes
        let hash = try #require(Data(hexadecimal: (fault == "hash" ? Data([1]) : data).digest))
        let asset = DataAsset(
            dataURL: "https://h/a", contentType: "application/x-plist", size: data.count + (fault == "size" ? 1 : 0),
            sha256: hash)
        let error = try #require(throws: AssetRefusal.self) {
            try asset.checkConfiguration(data, contentType: fault == "type" ? "text/html" : "application/x-plist")
        }
        if case .content = error { #expect(fault == "content") } else { #expect(fault != "content") }
        #expect(!error.mayHeal)
    }

    /// S4-BP-01: the agent holds the same limit as the server.
    @Test func oneByteMoreThanTheLimitIsRefused() throws {
        let limit = 1_048_576
        let head = Data("<plist version=\"1.0\"><string>".utf8)
        let tail = Data("</string></plist>".utf8)
        let asset = DataAsset(dataURL: "https://h/a")
        for excess in [0, 1] {
            let filling = Data(repeating: UInt8(ascii: "a"), count: limit + excess - head.count - tail.count)
            let data = head + filling + tail
            if excess == 0 {
                try asset.checkConfiguration(data, contentType: nil)
            } else {
                #expect(throws: AssetRefusal.self) { try asset.checkConfiguration(data, contentType: nil) }
            }
        }
    }
}

extension Data {
    fileprivate init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
