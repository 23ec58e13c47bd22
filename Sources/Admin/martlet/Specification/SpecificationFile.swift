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
            throw Failure(
                .refused, "\(name(path)) is of another app, \(specification.app.bundleIdentifier)",
                advice: "The app here is \(identifier): name its specification, or correct x-app in the file.")
        }
        guard let fault = specification.lint().first(where: { $0.severity == .error }) else { return }
        throw Failure(
            .refused, "\(name(path)): the specification is wrong: \(fault.description)",
            advice: "martlet spec lint \(name(path)) says what else is."
        )
    }

    static func bytes(at path: String) throws(Failure) -> Data {
        let bytes = try ReadFile.bytes(at: path, upTo: SpecificationLimits.bytes)
        guard bytes.count <= SpecificationLimits.bytes else {
            throw Failure(.refused, "\(name(path)) is larger than \(SpecificationLimits.bytes) bytes")
        }
        return bytes
    }

    static func name(_ path: String) -> String { path == "-" ? "standard input" : Printable.line(path) }
}
