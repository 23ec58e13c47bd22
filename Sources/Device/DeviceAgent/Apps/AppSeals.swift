import AppPackages
import CLinux
import Crypto
import Foundation
import InputBounds
import Synchronization

/// What vouches for an app that lies unpacked on the device: its team's signature over the digests of its files.
package struct AppSeal: Sendable {
    /// The team that signed, if it is one that this device knows.
    package let team: String?

    /// The program, as it was when it was compared.
    let program: FileIdentity

    /// Whether the program is text that another program runs.
    let isScript: Bool
}

/// Which file something is; another file, or one that was written to since, is another.
struct FileIdentity: Hashable, Sendable {
    private let device, inode, size: UInt64
    private let changed, changedNanoseconds: Int64

    init(_ file: clinux_file) {
        (device, inode, size) = (file.device, file.inode, file.size)
        (changed, changedNanoseconds) = (file.changed, file.changed_nanoseconds)
    }

    /// The file at a path, or the link that lies there; nothing where nothing lies.
    init?(at path: String) {
        var file = clinux_file()
        guard unsafe clinux_file_look(path, &file) == 0 else { return nil }
        self.init(file)
    }

    /// Whether a file is this one after its last name was removed, which changes its time of change too.
    ///
    /// Nothing is admitted by this: the number of a removed file can be given to another one, written to at will.
    func isRemoved(as file: clinux_file) -> Bool {
        file.links == 0 && (file.device, file.inode, file.size) == (device, inode, size)
    }
}

