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
            (bytes, value) = (data, try Self.propertyList(data))
            return
        }
        let json: JSONValue
        do {
            json = try JSONValue(
                parsing: data,
                limits: InputLimits(bytes: max(data.count, 1), objects: InputLimits.configuration.objects))
        } catch {
            throw Unusable("this is no acceptable JSON: \(error.rule)")
        }
        guard json.object != nil else { throw Unusable("the outermost value of a configuration is an object") }
        do {
            let keys = specification?.configuration ?? SpecifiedKey("", .any)
            bytes = try keys.propertyList(json).xml()
        } catch {
            throw Unusable("\(error.path): \(error.rule)")
        }
        value = try Self.propertyList(bytes)
    }

    private static func propertyList(_ data: Data) throws(Unusable) -> PropertyListValue {
        let value: PropertyListValue
        do {
            value = try PropertyListValue(parsing: data, limits: .configuration)
        } catch {
            throw Unusable("this is no acceptable property list: \(error.rule)")
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
