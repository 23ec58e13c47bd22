import AdminMessages
import AppSpecification
import Hummingbird
import Management

/// What devices say of an app, counted over all of them.
struct FleetRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apps/{app}/refusals", operation: "listRefusals",
                summary: """
                    The configurations that the app refuses on devices, with what it publishes about each reason; those on \
                    most devices first, 500 at most.
                    """,
                query: QueryParameter.cutting, answer: .json(.page(of: "ConfigurationRefusal")),
                service: .session(refusals)),
            AdminRoute(
                method: .get, path: "/apps/{app}/versions", operation: "listAppVersions",
                summary: "The versions of the app that are on devices, the newest first, 200 at most.",
                query: QueryParameter.cutting, answer: .json(.page(of: "AppVersionSummary")),
                service: .session(versions)),
            AdminRoute(
                method: .get, path: "/apps/{app}/states", operation: "showAppStates",
                summary: """
                    On how many devices the app is in which state, and on how many something is left to do until it works \
                    as it is assigned.
                    """,
                answer: .json(.named("AppStates")), service: .session(states)),
        ]
    }

    private func refusals(_ call: AdminCall) async throws -> Response {
        let refusals = try await management.refusals(of: call.parameter("app")).get()
        return try AdminAnswer.list(
            refusals.map { explained in
                var refusal = AdminMessages.ConfigurationRefusal(explained)
                refusal.latest = explained.refusal.last
                return refusal
            }, by: .refusals, call)
    }

    private func states(_ call: AdminCall) async throws -> Response {
        let states = try await management.states(of: call.parameter("app")).get()
        return try AdminAnswer.json(
            AppStates(states: AppStateCounts(states.counts), unreported: states.unreported))
    }

    private func versions(_ call: AdminCall) async throws -> Response {
        let versions = try await management.versions(of: call.parameter("app")).get()
        return try AdminAnswer.list(
            versions.map { count, judge in
                AppVersionSummary(version: count.version, devices: count.devices, specification: judge)
            }, by: .versions, call)
    }
}

extension AdminMessages.ConfigurationRefusal {
    init(_ explained: ExplainedRefusal) {
        let refusal = explained.refusal
        self.init(
            extension: refusal.extension, appVersion: refusal.appVersion, configurationName: refusal.configuration,
            configurationVersion: refusal.configurationVersion, groups: explained.groups, code: refusal.code,
            keyPath: refusal.keyPath, keyPathSupplied: refusal.isKeyPathSupplied ? true : nil,
            message: refusal.message, devices: refusal.devices, since: refusal.first,
            explanation: explained.explanation.map(AdminMessages.RefusalExplanation.init))
    }
}

extension AdminMessages.RefusalExplanation {
    init(_ explanation: RefusalExplanationRecord) {
        self.init(
            name: explanation.error.name, meaning: explanation.error.meaning, remedy: explanation.error.remedy)
        switch explanation.source {
        case .specification(let version): specification = version
        case .nearest(let version): (specification, isNearest) = (version, true)
        case .standard: break
        }
    }
}
