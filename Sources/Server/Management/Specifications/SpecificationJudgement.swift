package import AppSpecification
import Foundation
package import InputBounds
import JSONSchema

/// What an app's specifications have to say about a configuration.
package struct SpecificationJudgement: Sendable, Equatable {
    /// What the newest version finds wrong: the app would refuse the configuration.
    package let errors: [ConfigurationFinding]
    /// What else there is to say, a sentence each: that a key has no effect, or that an older version refuses it.
    package let warnings: [String]

    static let nothing = SpecificationJudgement(errors: [], warnings: [])

    // Of an older version one fault says enough.
    private static let mostOfOlder = 1

    private init(errors: [ConfigurationFinding], warnings: [String]) {
        self.errors = errors
        self.warnings = warnings
    }

    /// Judges a configuration by all versions, the newest first.
    package init(of configuration: PropertyListValue, by versions: [(version: String, specification: AppSpecification)])
    {
        guard let newest = versions.first else {
            self = .nothing
            return
        }
        let findings = Self.findings(in: configuration, by: newest.specification)
        let older = versions.dropFirst().flatMap { version, specification in
            Self.findings(in: configuration, by: specification)
                .filter { $0.severity == .error }
                .prefix(Self.mostOfOlder)
                .map { "Version \(version) of the app refuses it: \($0.sentence)" }
        }
        errors = findings.filter { $0.severity == .error }
        warnings = findings.filter { $0.severity == .warning }.map(\.sentence) + older
    }
}

extension SpecificationJudgement {
    /// What the app, or that of its extensions whose configuration it most looks like, has to say.
    ///
    /// A configuration does not say whose it is: an assignment does, later.
    private static func findings(
        in configuration: PropertyListValue, by specification: AppSpecification
    ) -> [ConfigurationFinding] {
        let parts = [specification] + specification.extensions.sorted { $0.key < $1.key }.map(\.value)
        let judged = parts.map { part in
            part.findings(in: configuration).filter { $0.counts(in: configuration) }
        }
        let weight = { (findings: [ConfigurationFinding]) in
            (findings.count { $0.severity == .error }, findings.count)
        }
        return judged.min { weight($0) < weight($1) } ?? []
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
