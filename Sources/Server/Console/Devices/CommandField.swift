import Foundation
import InputBounds

/// What a command is given, and how people say it.
struct CommandField: Sendable {
    enum Shape: Sendable, Equatable {
        case text, optional, digits, names, flag, profile, object, dictionary, number
        /// A box; the command has this value where it is ticked, and nothing otherwise.
        case ticked(PropertyListValue)
    }

    let key: String
    let label: String
    let shape: Shape
    let hint: String?
    let usual: String

    init(_ key: String, _ label: String, _ shape: Shape, _ hint: String? = nil, usual: String = "") {
        (self.key, self.label, self.shape, self.hint, self.usual) = (key, label, shape, hint, usual)
    }

    /// What the command has under the key, nothing where it is left out, or why what was typed cannot be it.
    func value(of typed: String) -> Result<PropertyListValue?, CommandFieldRefusal> {
        let text = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        switch shape {
        case .flag: return .success(text == "1" ? .boolean(true) : nil)
        case .ticked(let value): return .success(text == "1" ? value : nil)
        case .number:
            guard !text.isEmpty else { return .success(nil) }
            guard let number = Int64(text) else { return .failure(.init(rule: "This is a whole number.")) }
            return .success(.integer(number))
        case .optional: return .success(text.isEmpty ? nil : .string(text))
        case .text: return text.isEmpty ? .failure(.init(rule: "Fill this in.")) : .success(.string(text))
        case .digits:
            guard text.isEmpty || text.wholeMatch(of: /[0-9]{6}/) != nil else {
                return .failure(.init(rule: "A PIN is six digits."))
            }
            return .success(text.isEmpty ? nil : .string(text))
        case .names:
            let names = text.split { $0.isWhitespace || $0 == "," }.map { PropertyListValue.string(String($0)) }
            return names.isEmpty ? .failure(.init(rule: "Name something.")) : .success(.array(names))
        case .profile:
            let data = Data(typed.replacing("\r\n", with: "\n").utf8)
            guard (try? PropertyListValue(parsing: data, limits: .configuration))?.dictionary != nil else {
                return .failure(.init(rule: "A profile is a property list with a dictionary."))
            }
            return .success(.data(data))
        case .dictionary: return Self.dictionary(text)
        case .object:
            guard !text.isEmpty else { return .success(nil) }
            guard let value = try? PropertyListValue(json: JSONValue(parsing: Data(text.utf8), limits: .configuration)),
                value.dictionary != nil
            else { return .failure(.init(rule: "These are a JSON object without null.")) }
            return .success(value)
        }
    }

    /// A property list in XML, whose values have types that JSON has not, or a JSON object.
    private static func dictionary(_ text: String) -> Result<PropertyListValue?, CommandFieldRefusal> {
        guard !text.isEmpty else { return .success(nil) }
        let bytes = Data(text.replacing("\r\n", with: "\n").utf8)
        let value: PropertyListValue?
        if text.hasPrefix("<") {
            value = try? PropertyListValue(parsing: bytes, limits: .configuration)
        } else {
            value = try? PropertyListValue(json: JSONValue(parsing: bytes, limits: .configuration))
        }
        guard let value, value.dictionary != nil else {
            return .failure(.init(rule: "This is a property list with a dictionary, or a JSON object without null."))
        }
        return .success(value)
    }
}

/// Why a command cannot be given what was typed; it never repeats it.
struct CommandFieldRefusal: Error, Equatable {
    let rule: String
}
