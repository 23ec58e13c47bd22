import AdminMessages
package import Foundation
import InputBounds

/// What a show command wrote: the thing itself, or with what belongs to it, or as the one of a list.
package struct SeenThing<Thing: Codable> {
    private let encoded: Data

    package init(_ file: Data) throws(Failure) {
        guard let value = try? JSONValue(parsing: file, limits: .shownThing) else { throw Self.isNone }
        let candidates = [value] + (value.object?.values.map { $0 } ?? []) + (value.array?.prefix(1) ?? [])
        let things = candidates.compactMap { try? AdminJSON.decode(Thing.self, from: $0.encoded()) }
        guard let thing = things.first, let encoded = try? AdminJSON.encode(thing) else { throw Self.isNone }
        self.encoded = encoded
    }

    package func isSame(as present: Thing) throws -> Bool { try AdminJSON.encode(present) == encoded }

    private static var isNone: Failure {
        Failure(
            .refused, "the file is not what a show command writes",
            advice: "Write it with --json, such as martlet assignment show … --json > seen.json.")
    }
}

extension InputLimits {
    /// A thing with what belongs to it.
    fileprivate static let shownThing = InputLimits(bytes: 8 * 1_024 * 1_024, objects: 200_000)
}
