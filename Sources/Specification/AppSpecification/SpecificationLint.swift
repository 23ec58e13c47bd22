import InputBounds
import JSONSchema

/// What a specification lacks for those who read it.
package struct LintFinding: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// What it says cannot be so.
        case error
        /// A reader will miss something, or be misled.
        case warning
    }

    package let severity: Severity
    /// Which key or part; empty for the whole.
    package let path: String
    /// The rule's name.
    package let rule: String
    package let message: String

    package var description: String { "\(path.isEmpty ? "the specification" : path): \(message) [\(rule)]" }
}

extension AppSpecification {
    /// What is wrong with the specification, and what a reader will miss: S4-FLOW-11, S4-SPEC-01 to -04.
    package func lint() -> [LintFinding] {
        var lint = SpecificationLint()
        lint.look(at: self)
        for (name, inner) in extensions.sorted(by: { $0.key < $1.key }) {
            var inside = SpecificationLint()
            inside.look(at: inner, isExtension: true)
            lint.findings += inside.findings.map {
                LintFinding(
                    severity: $0.severity, path: $0.path.isEmpty ? name : "\(name): \($0.path)", rule: $0.rule,
                    message: $0.message)
            }
        }
        return lint.findings
    }
}

private struct SpecificationLint {
    var findings: [LintFinding] = []

    // The system's own begin here.
    private static let firstReservedCode = 2_147_482_624

    private mutating func error(_ path: String, _ rule: String, _ message: String) {
        findings.append(LintFinding(severity: .error, path: path, rule: rule, message: message))
    }

    private mutating func warn(_ path: String, _ rule: String, _ message: String) {
        findings.append(LintFinding(severity: .warning, path: path, rule: rule, message: message))
    }

    mutating func look(at specification: AppSpecification, isExtension: Bool = false) {
        lookAtApp(specification, isExtension: isExtension)
        let keys = specification.configuration.descendants
        for (path, key) in keys { look(at: key, path) }
        look(at: specification.configuration, keys)
        lookAtSamples(specification)
        lookAtErrors(specification)
        lookAtSecrets(specification.secrets)
        lookAtFeedback(specification.feedback)
    }

    private mutating func lookAtApp(_ specification: AppSpecification, isExtension: Bool) {
        let app = specification.app
        if app.description == nil { warn("", "description", "does not say what the app is configured for") }
        guard !isExtension else { return }
        if app.title == nil { warn("", "title", "does not say what the app is called") }
        if app.version == nil { warn("", "version", "does not say which version of the app it is for") }
        if app.platforms.isEmpty { warn("", "platforms", "does not say which systems the app runs on") }
        guard !specification.configuration.keys.isEmpty else { return }
        if specification.samples.isEmpty { warn("", "samples", "has no sample configuration") }
        if specification.errors.isEmpty { warn("", "errors", "has no table of the app's error codes") }
    }

    // MARK: Keys

    private mutating func look(at configuration: SpecifiedKey, _ keys: [(path: String, key: SpecifiedKey)]) {
        // S4-BP-05: what an old app does not know it should pass over.
        for (path, key) in [("", configuration)] + keys where !key.isOpen {
            warn(
                path, "closed", "refuses keys that it does not list: newer configurations will not do for this version")
        }
        // S4-BP-04
        let top = configuration.keys
        let words = ["managed", "ismanaged", "managedmode", "enterprise", "enterprisemode", "enabled"]
        for key in top where key.type == .boolean && (top.count == 1 || words.contains(key.name.lowercased())) {
            warn(key.name, "single-switch", "one switch for everything: let each option control one thing")
        }
        let known = Set(keys.map(\.path) + keys.map(\.key.name))
        for (path, key) in keys {
            guard let replacement = key.deprecation?.replacedBy, !known.contains(replacement) else { continue }
            error(path, "replaced-by", "is replaced by a key that is not there")
        }
    }

