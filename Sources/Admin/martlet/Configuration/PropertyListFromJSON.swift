package import AppSpecification
package import InputBounds
import JSONSchema

/// Turns a configuration written as JSON into the property list that devices get.
///
/// Numbers written without fraction and exponent become integers, all others reals, texts dates and data where the
/// specification says so. What has no exact form in a property list is refused with the key path of the place, never
/// guessed.
package enum PropertyListFromJSON {
    /// The property list; `keys` are those of the app's specification, where it has one.
    package static func convert(
        _ value: JSONValue, as keys: SpecifiedKey = SpecifiedKey("", .any)
    ) throws(Failure) -> PropertyListValue {
        guard case .object = value else {
            throw Failure(.refused, "the outermost value of a configuration is an object")
        }
        do {
            return try keys.propertyList(value)
        } catch {
            let place = error.path.steps.isEmpty ? "" : " (key path: \(error.path))"
            throw Failure(.refused, error.rule + place, advice: error.advice)
        }
    }
}
