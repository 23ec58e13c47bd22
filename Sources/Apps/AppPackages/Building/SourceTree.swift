import Crypto
import Glibc

/// A directory that is to become a package: its files, found without following anything out of it.
package struct SourceTree {
    /// A file to be packed and where it lies.
    package struct File: Sendable {
        package let path: PackagePath
        package let location: String
        let isExecutable: Bool
    }

    package private(set) var files: [File] = []
    /// Directories without files, which a package does not hold.
    package private(set) var emptyDirectories: [String] = []

    /// Finds the files below `directory`, and gives the two files beside the app their places.
    package init(
        directory: String, entitlements: String? = nil, specification: String? = nil
    ) throws(PackageRefusal) {
        try find(in: directory, below: "", depth: 0)
        for (path, location) in [(PackagePath.entitlements, entitlements), (.specification, specification)] {
            if let location { files.append(File(path: path, location: location, isExecutable: false)) }
        }
        files.sort { $0.path < $1.path }
    }

    private mutating func find(in directory: String, below prefix: String, depth: Int) throws(PackageRefusal) {
        guard depth < PackageLimits.depth else { throw PackageRefusal(.path, file: prefix) }
        let names = try Self.names(in: directory)
        if names.isEmpty, !prefix.isEmpty { emptyDirectories.append(prefix) }
        for name in names {
            guard let text = String(validating: name, as: UTF8.self) else {
                throw PackageRefusal(.path, file: prefix + String(decoding: name, as: UTF8.self))
            }
            let (path, location) = (prefix + text, directory + "/" + text)
            var status = stat()
            guard unsafe lstat(location, &status) == 0 else { throw PackageRefusal(.unreadable, file: location) }
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                try find(in: location, below: path + "/", depth: depth + 1)
            case S_IFREG:
                guard status.st_mode & 0o7000 == 0 else { throw PackageRefusal(.privileged, file: location) }
                guard files.count < PackageLimits.files else { throw PackageRefusal(.tooManyFiles) }
                let packed = try PackagePath(path)
                guard !packed.isReserved else { throw PackageRefusal(.pathReserved, file: path) }
                files.append(File(path: packed, location: location, isExecutable: status.st_mode & 0o100 != 0))
            case S_IFLNK: throw PackageRefusal(.link, file: location)
            default: throw PackageRefusal(.special, file: location)
            }
        }
    }

    private static func names(in directory: String) throws(PackageRefusal) -> [[UInt8]] {
        guard let stream = unsafe opendir(directory) else { throw PackageRefusal(.unreadable, file: directory) }
        defer { unsafe closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name != [0x2E] && name != [0x2E, 0x2E] { names.append(name) }
            guard names.count <= PackageLimits.files else { throw PackageRefusal(.tooManyFiles) }
        }
        guard errno == 0 else { throw PackageRefusal(.unreadable, file: directory) }
        return names
    }

    /// Reads every file once and lists it with its digest.
    package func list(progress: (UInt64) -> Void = { _ in }) throws(PackageRefusal) -> PackageList {
        var entries: [PackageEntry] = []
        var done: UInt64 = 0
        for file in files {
            var hash = SHA256()
            var size: UInt64 = 0
            try Self.read(file) { (piece) throws(PackageRefusal) in
                hash.update(data: piece)
                size += UInt64(piece.count)
                guard size <= PackageLimits.file else { throw PackageRefusal(.fileTooLarge, file: file.location) }
                done += UInt64(piece.count)
                progress(done)
            }
            entries.append(
                PackageEntry(
                    path: file.path, size: size, isExecutable: file.isExecutable, digest: Array(hash.finalize())))
        }
        return try PackageList(entries)
    }

    static func read(
        _ file: File, _ body: (ArraySlice<UInt8>) throws(PackageRefusal) -> Void
    ) throws(PackageRefusal) {
        let source = try PackageFile(path: file.location)
        var buffer = [UInt8](repeating: 0, count: 131_072)
        while true {
            let count = try source.read(into: &buffer, at: 0)
            guard count > 0 else { return }
            try body(buffer[..<count])
        }
    }
}
