import AdminMessages
import Foundation
import InputBounds

/// What devices get beside apps: a folder for each kind, a file for each payload.
extension FleetDirectory {
    /// Enough for the largest payload with the white space in which people write it.
    private static let limits = InputLimits(bytes: 1 << 20, objects: 100_000)

    mutating func readSettings() throws {
        for kind in try files.names(in: "settings") {
            let folder = "settings/\(kind)"
            guard files.isFolder(folder) else {
                throw Failure(
                    .refused, "\(Printable.line(folder)) has no place in the directory: a setting is KIND/NAME.json",
                    advice: "martlet setting kinds lists the kinds.")
            }
            for file in try files.names(in: folder) { try readSetting("\(folder)/\(file)", kind) }
        }
    }

    private mutating func readSetting(_ path: String, _ kind: String) throws {
        guard path.hasSuffix(".json") else {
            throw Failure(.refused, "\(Printable.line(path)): a setting is NAME.json")
        }
        let bytes = try files.read(path, upTo: Self.limits.bytes)
        let value: JSONValue
        do throws(InputRefusal) {
            value = try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            throw Failure(.refused, "\(Printable.line(path)) cannot be read: \(error.sentence)")
        }
        let payload: JSON = try AdminJSON.decode(from: value.encoded())
        let facts: PropertyListValue
        do {
            facts = try FleetFacts.of(payload: payload)
        } catch let failure as Failure {
            throw Failure(failure.status, "\(Printable.line(path)): \(failure.reason)", advice: failure.advice)
        }
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        try add(
            .setting(kind: kind, name: name), FleetItem(facts), try AdminJSON.encode(SettingRequest(payload: payload)))
    }

    /// Adds that a group is given a setting.
    mutating func add(_ given: GivenSetting, to group: String) throws {
        try add(
            .settingAssignment(group: group, kind: given.kind, name: given.setting),
            FleetItem(given.facts, needs: [.group(group), .setting(kind: given.kind, name: given.setting)]),
            try AdminJSON.encode(SettingAssignmentRequest(priority: given.priority)))
    }
}

extension FleetFacts {
    /// A setting's payload as it is compared, key by key.
    static func of(payload: JSON) throws -> PropertyListValue {
        guard case .object = payload else { throw Failure(.refused, "the outermost value of a setting is an object") }
        return try of(payload)
    }
}
