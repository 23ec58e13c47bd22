import AppSpecification
import Foundation
import InputBounds

/// A configuration as the app is going to get it.
struct ConfigurationFile: Equatable, Sendable {
    /// The property list, as it was written or made of JSON.
    let bytes: Data
    let value: PropertyListValue

    /// Reads a file; the ending of its name says what it is.
    ///
    /// Where the specification says that a text of JSON is a date or data, it becomes one.
    init(_ data: Data, named name: String, _ specification: AppSpecification?) throws(Unusable) {
        guard name.hasSuffix(".json") else {
            let written = try Self.propertyList(data)
            value = Self.unescaped(written)
            bytes = value == written ? data : value.xml()
            return
        }
        let json: JSONValue
        do {
            json = try JSONValue(
                parsing: data,
                limits: InputLimits(bytes: max(data.count, 1), objects: InputLimits.configuration.objects))
        } catch {
            throw Unusable("this is no acceptable JSON: \(error.sentence)")
        }
        guard json.object != nil else { throw Unusable("the outermost value of a configuration is an object") }
        do {
            let keys = specification?.configuration ?? SpecifiedKey("", .any)
            bytes = Self.unescaped(try keys.propertyList(json)).xml()
        } catch {
            throw Unusable("\(error.path): \(error.rule)" + (error.advice.map { ". \($0)" } ?? ""))
        }
        value = try Self.propertyList(bytes)
    }

    /// What the server makes of `$${`: the app's own `${`.
    ///
    /// A variable stays as it is written, for no device is here that fills it in.
    private static func unescaped(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .string(let text):
            guard VariableText.isTemplate(text), let cut = VariableText(text) else { return value }
            let parts = cut.parts.map { part in
                switch part {
                case .plain(let text): text
                case .variable(let name): "${\(name)}"
                }
            }
            return .string(parts.joined())
        case .array(let items): return .array(items.map(unescaped))
        case .dictionary(let entries): return .dictionary(entries.mapValues(unescaped))
        default: return value
        }
    }

    private static func propertyList(_ data: Data) throws(Unusable) -> PropertyListValue {
        let value: PropertyListValue
        do {
            value = try PropertyListValue(parsing: data, limits: .configuration)
        } catch {
            throw Unusable("this is no acceptable property list: \(error.sentence)")
        }
        guard value.dictionary != nil else { throw Unusable("the outermost value of a configuration is a dictionary") }
        return value
    }
}

/// Why a file cannot be used; nothing of what is in it.
package struct Unusable: Error, Equatable, Sendable {
    package let rule: String

    init(_ rule: String) { self.rule = rule }
}
