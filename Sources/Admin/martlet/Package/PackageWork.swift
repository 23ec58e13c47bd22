import AppPackages
import Foundation
import Synchronization

/// What all commands about packages have in common: progress for who waits, and refusals as the tool says them.
enum PackageWork {
    /// How far the work at hand has come.
    final class Reached: Sendable {
        private let bytes = Atomic<UInt64>(0)

        func reach(_ count: UInt64) { bytes.store(count, ordering: .relaxed) }

        var text: String { Size.text(bytes.load(ordering: .relaxed)) }
    }

    /// Runs `body`; a terminal shows how far it came as soon as a second has passed.
    ///
    /// A refusal names `package`, the file that the work is about, where it names no other.
    static func named<Result: Sendable>(
        _ name: String, of package: String? = nil, _ body: @Sendable @escaping (Reached) throws -> Result
    ) async throws -> Result {
        let reached = Reached()
        do {
            return try await Progress.during(name, detail: { reached.text }) {
                // Work that never pauses gets a thread of its own.
                try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body(reached) }) }
                }
            }
        } catch let refusal as PackageRefusal {
            throw failure(refusal, of: package)
        }
    }

    /// A refusal as the tool says it: a file that cannot be read is no fault of the package.
    static func failure(_ refusal: PackageRefusal, of package: String? = nil) -> Failure {
        let place = refusal.file.map { "The file is \(Printable.line($0))." }
        let reason = package.map { "\($0): \(refusal.description)" } ?? refusal.description
        switch refusal.rule {
        case .unreadable:
            guard let file = refusal.file ?? package else { return Failure(.failed, refusal.description) }
            if package == file, isDirectory(file), FileManager.default.isReadableFile(atPath: file) {
                return Failure(
                    .refused, "\(file) is a directory, not a package",
                    advice: "Make a package of it: martlet app build \(Printable.line(file))")
            }
            let isThere = FileManager.default.fileExists(atPath: file)
            return .unreadable(file, refusal.systemError ?? (isThere ? nil : ENOENT))
        case .notAPackage, .truncated, .compression:
            return Failure(
                .refused, reason,
                advice: [place, "martlet app build makes a package of an app's directory."].compactMap(\.self)
                    .joined(separator: "\n"))
        case .unwritable: return .unwritable(refusal.file ?? "the file", refusal.systemError)
        case .space: return Failure(.failed, refusal.description, advice: place)
        case .link:
            return Failure(
                .refused, reason,
                advice: (place.map { $0 + "\n" } ?? "") + "Put what it points at in its place.")
        default: return Failure(.refused, reason, advice: place)
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// The file name of a package whose author gives none.
    static func defaultName(of tree: SourceTree) throws -> String {
        let information = try information(of: tree)
        return "\(information.bundleIdentifier)-\(information.shortVersion).tar.zst"
    }

    /// What the app that is to be packed says of itself.
    static func information(of tree: SourceTree) throws -> AppInformation {
        guard let file = tree.files.first(where: { $0.path == .information }) else {
            throw PackageRefusal(.informationMissing)
        }
        return try AppInformation(parsing: try CertificateFile.bytes(at: file.location))
    }
}

/// Sizes as people read them.
enum Size {
    static func text(_ bytes: UInt64) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: tenths(bytes, 1_000, "kB")
        case ..<1_000_000_000: tenths(bytes, 1_000_000, "MB")
        default: tenths(bytes, 1_000_000_000, "GB")
        }
    }

    private static func tenths(_ bytes: UInt64, _ unit: UInt64, _ name: String) -> String {
        let tenths = (bytes / (unit / 10))
        return "\(tenths / 10).\(tenths % 10) \(name)"
    }
}
