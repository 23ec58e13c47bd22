import CLinux
import Foundation

/// Software that the system's package manager installed, taken under management as an app.
///
/// Named by `AppComposedIdentifier` with a requirement in braces: `org.example.tool {debian tool /usr/bin/tool}`. The
/// package says that the program is its own; the program says nothing of itself.
package struct DebianSoftware: Hashable, Sendable {
    package let bundleIdentifier: String
    package let package: String
    /// The program to start.
    package let path: String

    // A list of a package's files; the largest of Debian has some fifty thousand. And the state of all packages.
    private static let listLimit = 16 << 20
    private static let statusLimit = 64 << 20

    /// Reads a composed identifier; nothing for one that names no software of the system.
    package init?(composedIdentifier text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("{"), parts[1].hasSuffix("}") else { return nil }
        let words = parts[1].dropFirst().dropLast().split(separator: " ")
        guard words.count == 3, words[0] == "debian", Self.isPackage(words[1]), Self.isPath(words[2]) else {
            return nil
        }
        bundleIdentifier = String(parts[0])
        package = String(words[1])
        path = String(words[2])
    }

    /// The software as it lies below `root`, if the package manager says that it does, and only root can change it.
    package func bundle(root: String = "") -> AppBundle? {
        guard owns(root: root), isSound(root + path), let version = version(root: root) else { return nil }
        return AppBundle(
            directory: "/", identifier: bundleIdentifier, name: package, version: version, shortVersion: version,
            executable: root + path)
    }

    private func owns(root: String) -> Bool {
        let folder = root + "/var/lib/dpkg/info/"
        let names = [package + ".list"] + ["amd64", "arm64"].map { "\(package):\($0).list" }
        return names.contains { name in
            guard let list = Self.read(folder + name, limit: Self.listLimit) else { return false }
            return list.split(separator: "\n").contains { $0 == path[...] }
        }
    }

    /// A program that another user could replace is not the package's any more.
    private func isSound(_ path: String) -> Bool {
        var file = clinux_file()
        // What a link of the package's leads to.
        let program = URL(filePath: path).resolvingSymlinksInPath().path
        guard unsafe clinux_file_look(program, &file) == 0 else { return false }
        return file.mode & S_IFMT == S_IFREG && file.owner == 0 && file.mode & 0o022 == 0 && file.mode & 0o111 == 0o111
    }

    private func version(root: String) -> String? {
        guard let status = Self.read(root + "/var/lib/dpkg/status", limit: Self.statusLimit),
            let start = status.range(of: "Package: \(package)\n")
        else { return nil }
        guard start.lowerBound == status.startIndex || status[status.index(before: start.lowerBound)] == "\n" else {
            return nil
        }
        let paragraph = status[start.lowerBound...].prefix(16_384).split(
            separator: "\n", omittingEmptySubsequences: false
        ).prefix { !$0.isEmpty }
        guard paragraph.contains("Status: install ok installed") else { return nil }
        let line = paragraph.first { $0.hasPrefix("Version: ") }
        return line.map { String($0.dropFirst("Version: ".count).prefix(64)) }
    }

    private static func read(_ path: String, limit: Int) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: limit + 1), data.count <= limit else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Names as Debian's policy has them.
    private static func isPackage(_ text: Substring) -> Bool {
        (2...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
            }
    }

    private static func isPath(_ text: Substring) -> Bool {
        // By bytes, as the system cuts a path: before a combining mark, a slash is another character to Swift.
        text.hasPrefix("/") && text.utf8.count <= 1_024
            && !text.utf8.split(separator: UInt8(ascii: "/")).contains {
                $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8)
            }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}
