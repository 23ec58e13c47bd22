import Foundation
import Glibc

/// A directory that is made under another name beside its place; it takes the place when it is whole, or goes.
final class NewDirectory {
    private let place: String
    private let temporary: String
    private let top: Int32
    /// The directories that lead to the file at hand, each with its path; as lists are in order, few are open at once.
    private var opened: [(path: String, descriptor: Int32)] = []
    private var isCommitted = false

    static func parent(of place: String) -> String {
        let parent = (place as NSString).deletingLastPathComponent
        return parent.isEmpty ? "." : parent
    }

    init(for place: String) throws(PackageRefusal) {
        self.place = place
        var random = SystemRandomNumberGenerator()
        let name = (place as NSString).lastPathComponent
        temporary = Self.parent(of: place) + "/.\(name).\(String(random.next(), radix: 36)).unpacking"
        var status = stat()
        guard unsafe lstat(place, &status) != 0 else { throw PackageRefusal(.exists, file: place) }
        guard unsafe mkdir(temporary, 0o700) == 0 else { throw PackageRefusal(.unwritable, file: place) }
        top = unsafe open(temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard top >= 0 else { throw PackageRefusal(.unwritable, file: place) }
    }

    deinit {
        for directory in opened { close(directory.descriptor) }
        if top >= 0 { close(top) }
        if !isCommitted { try? FileManager.default.removeItem(atPath: temporary) }
    }

    /// A file of the new directory; its mode is exactly this, whatever the process's mask.
    func file(_ path: PackagePath, isExecutable: Bool) throws(PackageRefusal) -> File {
        let components = path.components
        let directory = try directory(components.dropLast(), of: path)
        guard let name = components.last else { throw PackageRefusal(.path) }
        let descriptor = unsafe openat(
            directory, String(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PackageRefusal(errno == ENOSPC ? .space : .unwritable, file: path.text) }
        return File(descriptor, mode: isExecutable ? 0o755 : 0o644, path: path)
    }

    func add(_ path: PackagePath, _ content: [UInt8]) throws(PackageRefusal) {
        let file = try file(path, isExecutable: false)
        try file.write(content[...])
        try file.commit()
    }

    /// The open directory of a path; those that are made for it are synced when they are left.
    private func directory(
        _ components: ArraySlice<Substring>, of path: PackagePath
    ) throws(PackageRefusal) -> Int32 {
        let wanted = components.map { $0 + "/" }.joined()
        while let last = opened.last, !wanted.utf8.starts(with: last.path.utf8) { try leave(last) }
        for name in components.dropFirst(opened.count) {
            let parent = opened.last?.descriptor ?? top
            // Nobody else can be in here: what exists was made for a file before.
            guard unsafe mkdirat(parent, String(name), 0o755) == 0 || errno == EEXIST else {
                throw PackageRefusal(errno == ENOSPC ? .space : .unwritable, file: path.text)
            }
            let descriptor = unsafe openat(parent, String(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw PackageRefusal(.unwritable, file: path.text) }
            opened.append(((opened.last?.path ?? "") + name + "/", descriptor))
            guard fchmod(descriptor, 0o755) == 0 else { throw PackageRefusal(.unwritable, file: path.text) }
        }
        return opened.last?.descriptor ?? top
    }

    private func leave(_ directory: (path: String, descriptor: Int32)) throws(PackageRefusal) {
        guard fsync(directory.descriptor) == 0 else { throw PackageRefusal(.unwritable, file: directory.path) }
        close(directory.descriptor)
        opened.removeLast()
    }

    /// Puts everything on disk, opens the directory to others and gives it its name.
    func commit() throws(PackageRefusal) {
        while let last = opened.last { try leave(last) }
        guard fchmod(top, 0o755) == 0, fsync(top) == 0 else { throw PackageRefusal(.unwritable, file: place) }
        var status = stat()
        guard unsafe lstat(place, &status) != 0 else { throw PackageRefusal(.exists, file: place) }
        guard unsafe rename(temporary, place) == 0 else { throw PackageRefusal(.unwritable, file: place) }
        isCommitted = true
        let parent = unsafe open(Self.parent(of: place), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw PackageRefusal(.unwritable, file: place) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw PackageRefusal(.unwritable, file: place) }
    }

    /// A file that is being written.
    final class File {
        private let descriptor: Int32
        private let mode: mode_t
        private let path: PackagePath

        init(_ descriptor: Int32, mode: mode_t, path: PackagePath) {
            self.descriptor = descriptor
            self.mode = mode
            self.path = path
        }

        deinit {
            close(descriptor)
        }

        func write(_ bytes: ArraySlice<UInt8>) throws(PackageRefusal) {
            guard writeAll(bytes, to: descriptor) else {
                throw PackageRefusal(errno == ENOSPC || errno == EDQUOT ? .space : .unwritable, file: path.text)
            }
        }

        func commit() throws(PackageRefusal) {
            guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
                throw PackageRefusal(errno == ENOSPC || errno == EDQUOT ? .space : .unwritable, file: path.text)
            }
        }
    }
}
