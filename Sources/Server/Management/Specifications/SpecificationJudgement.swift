package import AppSpecification
import Foundation
import InputBounds
import JSONSchema

/// A fault for which an app would refuse a configuration.
package struct ConfigurationViolation: Sendable, Equatable {
    package let finding: ConfigurationFinding
    /// The versions on devices that would refuse it, the newest first; none where only the newest that published
    /// something would, which is on no device yet.
    package let versions: [AppVersionCount]
    /// The app, where several are judged at once.
    package let app: String?

    init(finding: ConfigurationFinding, versions: [AppVersionCount], app: String? = nil) {
        self.finding = finding
        self.versions = versions
        self.app = app
    }

    /// The same, of an app that is named.
    func of(_ app: String) -> ConfigurationViolation {
        ConfigurationViolation(finding: finding, versions: versions, app: app)
    }

    /// The text of the warning if the fault is allowed.
    var warning: String {
        let places = versions.map { "version \($0.version) on \($0.devices) device\($0.devices == 1 ? "" : "s")" }
        return
            "\(app ?? "The app") will refuse it\(places.isEmpty ? "" : " (\(places.joined(separator: ", ")))"): \(finding.sentence)"
    }
}

extension [ConfigurationViolation] {
    /// Why a configuration with these is refused: a sentence that names no key.
    var reason: String {
        let suspected = self.count { $0.finding.rule == SuspectedSecret.rule }
        let others = self.count { $0.finding.severity == .error && $0.finding.rule != SuspectedSecret.rule }
        let secrets = suspected == 1 ? "one value looks like a secret" : "\(suspected) values look like secrets"
        if suspected > 0, others == 0 {
            return "A defaults dictionary is readable while the device is locked, and \(secrets)."
        }
        let reasons = "The app would refuse the configuration" + (others > 1 ? ", for \(others) reasons" : "")
        return suspected > 0 ? "\(reasons), and \(secrets)." : "\(reasons)."
    }
}

/// What an app's specifications have to say about a configuration.
package struct SpecificationJudgement: Sendable, Equatable {
    /// What the newest version finds wrong, and what versions on the devices concerned would refuse.
    package let errors: [ConfigurationViolation]
    /// What else there is to say, a sentence each: that a key has no effect, or that a version that is on none of these
    /// devices refuses it.
    package let warnings: [String]

    static let nothing = SpecificationJudgement(errors: [], warnings: [])

    // Of a version that is on no device one fault says enough.
    private static let mostOfOthers = 1
    private static let mostErrors = 100

    init(errors: [ConfigurationViolation], warnings: [String]) {
        self.errors = errors
        self.warnings = warnings
    }

    /// Sums up what the specification of each version finds, the newest first; `devices` are those that a version's
    /// specification speaks for, by its version.
    init(of versions: [VersionFindings], devices: [String: [AppVersionCount]] = [:]) {
        var order: [ConfigurationFinding] = []
        var refusing: [ConfigurationFinding: [AppVersionCount]] = [:]
        var warnings: [String] = []
        for (index, version) in versions.enumerated() {
            let errors = version.findings.filter { $0.severity == .error }
            let concerned = devices[version.version] ?? []
            if index == 0 || !concerned.isEmpty {
                for error in errors {
                    if refusing[error] == nil { order.append(error) }
                    refusing[error, default: []] += concerned
                }
            } else {
                warnings += errors.prefix(Self.mostOfOthers).map {
                    "Version \(version.version) of the app refuses it: \($0.sentence)"
                }
            }
        }
        errors = order.prefix(Self.mostErrors).map { finding in
            let versions = (refusing[finding] ?? []).sorted {
                SpecificationChoice.isNewer($0.version, than: $1.version)
            }
            return ConfigurationViolation(finding: finding, versions: versions)
        }
        let newest = versions.first?.findings.filter { $0.severity == .warning } ?? []
        self.warnings = newest.map(\.sentence) + warnings
    }
}

/// What the specification of one version finds in a configuration.
struct VersionFindings: Sendable {
    /// The app or the extension that gets the configuration.
    enum Part: Sendable {
        case app
        case `extension`(String)
        /// The app's, or that of the extension whose configurations it most looks like: a configuration does not say
        /// whose it is, an assignment does, later.
        case any
    }

    let version: String
    let findings: [ConfigurationFinding]

    init(
        in configuration: PropertyListValue, as part: Part = .any, by specification: AppSpecification,
        of version: String
    ) {
        self.version = version
        let extensions = specification.extensions
        let candidates: [AppSpecification] =
            switch part {
            case .app: [specification]
            // Of an extension that publishes nothing nothing is known.
            case .extension(let name): extensions[name].map { [$0] } ?? []
            case .any: [specification] + extensions.sorted { $0.key < $1.key }.map(\.value)
            }
        let judged = candidates.map { candidate in
            candidate.findings(in: configuration).filter { $0.counts(in: configuration) }
        }
        let weight = { (findings: [ConfigurationFinding]) in
            (findings.count { $0.severity == .error }, findings.count)
        }
        findings = judged.min { weight($0) < weight($1) } ?? []
    }
}

extension ConfigurationFinding {
    /// With its full stop.
    var sentence: String { description.hasSuffix("?") ? description : description + "." }

    /// What a text with variables in it will be is not known: only that it is a text.
    fileprivate func counts(in configuration: PropertyListValue) -> Bool {
        guard rule != SchemaRule.type.rawValue, case .string(let text)? = configuration.value(at: path) else {
            return true
        }
        return !VariableText.isTemplate(text)
    }
}

extension PropertyListValue {
    fileprivate func value(at path: InstancePath) -> PropertyListValue? {
        path.steps.reduce(self) { value, step in
            switch step {
            case .key(let key): value?[key]
            case .index(let index): value?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
        }
    }
}
