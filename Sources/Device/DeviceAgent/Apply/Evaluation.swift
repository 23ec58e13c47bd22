package import AppMessages
package import DeviceMessages
package import Foundation
import InputBounds

/// Judges a set of declarations: which are active, which are sound, and which data they need.
///
/// Each configuration stands for itself: one that fails does not stop the others of its activation. What is judged here
/// depends on the declarations alone; `Outcome` joins it with the data that was had.
package struct Evaluation: Equatable, Sendable {
    /// An asset that an active configuration refers to.
    package struct Need: Equatable, Sendable {
        package let identifier: String
        package let serverToken: String
        package let asset: DataAsset
    }

    /// The asset of a secret that an active configuration refers to.
    package struct SecretNeed: Equatable, Sendable {
        package let identifier: String
        package let serverToken: String
        package let asset: CredentialAsset
    }

    /// A secret as a configuration names it.
    package struct SecretRequest: Equatable, Sendable {
        package let kind: SecretKind
        package let identifier: String
        package let asset: String
    }

    /// An app that an active configuration asks for.
    package struct AppRequest: Equatable, Sendable {
        package var bundleIdentifier: String
        package var composedIdentifier: String
        package var declarationIdentifier: String
        package var configurationAsset: String?
        package var extensionAssets: [String: String]
        package var secrets: [SecretRequest]
        package var extensionSecrets: [String: [SecretRequest]]
        /// The least trust at which it is given secrets.
        package var lowestTrust: AppTrust
        /// Everything that the configuration refers to.
        package var allAssets: Set<String>
        package var reasons: [StatusReason] = []
        package var manifest: ManifestSource?
        package var isOptional = false

        /// Those that must be sound before the configuration is: the app's own and its extensions'.
        var dataAssets: Set<String> { Set([configurationAsset].compactMap(\.self) + extensionAssets.values) }
    }

    /// A manifest that an active configuration names.
    package struct ManifestNeed: Equatable, Sendable {
        package let identifier: String
        package let serverToken: String
        package let url: String
    }

    package private(set) var verdicts: [String: Verdict] = [:]
    package private(set) var needs: [Need] = []
    package private(set) var secretNeeds: [SecretNeed] = []
    package private(set) var apps: [AppRequest] = []
    package private(set) var subscriptions: [String] = []
    /// Manifests that are named, each as it was had.
    package private(set) var manifests: [String: KnownManifest] = [:]
    package private(set) var teams: [Data] = []
    /// Whether something is missing that may be had another time.
    package private(set) var isIncomplete = false

    private let manifestResults: [String: ManifestResult]

    /// Judges `declarations`; where two configurations ask for the same app, the one of `previous` keeps it.
    ///
    /// `manifests` is what became of those that `manifestNeeds` names, by declaration.
    package init(
        _ declarations: [String: Declaration], manifests: [String: ManifestResult] = [:], previous: Applied
    ) {
        manifestResults = manifests
        let sorted = declarations.values.sorted { $0.identifier < $1.identifier }
        var active: Set<String> = []
        for declaration in sorted where declaration.kind == .activation {
            active.formUnion(judgeActivation(declaration, among: declarations))
        }
        for declaration in sorted where declaration.kind == .management { judgeManagement(declaration) }
        // What served before comes first, so that a second claim to an app is the one refused.
        let servedBefore = Set(previous.apps.values.map(\.declarationIdentifier))
        let configurations = sorted.filter { $0.kind == .configuration }
        for declaration in configurations.filter({ servedBefore.contains($0.identifier) })
            + configurations.filter({ !servedBefore.contains($0.identifier) })
        {
            judgeConfiguration(declaration, isActive: active.contains(declaration.identifier), among: declarations)
        }
        let needed = apps.reduce(into: Set<String>()) { $0.formUnion($1.allAssets) }
        for declaration in sorted where declaration.kind == .asset {
            judgeAsset(declaration, isActive: needed.contains(declaration.identifier))
        }
    }

    /// What became of the manifest that a declaration names.
    func manifest(of identifier: String) -> ManifestResult? { manifestResults[identifier] }

    mutating func hold(_ manifest: KnownManifest, of identifier: String) { manifests[identifier] = manifest }

    mutating func missSomething() { isIncomplete = true }

    // MARK: - Each kind

    /// Judges an activation; returns the configurations it makes active.
    private mutating func judgeActivation(_ declaration: Declaration, among all: [String: Declaration]) -> Set<String> {
        guard declaration.type == "com.apple.activation.simple" else {
            record(declaration, active: false, .invalid, [.unknownDeclarationType])
            return []
        }
        guard let activation = try? declaration.read(SimpleActivation.self) else {
            record(declaration, active: false, .invalid, [.about(declaration, "Error.InvalidPayload")])
            return []
        }
        if let predicate = activation.predicate {
            // Predicates wait: saying so is right, acting as if it were true would not be.
            let details = ["Predicate": JSONValue.string(predicate)]
            let reason = StatusReason.about(declaration, "Error.UnableToEvaluatePredicate", details)
            record(declaration, active: false, .invalid, [reason])
            return []
        }
        let names = activation.standardConfigurations
        let missing = names.filter { all[$0]?.kind != .configuration }
        var reasons = unknownKeys(SimpleActivation.self, declaration)
        if !missing.isEmpty {
            let list = JSONValue.array(missing.map(JSONValue.string))
            reasons.insert(
                .about(declaration, "Error.MissingConfigurations", ["ConfigurationIdentifiers": list]), at: 0)
        }
        record(declaration, active: true, missing.isEmpty ? .valid : .invalid, reasons)
        return Set(names)
    }

    private mutating func judgeManagement(_ declaration: Declaration) {
        guard AgentCapabilities.management.contains(declaration.type) else {
            return record(declaration, active: false, .invalid, [.unknownDeclarationType])
        }
        record(declaration, active: false, .valid, [])
    }

    private mutating func judgeConfiguration(
        _ declaration: Declaration, isActive: Bool, among all: [String: Declaration]
    ) {
        guard AgentCapabilities.configurations.contains(declaration.type) else {
            return record(declaration, active: isActive, .invalid, [.unknownDeclarationType])
        }
        guard isActive else {
            return record(declaration, active: false, .unknown, [.about(declaration, "Info.NotReferencedByActivation")])
        }
        switch declaration.type {
        case StatusSubscriptions.type: judgeSubscriptions(declaration)
        case AppTrustConfiguration.type: judgeTrust(declaration)
        default: judgeApp(declaration, among: all)
        }
    }

    private mutating func judgeSubscriptions(_ declaration: Declaration) {
        guard let names = try? declaration.read(StatusSubscriptions.self).names else {
            return record(declaration, active: true, .invalid, [.about(declaration, "Error.InvalidPayload")])
        }
        subscriptions += names.filter { !subscriptions.contains($0) }
        record(declaration, active: true, .valid, unknownKeys(StatusSubscriptions.self, declaration))
    }

    private mutating func judgeApp(_ declaration: Declaration, among all: [String: Declaration]) {
        guard let app = try? declaration.read(AppManagedConfiguration.self) else {
            return record(declaration, active: true, .invalid, [.about(declaration, "Error.InvalidPayload")])
        }
        let named: NamedApp
        switch name(app, declaration) {
        case .success(let found): named = found
        case .failure(let refusal): return record(declaration, active: true, .invalid, [refusal.reason])
        }
        let request = AppRequest(
            bundleIdentifier: named.bundle, composedIdentifier: named.composed,
            declarationIdentifier: declaration.identifier,
            configurationAsset: app.appConfig?.dataAssetReference,
            extensionAssets: app.extensionConfigs.compactMapValues(\.dataAssetReference),
            secrets: app.appConfig?.secretRequests ?? [],
            extensionSecrets: app.extensionConfigs.mapValues(\.secretRequests).filter { !$0.value.isEmpty },
            lowestTrust: app.lowestTrust,
            allAssets: Set(app.assetReferences), manifest: named.manifest, isOptional: app.install == .optional)
        if let first = apps.firstIndex(where: { $0.bundleIdentifier == request.bundleIdentifier }) {
            let reason = StatusReason.about(declaration, "Error.DuplicateConfiguredApp")
            apps[first].reasons.append(reason)
            return record(declaration, active: true, .invalid, [reason])
        }
        apps.append(request)
        let missing = request.allAssets.filter { all[$0]?.kind != .asset }.sorted()
        guard missing.isEmpty else {
            let list = JSONValue.array(missing.map(JSONValue.string))
            let reason = StatusReason.about(declaration, StatusReason.missingAssets, ["AssetIdentifiers": list])
            return record(declaration, active: true, .invalid, [reason])
        }
        if let rule = app.brokenRule(among: all) {
            return record(declaration, active: true, .invalid, [.because("Error.ConfigurationIsInvalid", rule)])
        }
        record(declaration, active: true, .valid, unknownKeys(AppManagedConfiguration.self, declaration))
    }

    private mutating func judgeTrust(_ declaration: Declaration) {
        guard let trust = try? declaration.read(AppTrustConfiguration.self) else {
            return record(declaration, active: true, .invalid, [.about(declaration, "Error.InvalidPayload")])
        }
        teams += trust.teams.filter { !teams.contains($0) }
        record(declaration, active: true, .valid, unknownKeys(AppTrustConfiguration.self, declaration))
    }

    private mutating func judgeAsset(_ declaration: Declaration, isActive: Bool) {
        guard AgentCapabilities.assets.contains(declaration.type) else {
            return record(declaration, active: isActive, .invalid, [.unknownDeclarationType])
        }
        let data = try? declaration.read(DataAsset.self)
        let credential = try? CredentialAsset(declaration)
        guard data != nil || credential != nil else {
            return record(declaration, active: isActive, .invalid, [.about(declaration, "Error.InvalidPayload")])
        }
        guard isActive else {
            return record(
                declaration, active: false, .unknown, [.about(declaration, "Info.NotReferencedByConfiguration")])
        }
        let (identifier, token) = (declaration.identifier, declaration.serverToken)
        if let data {
            needs.append(Need(identifier: identifier, serverToken: token, asset: data))
            record(declaration, active: true, .valid, unknownKeys(DataAsset.self, declaration))
        } else if let credential {
            secretNeeds.append(SecretNeed(identifier: identifier, serverToken: token, asset: credential))
            let unknown = CredentialAsset.unknownKeys(of: credential.kind, in: declaration.payload)
            record(declaration, active: true, .valid, Self.unknownKeys(unknown))
        }
    }

    private mutating func record(
        _ declaration: Declaration, active: Bool, _ valid: DeclarationStatus.Validity, _ reasons: [StatusReason]
    ) {
        verdicts[declaration.identifier] = Verdict(
            kind: declaration.kind, serverToken: declaration.serverToken, active: active, valid: valid, reasons: reasons
        )
    }

    /// Unknown keys are ignored, and the server is told which (D11).
    private func unknownKeys(_ type: (some DeclarationPayload).Type, _ declaration: Declaration) -> [StatusReason] {
        Self.unknownKeys(type.unknownKeys(in: declaration.payload))
    }

    private static func unknownKeys(_ unknown: [String]) -> [StatusReason] {
        guard !unknown.isEmpty else { return [] }
        let list = JSONValue.array(unknown.map(JSONValue.string))
        return [StatusReason(code: "Error.UnknownPayloadKeys", details: .object(["UnknownPayloadKeys": list]))]
    }
}

extension StatusReason {
    static let unknownDeclarationType = StatusReason(code: "Error.UnknownDeclarationType")

    /// A reason that names its declaration, as most do.
    static func about(_ declaration: Declaration, _ code: String, _ more: [String: JSONValue] = [:]) -> StatusReason {
        var details = more
        details["Identifier"] = .string(declaration.identifier)
        details["ServerToken"] = .string(declaration.serverToken)
        return StatusReason(code: code, details: .object(details))
    }

    /// A reason that carries a sentence.
    static func because(_ code: String, _ sentence: String) -> StatusReason {
        StatusReason(code: code, description: sentence, details: .object(["Error": .string(sentence)]))
    }
}
