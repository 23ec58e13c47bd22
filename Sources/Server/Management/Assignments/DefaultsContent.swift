package import AppSpecification
package import InputBounds
import JSONSchema

/// What a configuration holds that does not belong into a defaults dictionary, which is readable while the device is
/// locked and by whatever reads the app's user defaults.
package struct DefaultsContent: Sendable, Equatable {
    /// A key that an app marks as sensitive, and the version of its specification that does.
    package struct MarkedKey: Sendable, Equatable {
        /// `server.key`; empty for the configuration as a whole.
        package let path: String
        package let version: String
    }

    /// The first that is found: what one says is enough to refuse it.
    package let marked: MarkedKey?
    /// Values that look like secrets, in order.
    let suspects: [SuspectedSecret]

    /// The paths of values that look like secrets, in order.
    package var suspected: [String] { suspects.map(\.path.description) }

    /// What is not delivered as a defaults dictionary, or cannot be read, holds nothing that does not belong there.
    static let nothing = DefaultsContent(of: .dictionary([:]), by: [])

    // As many paths are named in a sentence, and as long ones.
    private static let mostNamed = 5
    private static let longestPath = 128
    // As many are refused one by one.
    private static let mostFound = 100

    package init(
        of root: PropertyListValue, by specifications: [(version: String, specification: AppSpecification)]
    ) {
        var marked: MarkedKey?
        for (version, specification) in specifications where marked == nil {
            guard let steps = Self.sensitiveKey(in: root, specification.configuration, []) else { continue }
            marked = MarkedKey(path: InstancePath(steps).description, version: version)
        }
        self.marked = marked
        suspects = SuspectedSecrets.all(in: root)
    }

    /// Why it is not delivered so, together with what versions of the app would refuse; nothing where it may be.
    ///
    /// A marked key is refused whatever is forced. What an app would refuse and values that look like secrets are named
    /// in one refusal, so that an administrator who forces it has seen both. Where it `isPresent`, it is delivered so
    /// already: then its values are not asked about again.
    package func refusal(
        beside errors: [ConfigurationViolation] = [], isForced: Bool, isPresent: Bool = false
    ) -> AdminRefusal? {
        if let markedRefusal { return markedRefusal }
        let found = isPresent ? errors : errors + violations
        return isForced || found.isEmpty ? nil : .violations(found)
    }

    /// The values that look like secrets, as violations for which it is refused unless that is forced.
    package var violations: [ConfigurationViolation] {
        suspects.prefix(Self.mostFound).map { ConfigurationViolation(finding: $0.finding, versions: []) }
    }

    /// Why a key that the app marks as sensitive is not delivered so, whatever is forced.
    package var markedRefusal: AdminRefusal? {
        guard let marked else { return nil }
        let key = marked.path.isEmpty ? "the whole configuration" : "the key “\(Self.shown(marked.path))”"
        return .invalid(
            rule: "Version \(marked.version) of the app marks \(key) as sensitive, and a defaults dictionary is "
                + "readable while the device is locked. Deliver the configuration by the framework, or leave the key "
                + "out and assign its value as a secret.")
    }

    /// The keys whose values look like secrets, for the audit log if an administrator forces them.
    var named: [String] { suspected.prefix(Self.mostFound).map(Self.shown) }

    package var warnings: [String] {
        guard !suspected.isEmpty else { return [] }
        let named = suspected.prefix(Self.mostNamed).map { "“\(Self.shown($0))”" }.joined(separator: ", ")
        let more = suspected.count > Self.mostNamed ? " and \(suspected.count - Self.mostNamed) more" : ""
        return [
            "A defaults dictionary is readable while the device is locked, and these values look like secrets: "
                + "\(named)\(more). Assign them as secrets instead, or deliver the configuration by the framework."
        ]
    }

    private static func shown(_ path: String) -> String {
        path.count > longestPath ? String(path.prefix(longestPath)) + "…" : path
    }

    // MARK: Keys that are marked

    private static func sensitiveKey(
        in value: PropertyListValue, _ key: SpecifiedKey, _ steps: [InstanceStep]
    ) -> [InstanceStep]? {
        if key.isSensitive { return steps }
        switch value {
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let inner = key[name] ?? key.values.first else { continue }
                if let found = sensitiveKey(in: member, inner, steps + [.key(name)]) { return found }
            }
            return nil
        case .array(let items):
            guard let inner = key.item.first else { return nil }
            for (index, item) in items.enumerated() {
                if let found = sensitiveKey(in: item, inner, steps + [.index(index)]) { return found }
            }
            return nil
        default: return nil
        }
    }
}