/// Holds the files of signed apps against their lists, and remembers which it has read.
///
/// What the kernel says is the same file, unwritten since, is not read again: an app's first launch reads it whole,
/// those after it look at each file.
package final class AppSeals: Sendable {
    // What a device's apps have together; beyond it the digests are forgotten and made again.
    private static let mostFiles = 200_000

    private let digests = Mutex<[FileIdentity: [UInt8]]>([:])

    private let teams: @Sendable () -> KnownTeams

    package init(teams: @escaping @Sendable () -> KnownTeams = { KnownTeams() }) {
        self.teams = teams
    }

    /// Whether a directory says that it is of a signed package; what it holds is not looked at.
    package static func isSigned(_ directory: String) -> Bool {
        var file = clinux_file()
        return unsafe clinux_file_look(directory + "/" + PackagePath.reserved, &file) == 0
    }

    /// Judges an app's directory; nil for one that is of no signed package.
    package func check(_ bundle: AppBundle) throws(SealRefusal) -> AppSeal? {
        guard Self.isSigned(bundle.directory) else { return nil }
        let directory = bundle.directory + "/"
        let (list, signature) = try Self.signed(bundle.directory)
        let team = try teams().team(of: signature, over: list, in: bundle.directory)
        guard let listed = try? PackageList(parsing: list) else { throw .signature }
        try findStrangers(in: directory, beside: listed)
        // A program may be named by its real path: in a signed app nothing is a link, what leads to it may be one.
        let real = Self.real(bundle.directory) + "/"
        var program: (identity: FileIdentity, isScript: Bool)?
        for entry in listed.entries {
            let found = try compare(directory + entry.path.text, with: entry)
            if [directory, real].contains(where: { ($0 + entry.path.text).utf8.elementsEqual(bundle.executable.utf8) })
            {
                program = found
            }
        }
        guard let program else { throw .missing }
        return AppSeal(team: team, program: program.identity, isScript: program.isScript)
    }

    /// The team that signed the app in a directory, if it is one of these; it does not check the app's files.
    static func team(of directory: String, among teams: KnownTeams) -> String? {
        guard isSigned(directory), let (list, signature) = try? signed(directory) else { return nil }
        return try? teams.team(of: signature, over: list, in: directory)
    }

    private static func signed(_ directory: String) throws(SealRefusal) -> (list: [UInt8], signature: [UInt8]) {
        (
            try content(directory + "/" + PackagePath.list.text, limit: PackageLimits.list),
            try content(directory + "/" + PackagePath.signature.text, limit: PackageLimits.signature)
        )
    }

    private static func real(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func content(_ path: String, limit: Int) throws(SealRefusal) -> [UInt8] {
        var file = clinux_file()
        let descriptor = unsafe clinux_file_open(path, &file)
        guard descriptor >= 0 else { throw .missing }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try checkKind(file)
        guard let data = try? handle.read(upToCount: limit + 1), data.count <= limit else { throw .signature }
        return [UInt8](data)
    }

    private func compare(
        _ path: String, with entry: PackageEntry
    ) throws(SealRefusal) -> (identity: FileIdentity, isScript: Bool) {
        var file = clinux_file()
        let descriptor = unsafe clinux_file_open(path, &file)
        guard descriptor >= 0 else { throw .missing }
        defer { close(descriptor) }
        try Self.checkKind(file)
        let identity = FileIdentity(file)
        guard file.size == entry.size else { throw .changed }
        if digests.withLock({ $0[identity] }) != entry.digest {
            let digest = try Self.digest(of: descriptor, size: entry.size)
            guard digest == entry.digest else { throw .changed }
            // Written to while it was read, it is another file now.
            var after = clinux_file()
            guard unsafe clinux_file_look(path, &after) == 0, FileIdentity(after) == identity else { throw .changed }
            digests.withLock { digests in
                if digests.count >= Self.mostFiles { digests = [:] }
                digests[identity] = digest
            }
        }
        var start = [UInt8](repeating: 0, count: 2)
        let isScript = unsafe pread(descriptor, &start, 2, 0) == 2 && start == Array("#!".utf8)
        return (identity, isScript)
    }

    private static func digest(of descriptor: Int32, size: UInt64) throws(SealRefusal) -> [UInt8] {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 262_144)
        var place: UInt64 = 0
        while place < size {
            let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(place))
            guard count > 0 else { throw .changed }
            hash.update(data: buffer[..<count])
            place += UInt64(count)
        }
        return Array(hash.finalize())
    }

    /// Nothing may lie in the directory that nobody signed: a program can be made to load what lies beside it.
    ///
    /// Names are compared by their bytes, as the kernel does: one in another form of Unicode is another file.
    private func findStrangers(in directory: String, beside list: PackageList) throws(SealRefusal) {
        let known = Set((list.entries.map(\.path) + [PackagePath.list, .signature]).map { ByteText($0.text) })
        var folders: Set<ByteText> = []
        for path in known {
            var rest = path.text[...]
            while let slash = rest.lastIndex(of: "/") {
                rest = rest[..<slash]
                folders.insert(ByteText(String(rest)))
            }
        }
        var file = clinux_file()
        guard unsafe clinux_file_look(String(directory.dropLast()), &file) == 0 else { throw .missing }
        try Self.checkOwner(file)
        for folder in [""] + folders.map(\.text).sorted() {
            let path = directory + folder
            guard unsafe clinux_file_look(folder.isEmpty ? String(path.dropLast()) : path, &file) == 0,
                file.mode & UInt32(S_IFMT) == UInt32(S_IFDIR),
                let entries = try? FileManager.default.contentsOfDirectory(atPath: path)
            else { throw .missing }
            try Self.checkOwner(file)
            for entry in entries {
                let inside = ByteText(folder.isEmpty ? entry : folder + "/" + entry)
                guard known.contains(inside) || folders.contains(inside) else { throw .unlisted }
            }
        }
    }

    private static func checkKind(_ file: clinux_file) throws(SealRefusal) {
        guard file.mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { throw .changed }
        try checkOwner(file)
    }

    /// What others may write to can be another thing between two looks at it.
    private static func checkOwner(_ file: clinux_file) throws(SealRefusal) {
        guard file.owner == 0 || file.owner == geteuid(), file.mode & 0o022 == 0 else { throw .exposed }
    }
}

/// Why the files of a signed app are not what its team signed.
package enum SealRefusal: Error, CustomStringConvertible {
    case signature, missing, changed, unlisted, exposed

    package var description: String {
        switch self {
        case .signature: "the signature is not one over the app's list of files"
        case .missing: "a file that was signed is not there"
        case .changed: "a file is not the one that was signed"
        case .unlisted: "there is a file that was not signed"
        case .exposed: "a file belongs to somebody else, or others may write to it"
        }
    }
}
