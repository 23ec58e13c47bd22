import AdminMessages
import Foundation
import InputBounds

/// What a server has of all that a directory may say.
struct ServerFleet {
    struct OfApp {
        var app: App
        var specifications: [SpecificationSummary] = []
        var sources: [AppSource] = []
        var configurations: [ConfigurationSummary] = []
    }

    var teams: [Team] = []
    var groups: [Group] = []
    var apps: [OfApp] = []
    var secrets: [Secret] = []
    var assignments: [Assignment] = []
    var secretAssignments: [SecretAssignment] = []
    var expectedDevices: [ExpectedDevice] = []
    /// With their payloads where they are asked for.
    var settings: [Setting] = []
    var settingAssignments: [SettingAssignment] = []

    /// Asks for all of it, or for that with which a directory has to do.
    static func read(_ server: Server, for wish: FleetWish? = nil) async throws -> ServerFleet {
        var fleet = ServerFleet()
        func concerns(_ part: FleetPart, _ kind: FleetThing.Kind) -> Bool {
            wish.map { $0.parts.contains(part) || $0.items.keys.contains { $0.kind == kind } } ?? true
        }
        // Groups and secrets are looked at wherever something may name them.
        fleet.groups = try await server.list("groups")
        if concerns(.teams, .team) { fleet.teams = try await server.list("teams") }
        if concerns(.secrets, .secret) || concerns(.apps, .secretAssignment) {
            fleet.secrets = try await server.list("secrets")
        }
        if concerns(.apps, .app) {
            for app in try await server.list("apps") as [App] {
                let id = app.bundleIdentifier
                guard wish?.covers(.app(id)) ?? true || wish?.items[.app(id)] != nil else { continue }
                fleet.apps.append(
                    OfApp(
                        app: app, specifications: try await server.list("apps", id, "specifications"),
                        sources: try await server.list("apps", id, "sources"),
                        configurations: try await server.list("apps", id, "configurations")))
            }
            fleet.assignments = try await server.list("assignments")
            fleet.secretAssignments = try await server.list("secret-assignments")
        }
        if concerns(.expectedDevices, .expectedDevice) {
            fleet.expectedDevices = try await server.list("expected-devices")
        }
        if concerns(.settings, .setting) || concerns(.settings, .settingAssignment) {
            for listed in try await server.list("settings") as [Setting] {
                // Lists leave the payloads out; one that nobody compares stays away.
                let isCompared = wish.map { $0.items[.setting(kind: listed.kind, name: listed.name)] != nil } ?? true
                let setting: Setting =
                    try await isCompared ? server.get("settings", listed.kind, listed.name) : listed
                fleet.settings.append(setting)
            }
            fleet.settingAssignments = try await server.list("setting-assignments")
        }
        return fleet
    }

    /// The same as things that can be compared with a directory.
    ///
    /// `configuration` is asked for those alone whose bytes are others than the directory's.
    func state(
        comparedWith wish: FleetWish, configuration: (FleetThing) async throws -> PropertyListValue
    ) async throws -> FleetState {
        var state: FleetState = [:]
        for team in teams { state[.team(fingerprint: team.fingerprint)] = FleetItem() }
        for group in groups {
            state[.group(group.name)] = FleetItem()
            if let rule = group.rule {
                state[.groupRule(group: group.name)] = FleetItem(GroupEntry.facts(ofRule: rule))
            }
        }
        for secret in secrets {
            var facts: [String: PropertyListValue] = ["kind": .string(secret.kind.rawValue)]
            facts["marker"] = secret.facts.marker.map { .string($0) }
            state[.secret(secret.name)] = FleetItem(.dictionary(facts), tag: "\"v\(secret.version)\"")
        }
        for item in apps { try await add(item, to: &state, wish, configuration) }
        for assignment in assignments {
            state[.assignment(group: assignment.group, app: assignment.app)] = FleetItem(
                try AssignmentEntry(assignment).facts())
        }
        for given in secretAssignments {
            let thing = FleetThing.secretAssignment(
                group: given.group, app: given.app, extension: given.extension, kind: given.kind.rawValue,
                identifier: given.identifier)
            state[thing] = FleetItem(.dictionary(["secret": .string(given.secret)]))
        }
        for device in expectedDevices {
            let thing = FleetThing.expectedDevice(serialNumber: device.serialNumber)
            // One that came is what it is: it is neither changed nor expected no more.
            if device.used != nil {
                if let wanted = wish.items[thing] { state[thing] = FleetItem(wanted.facts) }
            } else {
                state[thing] = FleetItem(ExpectedDeviceEntry(device).facts)
            }
        }
        for setting in settings {
            state[.setting(kind: setting.kind, name: setting.name)] = FleetItem(
                try setting.payload.map(FleetFacts.of(payload:)) ?? .dictionary([:]), tag: "\"v\(setting.version)\"")
        }
        for given in settingAssignments {
            state[.settingAssignment(group: given.group, kind: given.kind, name: given.setting)] = FleetItem(
                GivenSetting(given).facts)
        }
        return state
    }

    private func add(
        _ item: OfApp, to state: inout FleetState, _ wish: FleetWish,
        _ configuration: (FleetThing) async throws -> PropertyListValue
    ) async throws {
        let app = item.app.bundleIdentifier
        state[.app(app)] = FleetItem(
            try FleetFacts.of(AppEntry(name: item.app.name, teamIdentifier: item.app.teamIdentifier)))
        for specification in item.specifications {
            let thing = FleetThing.specification(app: app, version: specification.version)
            // What a package brought goes with the package.
            guard specification.package == nil || wish.items[thing] != nil else { continue }
            state[thing] = FleetItem(.dictionary(["sha256": .string(specification.sha256)]))
        }
        for source in item.sources {
            state[.source(app: app, platform: source.platform, origin: source.origin)] = FleetItem(
                try SourceEntry(source).facts())
        }
        for one in item.configurations {
            let thing = FleetThing.configuration(app: app, name: one.name)
            var facts = PropertyListValue.dictionary([:])
            if let wanted = wish.items[thing], let bytes = wish.bodies[thing] {
                facts = FleetFacts.text(of: bytes) == one.sha256 ? wanted.facts : try await configuration(thing)
            }
            state[thing] = FleetItem(facts, tag: "\"v\(one.version)\"")
        }
    }
}
