import Crypto
package import Foundation
import Synchronization

/// Where the files of packages lie: uploads as they come, and what was verified.
///
/// A file has the name of a package only when it is whole, verified and on the disk. Everything else lies in `uploads`,
/// goes on from where it stopped, and goes away when nobody goes on with it.
package final class PackageDirectory: Sendable {
    /// The bounds of what is kept.
    package struct Limits: Sendable {
        /// Of all files together.
        package var bytes: Int = 256 << 30
        /// Stays free on the disk, for the database that lies on it, too.
        package var reserve: Int = 256 << 20
        /// Uploads that have begun.
        package var uploads = 16
        /// How long an upload waits to be gone on with, and a file that nothing names to be named.
        package var patience: TimeInterval = 24 * 3_600

        package init() {}
    }

    let url: URL
    let limits: Limits
    /// Uploads that somebody is at.
    private let busy = Mutex<Set<String>>([])

    /// Opens the directory, making it if it is missing.
    package init(path: String, limits: Limits = Limits()) throws {
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        self.limits = limits
        for place in [url, uploads] where unsafe mkdir(place.path, 0o700) != 0 && errno != EEXIST {
            throw PackageFileFault(code: errno)
        }
    }

    var uploads: URL { url.appending(path: "uploads", directoryHint: .isDirectory) }

    /// The file of a package that was verified.
    package func file(_ sha256: String) -> URL { url.appending(path: sha256) }

    /// Where an upload lies until it is accepted: each app's own, so that nobody adds to another's who knows its digest.
    func upload(_ sha256: String, of app: String) -> URL { uploads.appending(path: Self.uploadName(sha256, of: app)) }

    /// The name of an app's upload, of a length that every file system takes.
    static func uploadName(_ sha256: String, of app: String) -> String {
        "\(sha256)-\(Hexadecimal.text(SHA256.hash(data: Data(app.utf8)).prefix(8)))"
    }

    /// Runs `body` as the only one who is at a package, by its digest, or at an upload, by its name; or answers that
    /// another is.
    func alone<Result: Sendable>(
        with name: String, _ body: () async throws -> Outcome<Result, AdminRefusal>
    ) async throws -> Outcome<Result, AdminRefusal> {
        guard busy.withLock({ $0.insert(name).inserted }) else {
            return .refused(.inUse("another upload of the same package"))
        }
        defer { busy.withLock { _ = $0.remove(name) } }
        return try await body()
    }

    /// The same with an upload and the package that it becomes.
    func alone<Result: Sendable>(
        with upload: String, and package: String, _ body: () async throws -> Outcome<Result, AdminRefusal>
    ) async throws -> Outcome<Result, AdminRefusal> {
        try await alone(with: upload) { try await alone(with: package, body) }
    }

    /// How much of an upload is there.
    func received(_ sha256: String, of app: String) -> Int { Self.size(upload(sha256, of: app)) ?? 0 }

    /// Why there is no room for so many bytes more, if there is none.
    func refusal(forBytes more: Int, of sha256: String, of app: String) -> AdminRefusal? {
        let waiting = names(in: uploads)
        guard waiting.contains(Self.uploadName(sha256, of: app)) || waiting.count < limits.uploads else {
            return .inUse("\(limits.uploads) uploads that are not finished")
        }
        let kept =
            waiting.compactMap { Self.size(uploads.appending(path: $0)) }.reduce(0, +)
            + names(in: url).compactMap { Self.size(file($0)) }.reduce(0, +)
        guard kept + more <= limits.bytes else {
            return .noSpace(.kept(needed: more, kept: kept, limit: limits.bytes))
        }
        guard let free = FileFacts.freeBytes(at: url.path) else { return .noSpace(.unknown) }
        return free - more >= limits.reserve
            ? nil : .noSpace(.disk(needed: more, free: free, reserve: limits.reserve))
    }

    /// Gives a whole and verified upload its name; from then on it is on the disk.
    func accept(_ sha256: String, of app: String) throws {
        let upload = upload(sha256, of: app)
        try Self.sync(upload, O_RDONLY)
        guard unsafe rename(upload.path, file(sha256).path) == 0 else { throw PackageFileFault(code: errno) }
        try Self.sync(url, O_RDONLY | O_DIRECTORY)
    }

    func discardUpload(_ sha256: String, of app: String) { unsafe unlink(upload(sha256, of: app).path) }

    package func remove(_ sha256: String) { unsafe unlink(file(sha256).path) }

    /// Removes uploads that nobody goes on with.
    func sweepUploads(now: Date) {
        for name in names(in: uploads) where isOld(uploads.appending(path: name), now) {
            unsafe unlink(uploads.appending(path: name).path)
        }
    }

    /// Old files beside those of these packages: a server that was ended between a file and its record leaves one.
    func files(beside packages: Set<String>, now: Date) -> [String] {
        names(in: url).filter { !packages.contains($0) && isOld(file($0), now) }
    }

    private func isOld(_ place: URL, _ now: Date) -> Bool {
        guard let facts = FileFacts(path: place.path), !busy.withLock({ $0.contains(place.lastPathComponent) }) else {
            return false
        }
        return now.timeIntervalSince1970 - TimeInterval(facts.modified) > limits.patience
    }

    private func names(in place: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [])
            .filter { HostedPackage.isDigest(String($0.prefix(64))) }
    }

    private static func size(_ place: URL) -> Int? {
        FileFacts(path: place.path)?.size
    }

    private static func sync(_ place: URL, _ flags: Int32) throws {
        let descriptor = unsafe open(place.path, flags | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw PackageFileFault(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw PackageFileFault(code: errno) }
    }
}

/// The directory of packages does not do what it must; the system's error code says why.
package struct PackageFileFault: Error, CustomStringConvertible {
    package let code: Int32

    package var description: String { "a file of a package cannot be kept (error \(code))" }
}
