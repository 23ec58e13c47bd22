/// One thing that a directory of files says and a server has, by its name.
package enum FleetThing: Hashable, Sendable {
    case team(fingerprint: String)
    case group(String)
    /// Which devices are in a group.
    case groupRule(group: String)
    case app(String)
    case specification(app: String, version: String)
    case source(app: String, platform: String, origin: String)
    case secret(String)
    case configuration(app: String, name: String)
    case assignment(group: String, app: String)
    case secretAssignment(group: String, app: String, extension: String?, kind: String, identifier: String)
    case expectedDevice(serialNumber: String)
    case setting(kind: String, name: String)
    case settingAssignment(group: String, kind: String, name: String)

    /// What kinds of things there are, each after those that it may need.
    package enum Kind: String, CaseIterable, Sendable, Comparable {
        case team, group, app, specification, source, secret, configuration, setting, assignment
        case secretAssignment = "secret-assignment"
        case settingAssignment = "setting-assignment"
        case expectedDevice = "expected-device"
        case groupRule = "group-rule"

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Kind, right: Kind) -> Bool { left.rank < right.rank }
    }

    package var kind: Kind {
        switch self {
        case .team: .team
        case .group: .group
        case .groupRule: .groupRule
        case .app: .app
        case .specification: .specification
        case .source: .source
        case .secret: .secret
        case .configuration: .configuration
        case .assignment: .assignment
        case .secretAssignment: .secretAssignment
        case .expectedDevice: .expectedDevice
        case .setting: .setting
        case .settingAssignment: .settingAssignment
        }
    }

    /// The name among others of the kind, as the audit log writes it, too.
    package var name: String {
        switch self {
        case .team(let name), .group(let name), .groupRule(let name), .app(let name), .secret(let name),
            .expectedDevice(let name):
            name
        case .specification(let app, let version): "\(app)/\(version)"
        case .source(let app, let platform, let origin): "\(app)/\(platform)/\(origin)"
        case .configuration(let app, let name): "\(app)/\(name)"
        case .assignment(let group, let app): "\(group)/\(app)"
        case .secretAssignment(let group, let app, let bundle, let kind, let identifier):
            "\(group)/\(app)/" + (bundle.map { "\($0)/" } ?? "") + "\(kind)/\(identifier)"
        case .setting(let kind, let name): "\(kind)/\(name)"
        case .settingAssignment(let group, let kind, let name): "\(group)/\(kind)/\(name)"
        }
    }

    /// The app in whose folder it stands; nothing for what is of no single app.
    package var app: String? {
        switch self {
        case .app(let app), .specification(let app, _), .source(let app, _, _), .configuration(let app, _),
            .assignment(_, let app), .secretAssignment(_, let app, _, _, _):
            app
        case .team, .group, .groupRule, .secret, .expectedDevice, .setting, .settingAssignment: nil
        }
    }
}

extension FleetThing: Comparable {
    package static func < (left: FleetThing, right: FleetThing) -> Bool {
        left.kind == right.kind ? left.name < right.name : left.kind < right.kind
    }
}

extension FleetThing: CustomStringConvertible {
    package var description: String {
        "\(kind.rawValue.replacing("-", with: " ")) \(Printable.line(name))"
    }
}
