import AdminMessages
import Crypto
import Foundation
import InputBounds

// What stands in the documents of a directory, and what of it is compared with the server's.

/// What `app.json` says.
struct AppEntry: Codable, Equatable {
    var name: String
    var teamIdentifier: String?
}

/// One group, as `groups.json` has it.
struct GroupEntry: Codable, Equatable {
    static let members: Set<String> = ["name", "rule", "settings"]

    var name: String
    /// Nothing where devices are put in and taken out by hand.
    var rule: String?
    /// What its devices get beside apps.
    var settings: [GivenSetting]?

    init(_ group: Group, settings: [SettingAssignment] = []) {
        (name, rule) = (group.name, group.rule)
        self.settings = settings.isEmpty ? nil : settings.map(GivenSetting.init)
    }

    static func facts(ofRule rule: String) -> PropertyListValue { .dictionary(["rule": .string(rule)]) }
}

/// One setting of a group, as `groups.json` has it.
struct GivenSetting: Codable, Equatable {
    static let members: Set<String> = ["kind", "setting", "priority"]

    var kind: String
    var setting: String
    var priority: Int?

    init(_ assignment: SettingAssignment) {
        (kind, setting) = (assignment.kind, assignment.setting)
        priority = assignment.priority == 0 ? nil : assignment.priority
    }

    /// The facts as the server has them; its default priority is 0.
    var facts: PropertyListValue {
        guard let priority, priority != 0 else { return .dictionary([:]) }
        return .dictionary(["priority": .integer(Int64(priority))])
    }
}

/// One source of an app, as `sources.json` has it.
struct SourceEntry: Codable, Equatable {
    static let members: Set<String> = [
        "platform", "origin", "location", "license", "install", "updates", "minimumOSVersion", "minimumAgentVersion",
    ]

    var platform: String
    var origin: String
    var location: String?
    var license: String?
    var install: String?
    var updates: String?
    var minimumOSVersion: String?
    var minimumAgentVersion: String?

    init(_ source: AppSource) {
        (platform, origin, location, license) = (source.platform, source.origin, source.location, source.license)
        (install, updates) = (source.install, source.updates)
        (minimumOSVersion, minimumAgentVersion) = (source.minimumOSVersion, source.minimumAgentVersion)
    }

    var request: AppSourceRequest {
        AppSourceRequest(
            location: location, license: license, install: install, updates: updates,
            minimumOSVersion: minimumOSVersion, minimumAgentVersion: minimumAgentVersion)
    }

    /// As the server says it, who writes out what is left out.
    func facts() throws -> PropertyListValue {
        var full = self
        full.install = install ?? "required"
        if origin == "app-store" { full.license = license ?? "device" }
        if origin == "package" { full.location = location?.lowercased() }
        full.minimumOSVersion = minimumOSVersion.map(Self.plain)
        full.minimumAgentVersion = minimumAgentVersion.map(Self.plain)
        return try FleetFacts.of(full)
    }

    /// `12.0` and `12` are one version.
    private static func plain(_ version: String) -> String {
        var parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.allSatisfy({ $0 != nil }) else { return version }
        while parts.count > 1, parts.last == 0 { parts.removeLast() }
        return parts.compactMap { $0.map(String.init) }.joined(separator: ".")
    }
}

/// One assignment, as `assignments.json` has it: what the API takes, with the group, and the secrets that go with it.
struct AssignmentEntry: Codable, Equatable {
    /// What the API knows of an assignment is known here.
    static let members = Set(Mirror(reflecting: AssignmentRequest()).children.compactMap(\.label))
        .union(["group", "secrets"])

    /// A secret under the identifier by which the app asks for it.
    struct GivenSecret: Codable, Equatable {
        static let members: Set<String> = ["kind", "identifier", "secret", "extension"]

        var kind: String
        var identifier: String
        var secret: String
        var `extension`: String?

        /// Where the app finds it.
        var place: [String] { [self.extension ?? "", kind, identifier] }

        func thing(group: String, app: String) -> FleetThing {
            .secretAssignment(group: group, app: app, extension: self.extension, kind: kind, identifier: identifier)
        }
    }

    private enum Member: String, CodingKey {
        case group, secrets
    }

    let group: String
    let secrets: [GivenSecret]?
    let request: AssignmentRequest

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        group = try container.decode(String.self, forKey: .group)
        secrets = try container.decodeIfPresent([GivenSecret].self, forKey: .secrets)
        request = try AssignmentRequest(from: decoder)
    }

    init(_ assignment: Assignment, secrets: [SecretAssignment] = []) throws {
        group = assignment.group
        request = try AdminJSON.decode(from: AdminJSON.encode(assignment))
        let given = secrets.map {
            GivenSecret(kind: $0.kind.rawValue, identifier: $0.identifier, secret: $0.secret, extension: $0.extension)
        }
        // The server lists them by when they were made, which nobody says in a directory.
        self.secrets = given.isEmpty ? nil : given.sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }

    func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(group, forKey: .group)
        try container.encodeIfPresent(secrets, forKey: .secrets)
    }

    /// As the server says it, who leaves out what goes without saying.
    func facts() throws -> PropertyListValue {
        guard case .dictionary(var facts) = try FleetFacts.of(request) else { return .dictionary([:]) }
        if facts["lowestTrust"] == .string("launched") { facts["lowestTrust"] = nil }
        if facts["extensions"] == .dictionary([:]) { facts["extensions"] = nil }
        if facts["priority"] == .integer(0) { facts["priority"] = nil }
        if facts["delivery"] == .string("framework") { facts["delivery"] = nil }
        return .dictionary(facts)
    }
}

/// One device, as `expected-devices.json` has it.
struct ExpectedDeviceEntry: Codable, Equatable {
    static let members: Set<String> = ["serialNumber", "group", "chip", "trustSerialNumber", "awaitConfiguration"]

    var serialNumber: String
    var group: String
    var chip: String?
    var trustSerialNumber: Bool?
    var awaitConfiguration: Bool?

    init(_ device: ExpectedDevice) {
        (serialNumber, group, chip) = (device.serialNumber, device.group, device.chip)
        trustSerialNumber = device.chip == nil ? true : nil
        awaitConfiguration = device.awaitConfiguration
    }

    var request: ExpectedDeviceRequest {
        ExpectedDeviceRequest(
            group: group, chip: chip?.lowercased(), trustSerialNumber: trustSerialNumber,
            awaitConfiguration: awaitConfiguration)
    }

    var facts: PropertyListValue {
        var facts: [String: PropertyListValue] = ["group": .string(group)]
        facts["chip"] = chip.map { .string($0.lowercased()) }
        if awaitConfiguration == true { facts["awaitConfiguration"] = .boolean(true) }
        return .dictionary(facts)
    }
}

/// Values of the API as they are compared, key by key.
enum FleetFacts {
    static func of(_ value: some Encodable) throws -> PropertyListValue {
        try PropertyListFromJSON.convert(JSONValue(parsing: AdminJSON.encode(value), limits: .adminBody))
    }

    static func digest(of bytes: Data) -> PropertyListValue {
        .dictionary(["sha256": .string(text(of: bytes))])
    }

    /// SHA-256 in lowercase hexadecimal digits.
    static func text(of bytes: Data) -> String {
        SHA256.hash(data: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
