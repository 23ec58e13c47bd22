import AdminMessages
import ArgumentParser
package import Foundation
import InputBounds

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
    /// A property list is sent exactly as it is, JSON becomes an XML property list.
    package init(reading input: Data, as form: DocumentForm) throws(Failure) {
        switch form {
        case .plist:
            try Self.checkSize(input.count)
            let value: PropertyListValue
            do {
                value = try PropertyListValue(parsing: input, limits: .configuration)
            } catch {
                throw Failure(.refused, "this is no acceptable property list: \(error.rule)")
            }
            guard case .dictionary = value else {
                throw Failure(.refused, "the outermost value of a configuration is a dictionary")
            }
            bytes = input
        case .json:
            let limits = InputLimits(bytes: Self.largestInput, objects: InputLimits.configuration.objects)
            let value: JSONValue
            do {
                value = try JSONValue(parsing: input, limits: limits)
            } catch {
                throw Failure(.refused, "this is no acceptable JSON: \(error.rule)")
            }
            bytes = try PropertyListFromJSON.convert(value).xml()
            try Self.checkSize(bytes.count)
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
            let first = input.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .plist
        }
    }

    /// The bytes of a file, or of standard input for `-`.
    static func input(at path: String) throws(Failure) -> Data {
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let file, let bytes = try? read(file) else {
            throw Failure(.failed, "the file cannot be read", advice: "Its path is \(path).")
        }
        guard bytes.count <= largestInput else {
            throw Failure(.refused, "\(ConfigurationSize.rule), and this file is far larger")
        }
        return bytes
    }

    /// A pipe hands over its bytes in pieces.
    private static func read(_ file: FileHandle) throws -> Data {
        var bytes = Data()
        while bytes.count <= largestInput, let piece = try file.read(upToCount: 65_536), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }
}
