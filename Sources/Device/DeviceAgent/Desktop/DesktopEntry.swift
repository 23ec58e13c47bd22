package import Foundation
import InputBounds

/// What a desktop shows of an app and does when somebody picks it, as freedesktop.org's Desktop Entry Specification has it.
///
/// What the developer wrote says how the app is shown. How it is started is the agent's to say.
package struct DesktopEntry: Equatable, Sendable {
    /// The app's own words: keys, languages in brackets, and values.
    let shown: [(key: String, value: String)]
    /// Whether it takes addresses of what it is to open.
    let takesAddresses: Bool

    package static func == (one: Self, other: Self) -> Bool {
        one.takesAddresses == other.takesAddresses && one.shown.elementsEqual(other.shown, by: ==)
    }

    /// Entries of desktops' own programs, in all languages, have some 30 KiB.
    package static let longest = 131_072

    // Those that say how the app is shown. Others start programs, or speak of a session bus that the app does not have.
    private static let kept: Set<String> = [
        "Categories", "Comment", "GenericName", "Icon", "Keywords", "MimeType", "Name", "NoDisplay", "NotShowIn",
        "OnlyShowIn", "StartupNotify", "StartupWMClass", "Terminal",
    ]
    private static let header = "[Desktop Entry]"

    /// Reads an entry; nothing if it is none of an application.
    package init?(parsing bytes: Data) {
        guard bytes.count <= Self.longest, let text = String(data: bytes, encoding: .utf8) else { return nil }
        var group = ""
        var values: [String: String] = [:]
        var order: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                guard !(group.isEmpty && line != Self.header) else { return nil }
                group = String(line)
                continue
            }
            guard group == Self.header else { continue }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let key = parts[0].trimmingCharacters(in: .whitespaces)
            guard Self.isKey(key), values[key] == nil else { continue }
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { continue }
            values[key] = value
            order.append(key)
        }
        guard values["Type"] == "Application", values["Name"]?.isEmpty == false else { return nil }
        takesAddresses = values["Exec"].map { $0.contains("%u") || $0.contains("%U") } ?? false
        shown = order.compactMap { key in
            guard Self.kept.contains(String(key.prefix { $0 != "[" })) else { return nil }
            return values[key].map { (key, $0) }
        }
    }

    /// The entry of an app that the agent of `directory` opens by `command`.
    ///
    /// An icon that lies in the app is named by its path; others are the desktop's.
    package func text(of app: AppBundle, opened command: [String], byAgentOf directory: String) -> String {
        var lines = [Self.header, "Type=Application"]
        for (key, value) in shown {
            lines.append("\(key)=\(key == "Icon" ? icon(value, of: app) : value)")
        }
        let addresses = takesAddresses ? ["--", "%U"] : []
        lines.append("Exec=" + (command.map(Self.quoted) + addresses).joined(separator: " "))
        lines.append(Self.mark(of: directory))
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line by which an agent knows the entries that are its own.
    static func mark(of directory: String) -> String {
        "X-Martlet-Directory="
            + directory.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\n", with: "\\n")
            .replacing(scalars: "\r", with: "\\r")
    }

    private func icon(_ name: String, of app: AppBundle) -> String {
        // By bytes, as the system cuts a path: before a combining mark, a slash is another character to Swift.
        let steps = name.utf8.split(separator: UInt8(ascii: "/"))
        guard !name.hasPrefix("/"), !steps.contains(where: { $0.elementsEqual("..".utf8) }) else { return name }
        let path = app.directory + "/" + name
        return FileManager.default.fileExists(atPath: path) ? path : name
    }

    private static func isKey(_ key: String) -> Bool {
        !key.isEmpty
            && key.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-[]_@.".utf8.contains(byte)
            }
    }

    /// An argument of `Exec`: quoted, then escaped as every value is.
    private static func quoted(_ argument: String) -> String {
        let plain = argument.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./+:@,".utf8.contains(byte)
        }
        if plain, !argument.isEmpty { return argument }
        var inside = ""
        for scalar in argument.unicodeScalars {
            if "\"`$\\".unicodeScalars.contains(scalar) { inside += "\\" }
            inside += scalar == "%" ? "%%" : String(scalar)
        }
        return "\"" + inside.replacing(scalars: "\\", with: "\\\\") + "\""
    }
}
