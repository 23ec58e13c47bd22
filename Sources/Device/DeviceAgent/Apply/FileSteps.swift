package import Foundation

/// The steps by which anything reaches the disk, one by one, so that a test can stop between any two.
package protocol FileSteps: Sendable {
    /// Makes a directory that only its owner may enter; one that is there already is fine.
    func makeDirectory(_ path: String) throws

    /// Creates or replaces a file that only its owner may read.
    func write(_ data: Data, to path: String) throws

    /// Makes a file take at least this many bytes of the disk, so that a later write over it needs no free space.
    func reserve(_ bytes: Int, at path: String) throws

    /// Replaces a file's bytes where they lie: within what it takes already, that needs no more of the disk.
    func overwrite(_ path: String, with data: Data) throws

    /// Has the disk confirm a file's bytes, or a directory's names.
    func sync(_ path: String) throws

    /// Gives a file its final name; whatever had the name is gone.
    func rename(_ path: String, to newPath: String) throws

    /// Removes a file; one that is gone already is fine.
    func remove(_ path: String) throws

    /// The bytes of a file, or nothing if there is none; one above `limit` bytes is an error.
    func read(_ path: String, limit: Int) throws -> Data?

    /// The names in a directory; none if there is no directory.
    func list(_ path: String) throws -> [String]
}

extension FileSteps {
    /// Puts a whole file in place: after this returns it is on the disk, before that the old one is.
    package func replace(_ path: String, with data: Data, temporary: String, in directory: String) throws {
        try write(data, to: temporary)
        try sync(temporary)
        try rename(temporary, to: path)
        try sync(directory)
    }
}

/// What the system said no to.
package struct FileRefusal: Error, CustomStringConvertible {
    package let step: String
    package let number: Int32

    package var description: String { "\(step) failed with error \(number)" }
}

/// The steps on a real disk.
package struct DiskSteps: FileSteps {
    /// Takes the real steps.
    package init() {}

    package func makeDirectory(_ path: String) throws {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw refusal("making a directory") }
    }

    package func write(_ data: Data, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw refusal("opening for writing") }
        try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: data)
    }

    package func reserve(_ bytes: Int, at path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw refusal("opening for reserving") }
        defer { close(file) }
        let length = lseek(file, 0, SEEK_END)
        guard length < bytes else { return }
        let result = posix_fallocate(file, 0, off_t(bytes))
        guard result == 0 else { throw FileRefusal(step: "reserving", number: result) }
    }

    package func overwrite(_ path: String, with data: Data) throws {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw refusal("opening for overwriting") }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        // Only now: what lies beyond must not be given back before it is needed no more.
        guard ftruncate(file, off_t(data.count)) == 0 else { throw refusal("shortening") }
    }

    package func sync(_ path: String) throws {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw refusal("opening for synchronizing") }
        defer { close(file) }
        if fsync(file) != 0 { throw refusal("synchronizing") }
    }

    package func rename(_ path: String, to newPath: String) throws {
        if unsafe renameat(AT_FDCWD, path, AT_FDCWD, newPath) != 0 { throw refusal("renaming") }
    }

    package func remove(_ path: String) throws {
        if unsafe unlink(path) != 0, errno != ENOENT { throw refusal("removing") }
    }

    package func read(_ path: String, limit: Int) throws -> Data? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw refusal("opening")
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw FileRefusal(step: "reading within bounds", number: EFBIG) }
        return data
    }

    package func list(_ path: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        }
    }

    private func refusal(_ step: String) -> FileRefusal { FileRefusal(step: step, number: errno) }
}
