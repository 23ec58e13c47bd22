package import AppSpecification
import Foundation
package import InputBounds
import JSONSchema

/// The result of checking an app's defaults dictionary against its specification before the framework delivers the
/// same.
///
/// It names keys and types, and no value of the dictionary.
package struct LegacyJudgement: Encodable, Sendable {
    /// Something to be said of a key.
    package struct Remark: Encodable, Sendable, Equatable {
        package let severity: String
        package let path: String
        package let rule: String
        package let message: String
        package let suggestion: String?
    }

    /// A key that is left out, and what the app takes instead, as JSON.
    package struct LeftOut: Encodable, Sendable, Equatable {
        package let path: String
        package let value: String
    }

    /// A key at which another configuration differs: `added`, `changed` or `removed` by the dictionary.
    package struct Difference: Encodable, Sendable, Equatable {
        package let path: String
        package let change: String
    }

    /// The name of the configuration; nothing where a device has it by command.
    package let configuration: String?
    /// The configuration's newest version, which is judged here.
    package let version: Int?
    /// The device that has it by command.
    package let device: String?
    /// The groups that are given it as a dictionary.
    package let groups: [String]
    /// The version of the app whose specification judges; nothing where the app publishes none.
    package let specification: String?
    package let remarks: [Remark]
    package let defaults: [LeftOut]
    /// The paths of values that look like secrets.
    package let secrets: [String]
    /// The framework's configuration that it is compared with.
    package let against: String?
    package let differences: [Difference]

    /// Where a dictionary comes from.
    package enum Source: Sendable {
        case configuration(String, groups: [String], version: Int?)
        case device(String)
    }

    /// - Parameters:
    ///   - root: The dictionary.
    ///   - source: Where it comes from.
    ///   - published: What the app's newest version publishes; nothing where it publishes nothing.
    ///   - other: The framework's configuration of another name that the app has in other groups.
    package init(
        of root: PropertyListValue, from source: Source,
        by published: (version: String, specification: AppSpecification)?,
        against other: (name: String, root: PropertyListValue)? = nil
    ) {
        switch source {
        case .configuration(let name, let groups, let version):
            (configuration, device, self.groups, self.version) = (name, nil, groups, version)
        case .device(let name): (configuration, device, groups, version) = (nil, name, [], nil)
        }
        specification = published?.version
        remarks = (published?.specification.findings(in: root) ?? []).map { finding in
            Remark(
                severity: finding.severity.rawValue, path: finding.path.description, rule: finding.rule,
                message: finding.message, suggestion: finding.suggestion)
        }
        defaults = published.map { Self.leftOut(of: root, $0.specification.configuration, []) } ?? []
        secrets = SuspectedSecrets.paths(in: root).map(\.description)
        against = other?.name
        let found = other.map { KeyDifference.all(from: $0.root, to: root) } ?? []
        differences = found.map { Difference(path: $0.path.description, change: $0.change.rawValue) }
    }

    /// Whether the app's newest version would take it.
    package var isAcceptable: Bool { !remarks.contains { $0.severity == "error" } }

    private static func leftOut(
        of value: PropertyListValue, _ key: SpecifiedKey, _ steps: [InstanceStep]
    ) -> [LeftOut] {
        guard case .dictionary(let members) = value else { return [] }
        var found: [LeftOut] = []
        for inner in key.keys {
            let place = steps + [InstanceStep.key(inner.name)]
            if let member = members[inner.name] {
                found += leftOut(of: member, inner, place)
            } else if let value = inner.defaultValue {
                found.append(
                    LeftOut(
                        path: InstancePath(place).description, value: String(decoding: value.encoded(), as: UTF8.self)))
            }
        }
        return found
    }
}

extension LegacyJudgement {
    /// For people: one line for each thing to be said.
    package var text: String {
        var lines = [title]
        lines += remarks.map { remark in
            let key = remark.path.isEmpty ? "the whole" : remark.path
            return "\(remark.severity): \(key): \(remark.message)" + (remark.suggestion.map { ". \($0)" } ?? "")
        }
        lines += defaults.map { "left out: \($0.path): the app takes its default, \($0.value)" }
        lines += secrets.map { "looks like a secret: \($0): assign it as one, and leave the key out" }
        if let against {
            lines.append(
                differences.isEmpty
                    ? "the same as the framework's configuration \(against)"
                    : "against the framework's configuration \(against):")
        }
        lines += differences.map { "  \($0.change) \($0.path)" }
        if lines.count == 1 { lines.append("Nothing to be said against it.") }
        return lines.map(Printable.line).joined(separator: "\n")
    }

    private var title: String {
        let known = version.map { ", version \($0)" } ?? ""
        let given = configuration.map { "configuration \($0)\(known), given to \(groups.joined(separator: ", "))" }
        let name = given ?? "dictionary by command on \(device ?? "the device")"
        return name
            + (specification.map { ", by the specification of version \($0)" } ?? "; the app publishes no specification")
    }
}
