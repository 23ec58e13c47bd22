import AdminMessages
package import Foundation
import InputBounds

/// A directory that says what a server is to have: one folder for each app, a file for each configuration.
///
///     martlet.json                      of what the directory speaks as a whole
///     groups.json, secrets.json, expected-devices.json
///     teams/NAME.pem
///     settings/KIND/NAME.json
///     apps/APP/app.json                 and beside it
///              specification.json       or specifications/VERSION.json
///              configurations/NAME.plist or NAME.json
///              sources.json, assignments.json
///
/// Each .json may be a .plist. What has no place in it is refused: a misspelt name would look like a removal.
package struct FleetDirectory {
    var files: DirectoryFiles
    var wish = FleetWish()

    /// Reads a directory as a whole.
    package static func wish(at path: String) throws -> (wish: FleetWish, root: URL) {
        var directory = FleetDirectory(files: try DirectoryFiles(path))
        try directory.read()
        return (directory.wish, directory.files.root)
    }

    private struct Manifest: Codable {
        let format: Int
        let manages: [FleetPart]?
    }

    private mutating func read() throws {
        let names = try files.names(in: "")
        try requireKnown(
            names, documents: ["martlet", "groups", "secrets", "expected-devices"],
            folders: ["apps", "settings", "teams"], in: "")
        let manifest = try FleetDocument.read("martlet", in: &files, names)?
            .decoded(Manifest.self, members: ["format", "manages"])
        guard manifest?.format ?? 1 == 1 else {
            throw Failure(.refused, "the directory is of a format that this version does not know")
        }
        try readGroups(names)
        try readSecrets(names)
        try readTeams()
        try readSettings()
        for app in try files.names(in: "apps") { try read(app: app) }
        try readExpectedDevices(names)
        if names.contains("apps") { wish.parts.insert(.apps) }
        if names.contains("teams") { wish.parts.insert(.teams) }
        if names.contains("settings") { wish.parts.insert(.settings) }
        // Git keeps no empty folder: who manages what has to be said.
        if let parts = manifest?.manages { wish.parts = Set(parts) }
    }

    func requireKnown(
        _ names: [String], documents: [String], folders: [String], in folder: String
    ) throws(Failure) {
        let known = Set(documents.flatMap { ["\($0).json", "\($0).plist"] })
        for name in names where !known.contains(name) && !folders.contains(name) {
            throw Failure(
                .refused, "\(Printable.line(folder + name)) has no place in the directory",
                advice: "Known are: "
                    + (documents.map { "\($0).json" } + folders.map { "\($0)/" }).joined(separator: ", ") + ".")
        }
    }

    mutating func add(_ thing: FleetThing, _ item: FleetItem, _ body: Data? = nil) throws(Failure) {
        guard wish.items.updateValue(item, forKey: thing) == nil else {
            throw Failure(.refused, "the \(thing) is in the directory twice")
        }
        wish.bodies[thing] = body
    }

    // MARK: What belongs to no app

    private mutating func readGroups(_ names: [String]) throws {
        guard let document = try FleetDocument.read("groups", in: &files, names) else { return }
        wish.parts.insert(.groups)
        let groups = try document.list(
            GroupEntry.self, members: GroupEntry.members, inner: ["settings": GivenSetting.members])
        for group in groups {
            try add(.group(group.name), FleetItem(), try AdminJSON.encode(Group(name: group.name)))
            for given in group.settings ?? [] { try add(given, to: group.name) }
            guard let rule = group.rule else { continue }
            try add(
                .groupRule(group: group.name),
                FleetItem(GroupEntry.facts(ofRule: rule), needs: [.group(group.name)]),
                try AdminJSON.encode(GroupRuleRequest(rule: rule)))
        }
    }

    private mutating func readTeams() throws {
        for name in try files.names(in: "teams") {
            let file = "teams/\(name)"
            let bytes = try files.read(file, upTo: CertificateFile.largest)
            for der in try CertificateFile.certificates(in: bytes, of: file) {
                try add(
                    .team(fingerprint: CertificateFile.fingerprint(der)), FleetItem(),
                    try AdminJSON.encode(TeamRequest(certificate: der.base64EncodedString())))
            }
        }
    }

    private mutating func readSecrets(_ names: [String]) throws {
        guard let document = try FleetDocument.read("secrets", in: &files, names) else { return }
        wish.parts.insert(.secrets)
        let references = ["from", "userNameFrom", "passwordFrom"]
        // Keys: ours.
        let entries = try document.list(
            SecretEntry.self, members: SecretEntry.members,
            inner: Dictionary(uniqueKeysWithValues: references.map { ($0, SecretReference.members) })
        ) { member in
            ["value", "password", "secret", "challenge", "key"].contains(member)
                ? "a secret's value is not in the directory; say where it is: from" : nil
        }
        for entry in entries {
            try check(entry)
            var facts: [String: PropertyListValue] = ["kind": .string(entry.kind.rawValue)]
            facts["marker"] = entry.marker.map { .string($0) }
            try add(.secret(entry.name), FleetItem(.dictionary(facts)))
            wish.secrets[entry.name] = entry
        }
    }

    private func check(_ entry: SecretEntry) throws(Failure) {
        for reference in entry.references {
            let places = [reference.file != nil, reference.environment != nil, reference.descriptor != nil]
            guard places.count(where: { $0 }) == 1 else {
                throw Failure(
                    .refused,
                    "the secret \(Printable.line(entry.name)) is in one place: file, environment or descriptor")
            }
            guard entry.mayLieInside || !reference.isInside(files.root) else {
                throw Failure(
                    .refused, "the value of the secret \(Printable.line(entry.name)) lies in the directory",
                    advice: "Keep it outside of it: what is in the directory is in the history of Git.")
            }
        }
    }

    private mutating func readExpectedDevices(_ names: [String]) throws {
        guard let document = try FleetDocument.read("expected-devices", in: &files, names) else { return }
        wish.parts.insert(.expectedDevices)
        for device in try document.list(ExpectedDeviceEntry.self, members: ExpectedDeviceEntry.members) {
            guard (device.chip == nil) == (device.trustSerialNumber == true) else {
                throw Failure(
                    .refused,
                    "a device is known by its chip, or its serial number alone is trusted: say one of both",
                    advice: "The device is \(Printable.line(device.serialNumber)).")
            }
            try add(
                .expectedDevice(serialNumber: device.serialNumber),
                FleetItem(device.facts, needs: [.group(device.group)]), try AdminJSON.encode(device.request))
        }
    }
}
