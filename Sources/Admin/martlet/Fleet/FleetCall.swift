import AdminMessages
import Foundation
import InputBounds

/// By which call of the API a thing is read and changed.
enum FleetCall {
    /// Groups and teams are added to a list, everything else has its own address before it is there.
    static func method(for thing: FleetThing) -> Server.Method {
        [.group, .team].contains(thing.kind) ? .post : .put
    }

    static func collection(of thing: FleetThing) -> [String] { Array(path(of: thing).dropLast()) }

    static func path(of thing: FleetThing) -> [String] {
        switch thing {
        case .team(let fingerprint): ["teams", fingerprint]
        case .group(let name): ["groups", name]
        case .groupRule(let group): ["groups", group, "rule"]
        case .app(let app): ["apps", app]
        case .specification(let app, let version): ["apps", app, "specifications", version]
        case .source(let app, let platform, let origin): ["apps", app, "sources", platform, origin]
        case .secret(let name): ["secrets", name]
        case .configuration(let app, let name): ["apps", app, "configurations", name]
        case .assignment(let group, let app): ["assignments", group, app]
        case .secretAssignment(let group, let app, _, let kind, let identifier):
            ["secret-assignments", group, app, kind, identifier]
        case .expectedDevice(let serialNumber): ["expected-devices", serialNumber]
        case .setting(let kind, let name): ["settings", kind, name]
        case .settingAssignment(let group, let kind, let name): ["setting-assignments", group, kind, name]
        }
    }

    static func query(of thing: FleetThing) -> [(String, String)] {
        guard case .secretAssignment(_, _, let bundle?, _, _) = thing else { return [] }
        return [("extension", bundle)]
    }

    /// What the server's answer says of a thing, as it is compared.
    static func facts(of thing: FleetThing, in answer: Server.Answer) throws -> PropertyListValue? {
        switch thing.kind {
        case .group: .dictionary([:])
        case .groupRule: GroupEntry.facts(ofRule: try answer.decoded(GroupRuleDetail.self).rule)
        case .app:
            try FleetFacts.of(answer.decoded(AppEntry.self))
        case .specification: FleetFacts.digest(of: answer.body)
        case .source: try SourceEntry(answer.decoded()).facts()
        case .assignment: try AssignmentEntry(answer.decoded() as Assignment).facts()
        case .secretAssignment:
            .dictionary(["secret": .string(try answer.decoded(SecretAssignment.self).secret)])
        case .expectedDevice: try ExpectedDeviceEntry(answer.decoded()).facts
        case .settingAssignment: GivenSetting(try answer.decoded(SettingAssignment.self)).facts
        case .team, .secret, .configuration, .setting: nil
        }
    }
}
