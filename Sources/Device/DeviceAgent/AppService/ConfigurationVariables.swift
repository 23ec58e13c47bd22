package import Foundation
import InputBounds

/// A configuration as environment variables, for programs that read nothing else.
///
/// `server.port` becomes `CONFIG_SERVER__PORT`: the names on the way joined by two underscores, in capitals, with every
/// character that is no letter or digit an underscore; places in an array count from 0. Where two would have one name,
/// neither is there.
package enum ConfigurationVariables {
    /// What names begin with where nobody says otherwise: so a configuration sets nothing that a loader, a shell or an
    /// interpreter obeys.
    package static let usualPrefix = "CONFIG_"

    // Linux takes 128 KiB for one variable; all together leave room for arguments.
    private static let longestVariable = 65_536
    private static let longestWhole = 524_288
    private static let longestPrefix = 64

    /// A prefix that names can begin with; the usual one for nothing.
    package static func prefix(_ text: String?) -> String? {
        guard let text else { return usualPrefix }
        let isName = text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
        guard isName, (1...longestPrefix).contains(text.utf8.count), text.utf8.first.map({ $0 > 57 }) == true,
            AppEnvironment.isAllowed(text + "_")
        else { return nil }
        return text
    }

    /// The variables of a configuration; what is too long for one is not among them.
    package static func of(_ configuration: Data?, prefix: String) -> [String: String] {
        guard let configuration,
            let value = try? PropertyListValue(parsing: configuration, limits: .configuration)
        else { return [:] }
        var found: [String: [String]] = [:]
        gather(value, "", &found)
        var left = longestWhole
        var variables: [String: String] = [:]
        for (name, values) in found.sorted(by: { $0.key < $1.key }) {
            guard values.count == 1, let value = values.first, !value.utf8.contains(0) else { continue }
            let length = prefix.utf8.count + name.utf8.count + value.utf8.count + 2
            // A short prefix and a chosen key could together name what a loader obeys.
            guard length <= longestVariable, length <= left, AppEnvironment.isAllowed(prefix + name) else { continue }
            left -= length
            variables[prefix + name] = value
        }
        return variables
    }

    private static func gather(_ value: PropertyListValue, _ name: String, _ found: inout [String: [String]]) {
        switch value {
        case .dictionary(let entries):
            for (key, entry) in entries { gather(entry, joined(name, plain(key)), &found) }
        case .array(let items):
            for (place, item) in items.enumerated() { gather(item, joined(name, "\(place)"), &found) }
        default:
            found[name, default: []].append(text(of: value))
        }
    }

    private static func joined(_ name: String, _ part: String) -> String {
        name.isEmpty ? part : name + "__" + part
    }

    // As in the app's configuration in JSON, without the quotes.
    private static func text(of value: PropertyListValue) -> String {
        let json = JSONValue(describing: value)
        return json.string ?? String(decoding: json.encoded(), as: UTF8.self)
    }

    private static func plain(_ key: String) -> String {
        String(
            decoding: key.utf8.map { byte in
                guard isLetterOrDigit(byte) else { return UInt8(ascii: "_") }
                return byte >= UInt8(ascii: "a") ? byte - 32 : byte
            }, as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
