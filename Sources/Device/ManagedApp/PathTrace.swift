import Foundation

/// Where a decoder was when it threw.
///
/// An app's own error names no place in the property list. The place where the decoder was last is the best guess: what
/// the app read last is most often what it then objected to.
final class PathTrace: @unchecked Sendable {
    static let key = CodingUserInfoKey(rawValue: "dev.martlet.path-trace")

    // Used by the one thread that decodes.
    private var current: [any CodingKey] = []
    private var thrown: [any CodingKey]?

    /// Decodes once more, and says where that ended when it throws.
    static func wherePathEnds<Value: Decodable>(_ type: Value.Type, _ data: Data) -> String? {
        guard let key else { return nil }
        let trace = PathTrace()
        let decoder = PropertyListDecoder()
        decoder.userInfo[key] = trace
        do {
            _ = try decoder.decode(Traced<Value>.self, from: data)
            return nil
        } catch {
            return KeyPathText.of(trace.thrown ?? trace.current)
        }
    }

    /// Notes that a place is looked at.
    func touch(_ path: [any CodingKey]) {
        current = path
        thrown = nil
    }

    /// Notes the place while it is decoded, and the deepest one when that throws.
    func visit<Value>(_ path: [any CodingKey], _ decode: () throws -> Value) throws -> Value {
        touch(path)
        do {
            let value = try decode()
            touch(path)
            return value
        } catch {
            if thrown == nil { thrown = current }
            throw error
        }
    }

    /// A value that is decoded under a trace.
    struct Traced<Value: Decodable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            guard let key = PathTrace.key, let trace = decoder.userInfo[key] as? PathTrace else {
                value = try Value(from: decoder)
                return
            }
            if Value.self == Date.self || Value.self == Data.self {
                // A property list's own types: only its own decoder knows them.
                value = try decoder.singleValueContainer().decode(Value.self)
            } else {
                value = try Value(from: TracingDecoder(base: decoder, trace: trace))
            }
        }
    }
}
