import AppPackages
import Foundation
import InputBounds

/// Finds the apps that lie in the device's app directories.
package enum AppCatalog {
    // A device has tens of apps; a directory with more entries is not an app directory.
    private static let mostEntries = 1_024
    // An `Info.plist` is a few kilobytes.
    private static let limits = InputLimits(bytes: 262_144, depth: 16, objects: 10_000)

    /// The apps below `directories`, in order; where two have the same identifier, the first wins.
    package static func scan(_ directories: [String]) -> [AppBundle] {
        var seen: Set<String> = []
        return directories.flatMap(bundles).filter { seen.insert($0.identifier).inserted }
    }

    /// The app with this identifier.
    package static func find(_ identifier: String, in directories: [String]) -> AppBundle? {
        scan(directories).first { $0.identifier == identifier }
    }

    /// The app that lies in a directory, if one does.
    package static func bundle(at directory: String) -> AppBundle? {
        let directory = URL(fileURLWithPath: directory).standardizedFileURL.path
        guard let (information, data) = information(at: directory + "/Info.plist"),
            isIdentifier(information.identifier), isName(information.executable)
        else { return nil }
        let executable = directory + "/" + information.executable
        guard isProgram(executable) else { return nil }
        let extensions = information.extensions == nil ? [] : AppExtension.all(in: data, of: information.identifier)
        let version = information.version ?? information.shortVersion ?? "0"
        return AppBundle(
            directory: directory, identifier: information.identifier,
            name: information.name ?? information.executable, version: version,
            shortVersion: information.shortVersion ?? version, executable: executable,
            readsFiles: information.readsFiles ?? false, isIsolated: information.isIsolated ?? false,
            isOffline: information.isOffline ?? false,
            desktopEntry: information.desktopEntry.flatMap { isPath($0) ? directory + "/" + $0 : nil },
            extensions: extensions.filter { isProgram(directory + "/" + $0.executable.text) })
    }

    private static func isProgram(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    private static func bundles(in directory: String) -> [AppBundle] { entries(of: directory).compactMap(bundle) }

    /// What lies in a directory of apps, app or not; nothing if it is more than apps are.
    static func entries(of directory: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        guard entries.count <= mostEntries else { return [] }
        return entries.sorted().map { directory + "/" + $0 }
    }

    private static func information(at path: String) -> (Information, Data)? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: limits.bytes + 1),
            (try? PropertyListScan.check(data, limits: limits)) != nil
        else { return nil }
        return (try? PropertyListDecoder().decode(Information.self, from: data)).map { ($0, data) }
    }

    // The characters that bundle identifiers have everywhere; they end up in paths and on the wire.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                        || scalar == "." || scalar == "-")
            }
    }

    // A file in the app's own directory, not a path out of it. By bytes, as the system cuts a path: before a combining
    // mark, a slash is another character to Swift.
    private static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text != "." && text != ".." && !text.utf8.contains(0)
            && !text.utf8.contains(UInt8(ascii: "/"))
    }

    // A file somewhere in the app's own directory.
    private static func isPath(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isName(String($0)) }
    }

    private struct Information: Decodable {
        let identifier: String
        let executable: String
        let name: String?
        let version: String?
        let shortVersion: String?
        let readsFiles: Bool?
        let isIsolated: Bool?
        let isOffline: Bool?
        let desktopEntry: String?
        let extensions: Presence?

        enum CodingKeys: String, CodingKey {
            case identifier = "CFBundleIdentifier"
            case executable = "CFBundleExecutable"
            case name = "CFBundleName"
            case version = "CFBundleVersion"
            case shortVersion = "CFBundleShortVersionString"
            case readsFiles = "MartletFiles"
            case isIsolated = "MartletIsolated"
            case isOffline = "MartletOffline"
            case desktopEntry = "MartletDesktopEntry"
            case extensions = "MartletExtensions"
        }
    }
    /// That there is something, whatever it is.
    private struct Presence: Decodable {
        init(from decoder: any Decoder) {}
    }
}
