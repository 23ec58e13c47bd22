package import Foundation
package import InputBounds

/// A command whose other keys are in a property list, which has types that JSON has not: data and dates.
package enum CommandParameters {
    private static let limits = InputLimits(bytes: 8 << 20, objects: 100_000)

    /// The command of this type with the keys of a property list, XML or binary.
    package static func request(requestType: String, propertyList: Data) throws(Failure) -> PropertyListValue {
        let value: PropertyListValue
        do throws(InputRefusal) {
            value = try PropertyListValue(parsing: propertyList, limits: limits)
        } catch {
            throw Failure(.refused, "the parameters cannot be read: \(error.sentence)")
        }
        guard var members = value.dictionary else {
            throw Failure(.refused, "the parameters must be a dictionary of the command's other keys")
        }
        if let other = members["RequestType"], other != .string(requestType) {
            throw Failure(
                .refused,
                "the parameters are of another command: their RequestType is not \(Printable.line(requestType))")
        }
        members["RequestType"] = .string(requestType)
        return .dictionary(members)
    }
}
