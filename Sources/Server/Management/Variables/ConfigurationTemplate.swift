import AppSpecification
package import Foundation
package import InputBounds

/// A configuration with variables in its texts: what one device gets follows from the device's values.
package struct ConfigurationTemplate: Sendable, Equatable {
    /// What became of a template for one device.
    package enum Filled: Sendable, Equatable {
        case bytes(Data)
        /// The device has no value for these variables.
        case missing([String])
        /// With the device's values it is larger than a configuration may be.
        case tooLarge
    }

    private let root: PropertyListValue
    /// The names it uses, sorted, each once.
    package let variables: [String]

    /// Reads bytes that were judged when they were set, maybe by rules that allowed more, such as `<data/>`.
    package init(parsing bytes: Data) throws {
        root = try PropertyListValue.reading(bytes, limits: .configuration).value
        variables = []
    }

    private init(_ root: PropertyListValue, variables: [String]) {
        self.root = root
        self.variables = variables
    }

    /// Judges a configuration: a template, or nothing when its texts hold no variables; throws the rule it breaks.
    package static func judge(_ root: PropertyListValue) throws(AdminRefusal) -> ConfigurationTemplate? {
        var names: Set<String> = []
        var isTemplate = false
        try collect(root, at: [], &names, &isTemplate)
        guard isTemplate else { return nil }
        let written = root.xml()
        guard written.count <= ConfigurationLimits.bytes else {
            throw .tooLarge(limit: ConfigurationLimits.bytes)
        }
        // What a device gets is written anew, as XML.
        guard isWritable(root),
            let again = try? PropertyListValue(parsing: written, limits: .configuration), again == root
        else {
            throw .invalid(
                rule: "A configuration with variables holds only what an XML property list can: no control "
                    + "characters and no fractions of seconds.")
        }
        return ConfigurationTemplate(root, variables: names.sorted())
    }

    /// The configuration of a device: the same bytes for the same values on every machine.
    package func filled(_ values: [String: String]) -> Filled {
        var filling = Filling(values: values)
        let value = filling.filled(root)
        guard filling.missing.isEmpty else { return .missing(filling.missing.sorted()) }
        guard filling.bytes <= ConfigurationLimits.bytes else { return .tooLarge }
        let bytes = value.xml()
        return bytes.count <= ConfigurationLimits.bytes ? .bytes(bytes) : .tooLarge
    }

    /// Fills in texts, and stops to grow when the whole is too large: a short text may stand for a long one many times.
    private struct Filling {
        let values: [String: String]
        var missing: Set<String> = []
        var bytes = 0

        mutating func filled(_ value: PropertyListValue) -> PropertyListValue {
            switch value {
            case .string(let text): return .string(filled(text))
            case .array(let elements): return .array(elements.map { filled($0) })
            case .dictionary(let members): return .dictionary(members.mapValues { filled($0) })
            default: return value
            }
        }

        private mutating func filled(_ text: String) -> String {
            guard VariableText.isTemplate(text), bytes <= ConfigurationLimits.bytes,
                let parts = VariableText(text)
            else { return text }
            missing.formUnion(parts.variables.filter { values[$0] == nil })
            let size = parts.parts.reduce(0) { size, part in
                switch part {
                case .plain(let text): size + text.utf8.count
                case .variable(let name): size + (values[name]?.utf8.count ?? 0)
                }
            }
            bytes += size
            guard bytes <= ConfigurationLimits.bytes else { return "" }
            return parts.filled(values) ?? ""
        }
    }

    /// Other readers of XML are stricter than ours.
    private static func isWritable(_ value: PropertyListValue) -> Bool {
        func isText(_ text: String) -> Bool {
            text.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20 ? scalar.value & 0xFFFE != 0xFFFE : "\t\n\r".unicodeScalars.contains(scalar)
            }
        }
        return switch value {
        case .string(let text): isText(text)
        case .array(let elements): elements.allSatisfy(isWritable)
        case .dictionary(let members): members.allSatisfy { isText($0.key) && isWritable($0.value) }
        default: true
        }
    }

    private static func collect(
        _ value: PropertyListValue, at path: [String], _ names: inout Set<String>, _ isTemplate: inout Bool
    ) throws(AdminRefusal) {
        switch value {
        case .string(let text):
            guard VariableText.isTemplate(text) else { return }
            isTemplate = true
            if let rule = DeviceVariables.brokenRule(in: text) {
                throw .invalid(rule: "The text at \(KeyPathLine.text(path)) \(rule).")
            }
            names.formUnion(DeviceVariables.used(in: text))
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try collect(element, at: path + ["[\(index)]"], &names, &isTemplate)
            }
        case .dictionary(let members):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                try collect(member, at: path + [key], &names, &isTemplate)
            }
        default: return
        }
    }
}

/// A place in a property list, as one short line for the administrator who wrote it.
enum KeyPathLine {
    private static let longest = 200

    static func text(_ path: [String]) -> String {
        var text = ""
        for step in path { text += step.hasPrefix("[") || text.isEmpty ? step : "." + step }
        let line = String(
            String.UnicodeScalarView(text.unicodeScalars.lazy.map { $0.properties.isPatternWhitespace ? " " : $0 }))
        return line.count > longest ? line.prefix(longest) + "…" : line
    }
}
