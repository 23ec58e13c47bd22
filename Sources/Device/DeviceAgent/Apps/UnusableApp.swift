import Foundation

/// A directory in a directory of apps that says that it is an app, and is not used as one.
package struct UnusableApp: Error, Codable, Hashable, Sendable {
    /// How many are listed and logged at most; a device has tens of apps.
    package static let most = 64
    // What is listed goes in one answer.
    private static let mostBytes = 400

    /// Where it lies, for people to read: without control characters, and the end alone of what is very long.
    package let directory: String

    /// The app that it says it is, as far as that could be read.
    package let identifier: String?

    /// Which file breaks which rule, or which directory is used instead; nothing of the file's content is in it.
    package let reason: String

    package init(_ rule: AppRule, directory: String, identifier: String? = nil) {
        self.directory = Self.readable(directory)
        self.identifier = identifier
        reason = rule.description
    }

    /// Whether a person means it by the app's identifier, or by its directory.
    package func isMeant(by name: String) -> Bool {
        identifier == name
            || name.contains("/") && directory == Self.readable(URL(fileURLWithPath: name).standardizedFileURL.path)
    }

    /// A path as one bounded line.
    package static func readable(_ path: String) -> String {
        let plain = String(String.UnicodeScalarView(path.unicodeScalars.map { isPlain($0) ? $0 : "\u{FFFD}" }))
        guard plain.utf8.count > mostBytes else { return plain }
        return "…" + String(decoding: plain.utf8.suffix(mostBytes), as: UTF8.self)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}

/// Why a directory in a directory of apps is not used: the rule, never what its `Info.plist` says.
package enum AppRule: Error, Hashable {
    /// The directory's name ends with `.app`, and it has no `Info.plist`.
    case absent
    case notRegular
    /// The system's error number.
    case unreadable(Int32)
    case tooLarge(most: Int)
    case malformed(String)
    case missing(key: String)
    case mistyped(key: String)
    case identifier
    case executable
    case program
    /// Another directory has the same identifier and comes first.
    case taken(by: String)
}

extension AppRule: CustomStringConvertible {
    package var description: String {
        switch self {
        case .absent: "Info.plist is missing"
        case .notRegular: "Info.plist is not a regular file"
        case .unreadable(let number): "Info.plist cannot be read: \(unsafe String(cString: strerror(number)))"
        case .tooLarge(let most): "Info.plist is larger than \(most) bytes"
        case .malformed(let rule): "Info.plist is no property list of an app: \(rule)"
        case .missing(let key): "Info.plist has no \(key)"
        case .mistyped(let key): "Info.plist has a value of another type for \(key)"
        case .identifier:
            "CFBundleIdentifier in Info.plist is not 1 to 255 ASCII letters, digits, hyphens and dots, the first no dot"
        case .executable: "CFBundleExecutable in Info.plist is not the name of a file in the app's own directory"
        case .program: "the program that CFBundleExecutable in Info.plist names is missing, or cannot be executed"
        case .taken(let directory): "another directory has the same CFBundleIdentifier and is used: \(directory)"
        }
    }
}
