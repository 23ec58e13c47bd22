package import Foundation

/// What was built of this package, found by its path.
///
/// As dependencies, each change of a program would compile the tests anew.
package enum BuiltPrograms {
    /// A program or a library of the folder that MARTLET_BINARIES names if it is there, else of this build.
    package static func url(_ name: String) -> URL {
        if let folder = ProcessInfo.processInfo.environment["MARTLET_BINARIES"] {
            let other = URL(filePath: folder).appending(path: name)
            if FileManager.default.isExecutableFile(atPath: other.path) { return other }
        }
        let here =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        var directory = URL(filePath: here).deletingLastPathComponent()
        // The test bundle may sit one or two directories below the products.
        while directory.path.count > 1,
            !FileManager.default.isExecutableFile(atPath: directory.appending(path: name).path)
        {
            directory.deleteLastPathComponent()
        }
        return directory.appending(path: name)
    }
}