    private mutating func look(at key: SpecifiedKey, _ path: String) {
        let isItem = path.hasSuffix("[]") || path.hasSuffix("*")
        if key.type == .any, key.others.isEmpty { warn(path, "type", "does not say what type it is") }
        if key.description == nil, !isItem { warn(path, "description", "does not say what it controls") }
        if key.type == .array, key.item.isEmpty { warn(path, "items", "does not say what the list holds") }
        if key.type == .dictionary, key.keys.isEmpty, key.listsAllKeys {
            warn(path, "properties", "does not say which keys the dictionary holds")
        }
        if [.integer, .real].contains(key.type), key.choices == nil, !key.isBoundedNumber {
            warn(path, "range", "does not say between which values it lies")
        }
        if key.isRequired, key.defaultValue != nil {
            warn(path, "required-default", "is required and has a default: one of them says nothing")
        }
        if let deprecation = key.deprecation, deprecation.replacedBy == nil, deprecation.note == nil {
            warn(path, "deprecated", "should not be used any more, but nothing says what instead")
        }
        if let pattern = key.bounds.pattern, !pattern.hasPrefix("^") || !pattern.hasSuffix("$") {
            warn(path, "pattern", "the pattern is not anchored by ^ and $: it is found anywhere in the text")
        }
        for word in key.others where !Self.knownKeywords.contains(word) {
            let meant =
                NearestWord.to(word, among: Self.knownKeywords).map { ": did you mean \"\($0)\"?" } ?? ""
            warn(path, "keyword", "\"\(word)\" is no keyword of JSON Schema and has no effect\(meant)")
        }
        lookAtValues(of: key, path)
    }

    private static let knownKeywords: Set<String> = Set(SchemaRule.allCases.map(\.rawValue)).union([
        "then", "else", "title", "description", "default", "examples", "deprecated", "format", "contentEncoding",
        "contentSchema", "$dynamicAnchor", "const", "readOnly", "writeOnly", "definitions",
    ])

    /// A default, an example or a choice that the key itself does not allow helps nobody.
    private mutating func lookAtValues(of key: SpecifiedKey, _ path: String) {
        let values = (key.defaultValue.map { [("default", $0)] } ?? []) + key.examples.map { ("example", $0) }
        guard !values.isEmpty, let schema = try? JSONSchema(.object(key.schema)) else { return }
        for (word, value) in values {
            guard let list = try? key.propertyList(value) else {
                error(path, word, "the \(word) is no value of a property list")
                continue
            }
            if let violation = schema.violations(of: list, most: 1).first {
                error(path, word, "the \(word) is not allowed: \(violation.description)")
            }
        }
    }

    // MARK: The rest

    private mutating func lookAtSamples(_ specification: AppSpecification) {
        for (index, sample) in specification.samples.enumerated() {
            let place = "x-samples[\(index)]"
            do {
                let list = try specification.configuration.propertyList(sample.configuration)
                for finding in specification.findings(in: list) {
                    if finding.severity == .error {
                        error(place, "sample", finding.description)
                    } else {
                        warn(place, "sample", finding.description)
                    }
                }
            } catch {
                self.error(place, "sample", "\(error.path): \(error.rule)")
            }
        }
    }

    private mutating func lookAtErrors(_ specification: AppSpecification) {
        var codes: Set<Int> = []
        for (index, one) in specification.errors.enumerated() {
            let place = "x-errors[\(index)]"
            if !codes.insert(one.code).inserted { error(place, "error-code", "code \(one.code) is there twice") }
            if one.code >= Self.firstReservedCode {
                error(place, "error-code", "code \(one.code) belongs to the system")
            }
            if one.remedy == nil { warn(place, "remedy", "does not say what to do about error \(one.code)") }
        }
    }

    private mutating func lookAtFeedback(_ feedback: [SpecifiedFeedback]) {
        var keys: Set<String> = []
        for (index, one) in feedback.enumerated() {
            let place = "x-feedback[\(index)]"
            if !keys.insert(one.key).inserted { error(place, "feedback", "\(one.key) is there twice") }
            if one.title == nil, one.description == nil { warn(place, "feedback", "does not say what it means") }
            if one.purpose == nil { warn(place, "purpose", "does not say why it is collected") }
            if one.retention == nil { warn(place, "retention", "does not say for how long it is kept") }
        }
    }

    private mutating func lookAtSecrets(_ secrets: [SpecifiedSecret]) {
        for (index, secret) in secrets.enumerated() {
            let place = "x-secrets[\(index)]"
            if secret.purpose == nil { warn(place, "purpose", "does not say what the secret is for") }
            if secrets[..<index].contains(where: { $0.kind == secret.kind && $0.identifier == secret.identifier }) {
                error(place, "secret", "is there twice")
            }
        }
    }
}

extension SpecifiedKey {
    fileprivate var isBoundedNumber: Bool {
        (bounds.minimum ?? bounds.exclusiveMinimum) != nil && (bounds.maximum ?? bounds.exclusiveMaximum) != nil
    }
}
