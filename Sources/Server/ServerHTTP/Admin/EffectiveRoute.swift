import AdminMessages
import DeviceMessages
import Hummingbird
import Management

/// What a device gets, and why; also if it were in other groups.
struct EffectiveRoute: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/devices/{device}/effective", operation: "showEffective",
                summary: "What the device gets of each app and setting, and why; or what it would get in other groups.",
                query: [
                    QueryParameter(
                        name: "groups", schema: .string,
                        summary: """
                            As if the device were in these groups and no others, joined by commas; the device's own without it.
                            """),
                    QueryParameter(name: "app", schema: .string, summary: "Only this app."),
                ], answer: .json(.named("DeviceEffective")), service: .session(show))
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let groups = call.query("groups").map { $0.split(separator: ",").map(String.init) }
        let found = try await management.explain(call.parameter("device"), inGroups: groups).get()
        var effective = DeviceEffective(found)
        if let app = call.query("app") {
            effective.apps = effective.apps.filter { $0.identifier == app }
            effective.settings = []
            effective.commanded = effective.commanded?.filter { $0.identifier == app }
            guard !effective.apps.isEmpty || effective.commanded?.isEmpty == false else {
                throw HTTPProblem(.unknownAssignment)
            }
        }
        return try AdminAnswer.json(effective)
    }
}

extension DeviceEffective {
    init(_ found: DeviceExplanation) {
        self.init(
            device: found.device.id, name: found.device.facts.deviceName, person: found.device.person,
            hypothetical: found.isHypothetical, groups: found.groups.map(EffectiveGroup.init),
            apps: found.apps.map { EffectiveApp($0, on: found.device, isHypothetical: found.isHypothetical) },
            settings: found.settings.map(EffectiveSetting.init),
            commanded: found.commanded.isEmpty ? nil : found.commanded.map(EffectiveCommandedApp.init))
    }
}

extension EffectiveCommandedApp {
    fileprivate init(_ status: CommandedAppStatus) {
        self.init(
            identifier: status.identifier, name: status.name, version: status.version, state: status.state,
            hasConfiguration: status.hasConfiguration, hasFeedback: status.hasFeedback,
            reasons: status.reasons.map(Reason.init))
    }
}

extension EffectiveGroup {
    fileprivate init(_ found: ExplainedGroup) {
        self.init(
            name: found.name, rule: found.rule?.text,
            conditions: found.rule == nil
                ? nil
                : found.findings.map { finding in
                    EffectiveCondition(
                        condition: finding.condition.text, found: finding.found, holds: finding.holds)
                })
    }
}

extension EffectiveApp {
    /// An app has no standing where other groups than the device's own were asked about: the device cannot have reported it.
    fileprivate init(_ found: ExplainedApp, on device: DeviceRecord, isHypothetical: Bool) {
        let first = found.candidates.first
        self.init(
            identifier: found.app.bundleIdentifier, name: found.app.name, given: found.isGiven,
            standing: isHypothetical ? nil : AppStanding(found.state), install: found.install.rawValue,
            source: found.source.map { EffectiveSource(platform: $0.platform.rawValue, origin: $0.origin.rawValue) },
            configuration: first?.configuration, delivery: first?.assignment.delivery.said,
            extensions: first?.extensions ?? [],
            secrets: found.secrets.map(EffectiveSecret.init),
            assignments: found.candidates.map { EffectiveAssignment($0, beside: first) },
            variables: found.variables.map(EffectiveVariable.init),
            withheld: found.withheld.map { Reason($0, person: device.person, device.audience) })
    }
}

extension AssignmentCandidate {
    fileprivate var configuration: EffectiveConfiguration? {
        assignment.configuration.map { EffectiveConfiguration(name: $0, version: version) }
    }

    fileprivate var extensions: [EffectiveExtension] {
        assignment.extensions.sorted { $0.key < $1.key }.map { name, configuration in
            EffectiveExtension(
                identifier: name,
                configuration: EffectiveConfiguration(name: configuration, version: extensionVersions[name]))
        }
    }
}

extension EffectiveAssignment {
    /// `first` is the one that counts.
    fileprivate init(_ candidate: AssignmentCandidate, beside first: AssignmentCandidate?) {
        let (its, winner) = (candidate.assignment, first?.assignment)
        let counts = its == winner
        let why =
            if counts {
                "it counts: no other assignment of the app has a higher priority, or the same and was made later"
            } else if let winner, winner.priority > its.priority {
                "\(winner.group) has the higher priority \(winner.priority)"
            } else {
                "\(winner?.group ?? "another group") has the same priority, and was assigned later"
            }
        self.init(
            group: its.group, configuration: candidate.configuration, install: its.install?.rawValue,
            priority: its.priority, assigned: its.assigned, counts: counts, why: why)
    }
}

extension EffectiveSecret {
    fileprivate init(_ found: ExplainedSecret) {
        self.init(
            extension: found.place.extension, kind: .init(rawValue: found.place.kind.rawValue),
            identifier: found.place.identifier, secret: found.secret, version: found.version,
            own: found.owner?.kind == .device, person: found.owner?.kind == .person ? found.owner?.name : nil,
            group: found.group, lacksValue: found.lacksValue ? true : nil, missing: found.isMissing ? true : nil)
    }
}

extension EffectiveVariable {
    fileprivate init(_ found: ExplainedVariable) {
        self.init(
            name: found.name, value: found.value, from: found.isOfPerson ? "person" : "device",
            uses: found.uses.map { use in
                switch use {
                case .configuration: "configuration"
                case .extensionConfiguration(let name): name
                case .secret(let name): "secret:\(name)"
                }
            })
    }
}
