import AdminMessages
import Foundation
import InputBounds

/// A document of a directory: JSON or a property list, read strictly.
///
/// A member that is not known is refused, because a misspelt one would silently mean nothing.
package struct FleetDocument {
    private static let largest = 8 << 20
    private static let limits = InputLimits(bytes: largest, objects: 500_000)

    let name: String
    let value: JSONValue

    /// Reads `name.json` or `name.plist`, whichever is there; nothing where neither is.
    package static func read(_ name: String, in files: inout DirectoryFiles, _ names: [String]) throws -> FleetDocument?
    {
        let last = (name as NSString).lastPathComponent
        let found = ["json", "plist"].filter { names.contains("\(last).\($0)") }
        guard let form = found.first else { return nil }
        guard found.count == 1 else {
            throw Failure(.refused, "\(Printable.line(name)) is there twice: as .json and as .plist")
        }
        let file = "\(name).\(form)"
        return try FleetDocument(file, try files.read(file, upTo: largest), isPropertyList: form == "plist")
    }

    init(_ name: String, _ bytes: Data, isPropertyList: Bool) throws(Failure) {
        self.name = name
        do throws(InputRefusal) {
            value =
                isPropertyList
                ? try JSONValue(propertyList: PropertyListValue(parsing: bytes, limits: Self.limits))
                : try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            throw Failure(.refused, "\(Printable.line(name)) cannot be read: \(error.sentence)")
        }
    }

    /// The document as one value whose members are all known.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self, members: Set<String>) throws(Failure) -> Value {
        try decode(type, value, members)
    }

    /// The document as a list of such values.
    func list<Value: Decodable>(
        _ type: Value.Type = Value.self, members: Set<String>, inner: [String: Set<String>] = [:],
        known: (String) -> String? = { _ in nil }
    ) throws(Failure) -> [Value] {
        guard let items = value.array else {
            throw Failure(.refused, "\(Printable.line(name)) is a list")
        }
        var all: [Value] = []
        for item in items {
            for (member, allowed) in inner {
                for part in item[member]?.array ?? item[member].map({ [$0] }) ?? [] {
                    try requireKnown(part, allowed, known)
                }
            }
            all.append(try decode(type, item, members, known))
        }
        return all
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ value: JSONValue, _ members: Set<String>, _ known: (String) -> String? = { _ in nil }
    ) throws(Failure) -> Value {
        try requireKnown(value, members, known)
        do {
            return try AdminJSON.decode(type, from: value.encoded())
        } catch DecodingError.keyNotFound(let key, _) {
            throw Failure(.refused, "\(Printable.line(name)): the member “\(key.stringValue)” is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let key = context.codingPath.last { $0.intValue == nil }.map { "the member “\($0.stringValue)”" }
            throw Failure(.refused, "\(Printable.line(name)): \(key ?? "an entry") has the wrong type")
        } catch {
            throw Failure(.refused, "\(Printable.line(name)) is not what it is to be")
        }
    }

    private func requireKnown(
        _ value: JSONValue, _ members: Set<String>, _ known: (String) -> String?
    ) throws(Failure) {
        guard let object = value.object else {
            throw Failure(.refused, "\(Printable.line(name)): an entry is an object")
        }
        guard let stranger = object.keys.sorted().first(where: { !members.contains($0) }) else { return }
        if let reason = known(stranger) { throw Failure(.refused, "\(Printable.line(name)): \(reason)") }
        throw Failure(
            .refused, "\(Printable.line(name)): the member “\(Printable.line(stranger))” is not known",
            advice: "Known are: \(members.sorted().joined(separator: ", ")).")
    }
}
