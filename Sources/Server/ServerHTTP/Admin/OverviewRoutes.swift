import AdminMessages
import DeviceMessages
import Hummingbird
import Management

/// The fleet at a glance.
struct OverviewRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/overview", operation: "showOverview",
                summary: "How many devices and apps there are, and what needs attention.",
                answer: .json(.named("Overview")), service: .session(show))
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let bounds = OverviewBounds()
        // Read before the counts: a change that has arrived here is on devices whose reports the counts have.
        let journeys = try await management.journeys()
        let overview = try await management.overview(bounds)
        let maySeeSecrets = call.session.rights.allow(.lookInside, app: nil, group: nil)
        let secrets = maySeeSecrets ? overview.secretsWithoutValue : []
        func bounded(_ count: Int) -> BoundedCount {
            BoundedCount(count: min(count, bounds.counted), isMore: count > bounds.counted)
        }
        func devices(_ state: EnrollmentState) -> Int { overview.devices[state] ?? 0 }
        return try AdminAnswer.json(
            Overview(
                devices: DeviceCounts(
                    enrolled: devices(.enrolled), enrolling: devices(.pending), checkedOut: devices(.checkedOut),
                    withdrawn: devices(.withdrawn)),
                silent: bounded(overview.silent), openEnrollmentCodes: bounded(overview.openCodes),
                apps: overview.apps.map { app in
                    AppOverview(
                        bundleIdentifier: app.identifier, name: app.name, devices: app.devices, refusals: app.refusals,
                        groups: app.groups, states: AppStateCounts(app.states),
                        unreported: BoundedCount(count: app.unreported, isMore: app.mayBeMoreUnreported))
                }, changes: journeys.compactMap { ChangeJourney($0, for: call.session.rights) },
                changesSince: management.journeysSince, secretsWithoutValue: secrets.isEmpty ? nil : secrets))
    }
}

extension AppStateCounts {
    init(_ counts: [ReportedAppState: Int]) {
        self.init()
        func count(_ state: ReportedAppState) -> Int { counts[state] ?? 0 }
        (decoded, unconfigured, unknown) = (count(.decoded), count(.unconfigured), count(.unknown))
        (refused, unapplied, withheld) = (count(.refused), count(.unapplied), count(.withheld))
        (failed, waiting, offered) = (count(.failed), count(.waiting), count(.offered))
    }
}

extension ChangeJourney {
    /// Nothing for those who may not know of the change.
    fileprivate init?(_ journey: Journey, for rights: Rights) {
        guard let change = rights.shown(journey.change) else { return nil }
        self.init(
            kind: change.kind, time: change.time, app: change.app, name: change.name, version: change.version,
            group: change.group, devices: journey.devices, fetched: journey.fetched, settled: journey.settled,
            refused: journey.refused)
    }
}
