import AppPackages
package import Foundation

/// The files of a directory that others wrote, within bounds: nothing outside of it is read, and nothing without end.
package struct DirectoryFiles {
    /// Enough for thousands of apps; more is not a fleet's description.
    package static let mostFiles = 20_000
    package static let mostBytes = 256 << 20

    package let root: URL
    private let real: String
    private var files = 0
    private var bytes = 0

    package init(_ path: String) throws(Failure) {
        root = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: root.path, isDirectory: &isDirectory),
            isDirectory.boolValue,
            let real = Self.real(root.path)
        else {
            throw Failure(.notFound, "there is no such directory", advice: "Its path is \(Printable.line(path)).")
        }
        self.real = real
    }

    /// The names in a folder, in order; nothing where there is none.
    ///
    /// What is for people and for Git is left out.
    package mutating func names(in folder: String) throws(Failure) -> [String] {
        let path = root.appending(path: folder).path
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        try requireInside(path, folder)
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw Failure(.refused, "this is no folder that can be read: \(Printable.line(folder))")
        }
        files += all.count
        guard files <= Self.mostFiles else {
            throw Failure(.refused, "a directory has at most \(Self.mostFiles) files")
        }
        return all.filter { !isForPeople($0, in: folder) }.sorted()
    }

    /// Whether a name is none of a thing: hidden, or a text about the directory.
    ///
    /// Things may be called so, too: an app is a folder, such as `com.example.md`, and a configuration has the ending of
    /// its form, such as `README.plist`.
    private func isForPeople(_ name: String, in folder: String) -> Bool {
        if name.hasPrefix(".") { return true }
        let ofThings = ["json", "plist", "pem"]
        guard name.hasSuffix(".md") || name.hasPrefix("README"),
            !ofThings.contains((name as NSString).pathExtension)
        else { return false }
        return !isFolder(folder.isEmpty ? name : "\(folder)/\(name)")
    }

    package func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: root.appending(path: path).path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }

    /// The bytes of a file.
    package mutating func read(_ name: String, upTo limit: Int) throws(Failure) -> Data {
        let path = root.appending(path: name).path
        try requireInside(path, name)
        // Not to wait for who would write to a pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(.failed, "\(Printable.line(name)) cannot be read") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard OpenedFile.isRegular(descriptor) else {
            throw Failure(.refused, "\(Printable.line(name)) is no file")
        }
        guard let data = try? file.read(upToCount: limit + 1) ?? Data() else {
            throw Failure(.failed, "\(Printable.line(name)) cannot be read")
        }
        guard data.count <= limit else {
            throw Failure(.refused, "\(Printable.line(name)) is larger than \(limit) bytes")
        }
        bytes += data.count
        guard bytes <= Self.mostBytes else {
            throw Failure(.refused, "the files of a directory have at most \(Self.mostBytes) bytes together")
        }
        return data
    }

    private func requireInside(_ path: String, _ name: String) throws(Failure) {
        guard let found = Self.real(path) else {
            throw Failure(.failed, "\(Printable.line(name)) cannot be read")
        }
        guard Self.isInside(found, real) else {
            throw Failure(.refused, "\(Printable.line(name)) is a link that leads out of the directory")
        }
    }

    static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// The path without any links; nothing where there is nothing.
    static func real(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
