import AppPackages
import Foundation

/// Finds the apps that lie in the device's app directories.
package enum AppCatalog {
    // A device has tens of apps; a directory with more entries is not an app directory.
    private static let mostEntries = 1_024

    /// The apps below `directories`, in order; where two have the same identifier, the first is used.
    package static func scan(_ directories: [String]) -> [AppBundle] { find(in: directories).apps }

    /// The app with this identifier.
    package static func find(_ identifier: String, in directories: [String]) -> AppBundle? {
        scan(directories).first { $0.identifier == identifier }
    }

    /// The apps below `directories` with those that are not used, `UnusableApp.most` of them at most.
    package static func find(in directories: [String]) -> (apps: [AppBundle], unusable: [UnusableApp]) {
        var (apps, unusable): ([AppBundle], [UnusableApp]) = ([], [])
        var used: [String: String] = [:]
        for entry in directories.flatMap(entries) {
            do throws(UnusableApp) {
                guard let app = try read(entry) else { continue }
                if let first = used[app.identifier] {
                    // A link to the app, or a directory that is searched twice, is no second app.
                    guard !isSame(first, app.directory) else { continue }
                    throw UnusableApp(
                        .taken(by: UnusableApp.readable(first)), directory: app.directory, identifier: app.identifier)
                }
                used[app.identifier] = app.directory
                apps.append(app)
            } catch {
                if unusable.count < UnusableApp.most, !unusable.contains(error) { unusable.append(error) }
            }
        }
        return (apps, unusable)
    }

    /// The app that lies in a directory, if one does.
    package static func bundle(at directory: String) -> AppBundle? { try? read(directory) }

    /// The app that lies in a directory, or why it cannot be used; nothing of a directory that does not say that it is one.
    ///
    /// It says so by an `Info.plist`, or by a name that ends with `.app`.
    package static func read(_ directory: String) throws(UnusableApp) -> AppBundle? {
        let directory = URL(fileURLWithPath: directory).standardizedFileURL.path
        let data: Data
        let information: InformationFile
        do throws(AppRule) {
            guard let content = try InformationFile.content(at: directory + "/Info.plist") else {
                guard directory.hasSuffix(".app"), isDirectory(directory) else { return nil }
                throw AppRule.absent
            }
            data = content
            information = try InformationFile(parsing: content)
            guard isIdentifier(information.identifier) else { throw AppRule.identifier }
        } catch {
            throw UnusableApp(error, directory: directory)
        }
        let executable = directory + "/" + information.executable
        guard isName(information.executable) else {
            throw UnusableApp(.executable, directory: directory, identifier: information.identifier)
        }
        guard isProgram(executable) else {
            throw UnusableApp(.program, directory: directory, identifier: information.identifier)
        }
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

    /// Whether two paths lead to one directory.
    private static func isSame(_ path: String, _ other: String) -> Bool {
        path == other
            || URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                == URL(fileURLWithPath: other).resolvingSymlinksInPath().path
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    private static func isProgram(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    /// What lies in a directory of apps, app or not; nothing if it is more than apps are.
    static func entries(of directory: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        guard entries.count <= mostEntries else { return [] }
        return entries.sorted().map { directory + "/" + $0 }
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
}
