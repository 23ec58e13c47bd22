import Foundation
import InputBounds
package import JSONSchema

/// A difference as people read it.
extension KeyDifference {
    /// What became of which key, such as `~ servers[0].port`.
    package var keyText: String {
        "\(change.sign) \(path.steps.isEmpty ? "(all of it)" : Printable.line(path.description))"
    }

    /// The values before and after, to follow the key.
    package var valuesText: String {
        let texts = [old, new].compactMap { $0.map(Self.text) }
        return texts.isEmpty ? "" : ": " + texts.joined(separator: " → ")
    }

    private static func text(_ value: PropertyListValue) -> String {
        switch value {
        case .string(let text): Printable.line("“\(text)”")
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let date): date.shown
        case .data(let data): "\(data.count) bytes"
        case .array(let elements): "[\(elements.map(text).joined(separator: ", "))]"
        case .dictionary(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\(Printable.line($0.key)): \(text($0.value))" }.joined(separator: ", "))}"
        }
    }
}
