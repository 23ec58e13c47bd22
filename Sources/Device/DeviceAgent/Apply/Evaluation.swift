package import DeviceMessages
import Foundation
import InputBounds

/// Judges a set of declarations: which are active, which are sound, and which data they need.
///
/// Each configuration stands for itself: one that fails does not stop the others of its activation. What is judged here
/// depends on the declarations alone; `Outcome` joins it with the data that was had. What a configuration means, the
/// system says that takes its type.
package struct Evaluation: Sendable {
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

    package private(set) var verdicts: [String: Verdict] = [:]
    package private(set) var needs: [Need] = []
    package private(set) var secretNeeds: [SecretNeed] = []
    private(set) var desired = DesiredStates()
    /// Whether something is missing that may be had another time.
    package private(set) var isIncomplete = false

    /// Judges `declarations`; where two configurations ask for the same thing, the one of `previous` keeps it.
    ///
    /// `manifests` is what became of those that `AppsSystem.manifestNeeds` names, by declaration; `facts` is what
    /// predicates are evaluated for, by default the properties alone.
    package init(
        _ declarations: [String: Declaration], manifests: [String: ManifestResult] = [:],
        facts: PredicateFacts? = nil, previous: Applied
    ) {
        let set = JudgedSet(declarations, manifests: manifests)
        let facts = facts ?? PredicateFacts(declarations)
        let sorted = declarations.values.sorted { $0.identifier < $1.identifier }
        var active: Set<String> = []
        for declaration in sorted where declaration.kind == .activation {
            active.formUnion(judgeActivation(declaration, among: declarations, by: facts))
        }
        for declaration in sorted where declaration.kind == .management { judgeManagement(declaration) }
        // What served before comes first, so that a second claim is the one refused.
        let servedBefore = DeviceSystems.all.reduce(into: Set<String>()) { $0.formUnion($1.serving(previous)) }
        let configurations = sorted.filter { $0.kind == .configuration }
        for declaration in configurations.filter({ servedBefore.contains($0.identifier) })
            + configurations.filter({ !servedBefore.contains($0.identifier) })
        {
            judgeConfiguration(declaration, isActive: active.contains(declaration.identifier), in: set)
        }
        let needed = desired.assets
        for declaration in sorted where declaration.kind == .asset {
            judgeAsset(declaration, isActive: needed.contains(declaration.identifier))
        }
    }

    // MARK: - Each kind

    /// Judges an activation; returns the configurations it makes active.
    private mutating func judgeActivation(
        _ declaration: Declaration, among all: [String: Declaration], by facts: PredicateFacts
    ) -> Set<String> {
        guard declaration.type == "com.apple.activation.simple" else {
            record(declaration, active: false, .invalid, [.unknownDeclarationType])
            return []
        }
        guard let activation = try? declaration.read(SimpleActivation.self) else {
            record(declaration, active: false, .invalid, [.about(declaration, "Error.InvalidPayload")])
            return []
        }
        let result = PredicateResult(activation, declaration, by: facts)
        let names = activation.standardConfigurations
        let missing = names.filter { all[$0]?.kind != .configuration }
        var reasons = [StatusReason].unknownKeys(SimpleActivation.self, declaration)
        if !missing.isEmpty {
            let list = JSONValue.array(missing.map(JSONValue.string))
            reasons.insert(
                .about(declaration, "Error.MissingConfigurations", ["ConfigurationIdentifiers": list]), at: 0)
        }
        // First, so that it is what an administrator sees of an activation that is not in effect.
        if let reason = result.reason { reasons.insert(reason, at: 0) }
        let isSound = result.isSound && missing.isEmpty
        record(declaration, active: result.isActive, isSound ? .valid : .invalid, reasons)
        return result.isActive ? Set(names) : []
    }

    private mutating func judgeManagement(_ declaration: Declaration) {
        guard AgentCapabilities.management.contains(declaration.type) else {
            return record(declaration, active: false, .invalid, [.unknownDeclarationType])
        }
        record(declaration, active: false, .valid, [])
    }

    private mutating func judgeConfiguration(_ declaration: Declaration, isActive: Bool, in set: JudgedSet) {
        guard let system = DeviceSystems.system(of: declaration.type) else {
            return record(declaration, active: isActive, .invalid, [.unknownDeclarationType])
        }
        guard isActive else {
            return record(declaration, active: false, .unknown, [.about(declaration, "Info.NotReferencedByActivation")])
        }
        let judgment = desired.judge(system, declaration, in: set)
        if judgment.mayHeal { isIncomplete = true }
        record(declaration, active: true, judgment.validity, judgment.reasons)
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
            record(declaration, active: true, .valid, .unknownKeys(DataAsset.self, declaration))
        } else if let credential {
            secretNeeds.append(SecretNeed(identifier: identifier, serverToken: token, asset: credential))
            let unknown = CredentialAsset.unknownKeys(of: credential.kind, in: declaration.payload)
            record(declaration, active: true, .valid, .unknownKeys(unknown))
        }
    }

    private mutating func record(
        _ declaration: Declaration, active: Bool, _ valid: DeclarationStatus.Validity, _ reasons: [StatusReason]
    ) {
        verdicts[declaration.identifier] = Verdict(
            kind: declaration.kind, serverToken: declaration.serverToken, active: active, valid: valid, reasons: reasons
        )
    }
}

extension [StatusReason] {
    /// Unknown keys are ignored, and the server is told which (D11).
    static func unknownKeys(_ type: (some DeclarationPayload).Type, _ declaration: Declaration) -> [StatusReason] {
        unknownKeys(type.unknownKeys(in: declaration.payload))
    }

    fileprivate static func unknownKeys(_ unknown: [String]) -> [StatusReason] {
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

    /// The configuration names assets that are not in the set.
    static func missing(_ assets: [String], of declaration: Declaration) -> StatusReason {
        let list = JSONValue.array(assets.map(JSONValue.string))
        return .about(declaration, missingAssets, ["AssetIdentifiers": list])
    }

    /// A reason that carries a sentence.
    static func because(_ code: String, _ sentence: String) -> StatusReason {
        StatusReason(code: code, description: sentence, details: .object(["Error": .string(sentence)]))
    }
}
