import DeviceMessages
package import Foundation
package import InputBounds

/// A configuration that a command brings.
package enum CommandedConfiguration {
    /// Reads a file, or standard input; what a text of JSON means says the app's specification, where the app is named.
    static func read(_ path: String, of app: String?) async throws -> PropertyListValue {
        let input = try ConfigurationDocument.input(at: path)
        let form = ConfigurationDocument.form(of: input, path: path)
        guard let app else { return try value(of: ConfigurationDocument(reading: input, as: form).bytes) }
        let document = try await ConfigurationDocument.read(input, as: form, of: app)
        return try value(of: document.bytes)
    }

    /// The dictionary, within what a command may bring.
    package static func value(of bytes: Data) throws(Failure) -> PropertyListValue {
        do throws(InputRefusal) {
            let value = try PropertyListValue(parsing: bytes, limits: .configuration)
            try AppCommandBounds.check(value, key: "Configuration")
            return value
        } catch {
            throw Failure(
                .refused, "a command cannot bring this configuration: \(error.sentence)",
                advice: "A larger one is assigned to a group: martlet configuration set and martlet assign.")
        }
    }
}
