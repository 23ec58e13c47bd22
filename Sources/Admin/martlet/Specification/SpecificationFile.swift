import AppSpecification
import Foundation

/// A specification in a file; `-` is standard input.
enum SpecificationFile {
    static func read(_ path: String) throws(Failure) -> AppSpecification {
        let data = try bytes(at: path)
        do {
            return try AppSpecification(parsing: data)
        } catch {
            throw Failure(.refused, "\(name(path)) is no specification: \(error)")
        }
    }

    /// Refuses what says of itself that it is wrong, or is of another app.
    static func check(_ path: String, isOf identifier: String) throws(Failure) {
        let specification = try read(path)
        guard specification.app.bundleIdentifier == identifier else {
            throw Failure(.refused, "the specification is of another app, \(specification.app.bundleIdentifier)")
        }
        guard let fault = specification.lint().first(where: { $0.severity == .error }) else { return }
        throw Failure(
            .refused, "the specification is wrong: \(fault.description)", advice: "martlet spec lint says what else is."
        )
    }

    static func bytes(at path: String) throws(Failure) -> Data {
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let file, let bytes = try? read(file) else {
            throw Failure(.failed, "the file cannot be read", advice: "Its path is \(Printable.line(path)).")
        }
        guard bytes.count <= SpecificationLimits.bytes else {
            throw Failure(.refused, "\(name(path)) is larger than \(SpecificationLimits.bytes) bytes")
        }
        return bytes
    }

    static func name(_ path: String) -> String { path == "-" ? "standard input" : Printable.line(path) }

    /// A pipe hands over its bytes in pieces.
    private static func read(_ file: FileHandle) throws -> Data {
        var bytes = Data()
        while bytes.count <= SpecificationLimits.bytes, let piece = try file.read(upToCount: 65_536), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }
}
