import AppSpecification
import Crypto
package import Foundation
import InputBounds

extension Management {
    /// Stores a configuration as it came.
    ///
    /// Form, size and variables are judged here; the rest is the app developer's matter (S4-FLOW-12), and what the app
    /// published decides on it, for the newest version and for those on the devices that have it, unless that is forced
    /// not to count. The same goes for values that look like secrets, where an assignment delivers it as a defaults
    /// dictionary.
    package func putConfiguration(
        app: String, name: String, bytes: Data, expected: ExpectedVersion, isForced: Bool = false, author: String
    ) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
        guard Names.isSuitable(name) else {
            return .refused(
                .invalid(rule: "A configuration's name is 1 to 64 of letters, digits, dot, underscore and hyphen."))
        }
        switch Self.judge(bytes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged):
            let judgement = try await judge(judged.root, of: app, for: .configuration(name))
            let content = try await defaults(of: judged.root, app: app, configuration: name)
            if let refusal = try await fullRefusal(
                of: content, beside: judgement.errors, in: judged.root, app: app, isForced: isForced)
            {
                return .refused(refusal)
            }
            let secrets = try await secretWarnings(of: app, configuration: name)
            let foreign = Self.foreignVariables(in: judged.root)
            let draft = ConfigurationDraft(
                app: app, name: name, bytes: bytes, encoding: judged.encoding,
                sha256: Hexadecimal.text(SHA256.hash(data: bytes)), variables: judged.variables, author: author,
                now: moment, suspectedSecrets: content.named)
            return try await announcing(
                store.putConfiguration(draft, expected: expected, keeping: ConfigurationLimits.versions), judgement,
                foreign + secrets + content.warnings)
        }
    }

    /// Why a configuration is not kept, and what else the newest specification says of it.
    private func fullRefusal(
        of content: DefaultsContent, beside errors: [ConfigurationViolation], in root: PropertyListValue, app: String,
        isForced: Bool
    ) async throws -> AdminRefusal? {
        guard let refused = refusal(of: content, beside: errors, isForced: isForced) else { return nil }
        guard case .violations(let violations) = refused, let newest = try await published(by: app).first else {
            return refused
        }
        // A key that the app does not know is often why another one is missing.
        let found = VersionFindings(in: root, by: newest.specification, of: newest.version)
        let warnings = found.findings.filter { $0.severity == .warning }
        return .violations(violations + warnings.map { ConfigurationViolation(finding: $0, versions: []) })
    }

    /// A sentence for each text with a variable of another management: the app gets it as it is.
    static func foreignVariables(in root: PropertyListValue) -> [String] {
        ForeignVariable.findings(in: root).map(\.sentence)
    }

    /// Brings back the bytes of an old version as a new one; bytes that are the present ones change nothing.
    package func revertConfiguration(
        app: String, name: String, to version: Int, expected: ExpectedVersion, isForced: Bool = false, author: String
    ) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
        var judgement = SpecificationJudgement.nothing
        var content = DefaultsContent.nothing
        var foreign: [String] = []
        if let old = try await store.configuration(app: app, name: name, version: version),
            let judged = Self.judge(old.bytes).value
        {
            judgement = try await judge(judged.root, of: app, for: .configuration(name))
            content = try await defaults(of: judged.root, app: app, configuration: name)
            foreign = Self.foreignVariables(in: judged.root)
            if let refusal = try await fullRefusal(
                of: content, beside: judgement.errors, in: judged.root, app: app, isForced: isForced)
            {
                return .refused(refusal)
            }
        }
        return try await announcing(
            store.revertConfiguration(
                app: app, name: name, to: version, expected: expected, author: author,
                keeping: ConfigurationLimits.versions, now: moment, suspectedSecrets: content.named), judgement,
            foreign + secretWarnings(of: app, configuration: name) + content.warnings)
    }

    /// The present version of each configuration of an app.
    package func configurations(
        of app: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal> {
        try await store.configurations(of: app, page)
    }

    /// One version with its bytes, the present one if none is named.
    package func configuration(
        app: String, name: String, version: Int? = nil
    ) async throws -> ConfigurationDocument? {
        try await store.configuration(app: app, name: name, version: version)
    }

    /// The kept versions, newest first.
    package func configurationVersions(
        app: String, name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal> {
        try await store.configurationVersions(app: app, name: name, page)
    }

    /// Removes a configuration that no assignment uses.
    package func removeConfiguration(
        app: String, name: String, expected: ExpectedVersion, author: String
    ) async throws -> AdminRefusal? {
        try await store.removeConfiguration(
            app: app, name: name, expected: expected, author: author, now: moment)
    }

    /// Whether bytes may be a configuration: a property list within bounds whose root is a dictionary, and whose
    /// variables are known.
    static func judge(
        _ bytes: Data
    ) -> Outcome<(encoding: PropertyListEncoding, variables: [String]?, root: PropertyListValue), AdminRefusal> {
        guard bytes.count <= ConfigurationLimits.bytes else {
            return .refused(.tooLarge(limit: ConfigurationLimits.bytes))
        }
        let encoding: PropertyListEncoding
        let value: PropertyListValue
        do {
            // First what tells the place of what is wrong.
            value = try PropertyListValue(parsing: bytes, limits: .configuration)
            encoding = try PropertyListScan.check(bytes, limits: .configuration) == .xml ? .xml : .binary
        } catch {
            return .refused(.invalid(rule: "The configuration is not an acceptable property list: \(error.sentence)."))
        }
        guard case .dictionary = value else {
            return .refused(.invalid(rule: "The root of a configuration is a dictionary."))
        }
        do {
            return .accepted((encoding, try ConfigurationTemplate.judge(value)?.variables, value))
        } catch {
            return .refused(error)
        }
    }

    private func announcing(
        _ outcome: Outcome<Changed<StoredConfiguration>, AdminRefusal>, _ judgement: SpecificationJudgement,
        _ secrets: [String]
    ) -> Outcome<StoredConfiguration, AdminRefusal> {
        outcome.map { changed in
            announce(changed.groups)
            let stored = changed.value
            let size =
                stored.version.size > ConfigurationLimits.warningBytes
                ? [
                    "The configuration is \(stored.version.size) bytes; above \(ConfigurationLimits.warningBytes) bytes "
                        + "devices and apps take noticeably longer. Think kilobytes, not megabytes."
                ] : []
            return StoredConfiguration(
                version: stored.version, isNew: stored.isNew,
                warnings: size + judgement.errors.map(\.warning) + judgement.warnings + secrets)
        }
    }
}
