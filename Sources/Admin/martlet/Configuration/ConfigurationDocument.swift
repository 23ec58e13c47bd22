import AdminMessages
package import AppSpecification
import ArgumentParser
package import Foundation
package import InputBounds

/// In which form a configuration is written.
package enum DocumentForm: String, ExpressibleByArgument, Sendable, CaseIterable {
    case plist
    case json
}

/// A configuration as it will be sent: a property list, judged before it leaves.
package struct ConfigurationDocument: Sendable, Equatable {
    /// JSON may be longer than the property list it stands for, but not without end.
    private static let largestInput = 8 * 1_024 * 1_024

    package let bytes: Data

    /// Reads what an administrator wrote.
    ///
    /// A property list is sent exactly as it is, JSON becomes an XML property list. What a text of JSON means say `keys`,
    /// those of the app's specification.
    package init(
        reading input: Data, as form: DocumentForm, keys: SpecifiedKey = SpecifiedKey("", .any)
    ) throws(Failure) {
        switch form {
        case .plist:
            try Self.checkSize(input.count)
            let value: PropertyListValue
            do {
                value = try PropertyListValue(parsing: input, limits: .configuration)
            } catch {
                throw Failure(
                    .refused, "this is no acceptable property list: \(error.sentence)",
                    advice: Self.otherForm(input, than: .plist))
            }
            guard case .dictionary = value else {
                throw Failure(.refused, "the outermost value of a configuration is a dictionary")
            }
            bytes = input
        case .json: bytes = try ConfigurationDocument(Self.json(input), keys: keys).bytes
        }
    }

    /// Makes the property list that a configuration in JSON means.
    package init(_ value: JSONValue, keys: SpecifiedKey) throws(Failure) {
        bytes = try PropertyListFromJSON.convert(value, as: keys).xml()
        try Self.checkSize(bytes.count)
    }

    /// The JSON that an administrator wrote, whatever it means.
    package static func json(_ input: Data) throws(Failure) -> JSONValue {
        do {
            return try JSONValue(
                parsing: input, limits: InputLimits(bytes: largestInput, objects: InputLimits.configuration.objects))
        } catch {
            throw Failure(
                .refused, "this is no acceptable JSON: \(error.sentence)", advice: otherForm(input, than: .json))
        }
    }

    package var warning: String? { ConfigurationSize.warning(bytes: bytes.count) }

    private static func checkSize(_ count: Int) throws(Failure) {
        guard count <= ConfigurationSize.limit else {
            throw Failure(
                .refused, "\(ConfigurationSize.rule), and this one has \(count)",
                advice: "Put large data elsewhere and configure where it is.")
        }
    }

    /// The form of a file: by its name, else by how it begins.
    package static func form(of input: Data, path: String) -> DocumentForm {
        switch (path as NSString).pathExtension.lowercased() {
        case "json": return .json
        case "plist", "xml": return .plist
        default:
            return form(of: input)
        }
    }

    /// The form of a file by how it begins; a byte order mark may stand before it.
    private static func form(of input: Data) -> DocumentForm {
        let first = input.first { !" \n\r\t\u{FEFF}".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .plist
    }

    /// What to do with a file that begins as the other form does.
    private static func otherForm(_ input: Data, than form: DocumentForm) -> String? {
        let found = self.form(of: input)
        guard found != form, input.contains(where: { "{[<".utf8.contains($0) }) else { return nil }
        return found == .json
            ? "It begins as JSON does: give --format json, or name it .json."
            : "It begins as a property list does: give --format plist, or name it .plist."
    }

    /// The bytes of a file, or of standard input for `-`.
    static func input(at path: String) throws(Failure) -> Data {
        let bytes = try ReadFile.bytes(at: path, upTo: largestInput)
        guard bytes.count <= largestInput else {
            throw Failure(.refused, "\(ConfigurationSize.rule), and this file is far larger")
        }
        return bytes
    }
}
