import AdminMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management

/// The administrator's API: registers its table of routes, and does what all of them have in common.
///
/// That is: who asks and whether they may, the duty to change a one-time password, entity tags and conditions.
struct AdminAPI: Sendable {
    static let prefix = "/api/v1"

    let management: Management
    let limits: ServerLimits
    let traffic: Traffic
    let routes: [AdminRoute]
    let turns: Turns

    init(
        management: Management, limits: ServerLimits, traffic: Traffic, enrollment: EnrollmentLinks,
        health: HealthRoutes, events: EventRoutes,
        showsOwnCertificate: @escaping @Sendable () -> Bool = { false },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.management = management
        self.limits = limits
        turns = Turns(mostWaiting: limits.waitingForOne, longest: limits.turn)
        self.traffic = traffic
        var routes = SessionRoutes(management: management, limits: limits).routes
        routes += AdministratorRoutes(management: management).routes
        routes += TokenRoutes(management: management).routes
        routes += GroupRoutes(management: management).routes
        routes += GroupRuleRoutes(management: management).routes
        routes += AppRoutes(management: management).routes
        routes += AppSourceRoutes(management: management).routes
        routes += PackageRoutes(management: management, baseURL: enrollment.baseURL).routes
        routes += TeamRoutes(management: management).routes
        routes += ConfigurationRoutes(management: management).routes
        routes += SpecificationRoutes(management: management).routes
        routes += OverviewRoutes(management: management).routes
        routes += health.routes
        routes += events.routes
        routes += FleetRoutes(management: management).routes
        routes += AssignmentRoutes(management: management).routes
        routes += SettingRoutes(management: management).routes
        routes += SettingAssignmentRoutes(management: management).routes
        routes += SecretRoutes(management: management).routes
        routes += SecretValueRoutes(management: management).routes
        routes += PersonRoutes(management: management).routes
        routes += AttributeRoutes(management: management).routes
        routes += InvitationRoutes(management: management).routes
        routes += ExpectedDeviceRoutes(management: management).routes
        routes += SecretAssignmentRoutes(management: management).routes
        routes += AuditRoutes(management: management).routes
        routes += WebhookRoutes(management: management).routes
        routes += PushCredentialRoutes(management: management, now: now).routes
        routes += AppleRoutes(management: management, showsOwnCertificate: showsOwnCertificate).routes
        routes += JobRoutes(management: management).routes
        routes += EnrollmentCodeRoutes(management: management, links: enrollment).routes
        routes += DeviceAdminRoutes(management: management).routes
        routes += EffectiveRoute(management: management).routes
        routes += CommandRoutes(management: management).routes
        routes += TrialRoutes(management: management).routes
        routes += FeedbackRoutes(management: management).routes
        routes += FeedbackMetricRoutes(management: management).routes
        self.routes = routes + DocumentRoute.routes(describing: routes)
    }

    func add(to router: Router<MartletContext>) {
        // Keys: ours.
        let twins = Dictionary(
            uniqueKeysWithValues: routes.filter { $0.method == .get }.map { ($0.path, $0) })
        for route in routes {
            let twin = route.method == .get ? nil : twins[route.path]
            router.on(RouterPath(Self.prefix + route.path), method: route.method) { request, context in
                do {
                    return try await StoreReaders.$current.withValue(.administrators) {
                        try await answer(route, twin: twin, request, context)
                    }
                } catch let problem as HTTPProblem {
                    if let refusal = AccessRefusal(rawValue: problem.code), !context.endsFormerSession {
                        traffic.count(refusal)
                    }
                    throw problem
                }
            }
        }
    }

    private func answer(
        _ route: AdminRoute, twin: AdminRoute?, _ request: Request, _ context: MartletContext
    ) async throws -> Response {
        let tags = EraTags(try await management.presentEra())
        let request = tags.inward(request)
        var response: Response
        do {
            response = try await EraTags.$current.withValue(tags) {
                try await respond(route, twin: twin, request, context)
            }
        } catch let problem as HTTPProblem where problem.status == .preconditionFailed && tags.areFormer(in: request) {
            throw HTTPProblem.seenBeforeRestore
        }
        guard request.method == .get else {
            // The tag of what a change says of itself is not that of what is there now.
            if !route.tellsVersion { response.headers[.eTag] = nil }
            return tags.outward(response)
        }
        return tags.outward(notModified(request, response) ?? response)
    }

    private func respond(
        _ route: AdminRoute, twin: AdminRoute?, _ request: Request, _ context: MartletContext
    ) async throws -> Response {
        let serve: @Sendable (AdminCall) async throws -> Response
        switch route.service {
        case .open(let serve):
            try RequestForm.judge(request, for: route)
            return try await serve(request, context)
        case .anySession(let service), .session(let service): serve = service
        }
        let call = try await authenticate(request, context, route)
        if case .session = route.service, call.session.mustChangePassword { throw HTTPProblem.passwordMustChange }
        try requirePermission(of: call, route)
        try RequestForm.judge(request, for: route)
        return try await tellingWhatTheStoreLacks(call) {
            try await once(call, twin) { call in
                try await inTurn(call, twin) { call in
                    try await tellingWhoWasQuicker(call, route) {
                        try await judgeCondition(of: call, route, twin)
                        let response = try await serve(call)
                        call.noteChange(answeredBy: response)
                        return response
                    }
                }
            }
        }
    }

    /// Serves a request; if the disk refuses it or the database is damaged, an answer to an administrator with wide rights
    /// names the file.
    private func tellingWhatTheStoreLacks(
        _ call: AdminCall, _ change: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await change()
        } catch let refusal as StoreDiskRefusal {
            throw HTTPProblem(refusal, detail: call.mayManage ? refusal.detail : nil)
        } catch let damage as StoreDamage {
            throw HTTPProblem.damaged(detail: call.mayManage ? damage.detail : nil)
        }
    }

    private func authenticate(
        _ request: Request, _ context: MartletContext, _ route: AdminRoute
    ) async throws -> AdminCall {
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer "),
            let session = try await management.session(token: String(header.dropFirst(7)))
        else {
            if !context.endsFormerSession {
                let address = PeerAddress.text(of: context.channel.remoteAddress) ?? ""
                context.logger.notice("access refused", metadata: ["rule": "not-logged-in", "from": "\(address)"])
            }
            throw HTTPProblem.notLoggedIn
        }
        context.peer.standing.recognize()
        return AdminCall(
            request: request, context: context, session: session, token: String(header.dropFirst(7)), limits: limits,
            route: route)
    }

    /// What the route is about is in its path: nobody is asked for an app or a group that they do not name there.
    private func requirePermission(of call: AdminCall, _ route: AdminRoute) throws(HTTPProblem) {
        let rights = call.session.rights
        let app = route.parameters.contains("app") ? try call.parameter("app") : nil
        let group = route.parameters.contains("group") ? try call.parameter("group") : nil
        // Some permissions are for looking and for starting work: what changes something is known by its route.
        let isWithinToken = route.changesNothing || !rights.areReadOnly
        guard isWithinToken else { throw call.notAllowed() }
        try call.require(AdminPermissions.needed(for: route.operation), app: app, group: group)
    }

    /// Does a change; where it is refused because somebody else was quicker, the answer says who and when.
    ///
    /// An administrator who may change a thing may know who else does.
    private func tellingWhoWasQuicker(
        _ call: AdminCall, _ route: AdminRoute, _ change: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await change()
        } catch let problem as HTTPProblem where problem.status == .preconditionFailed {
            // The audit log calls things as paths do.
            let subject = try route.parameters.map { try call.parameter($0) }.joined(separator: "/")
            guard let last = try await management.lastChange(of: subject) else { throw problem }
            // Nobody else is blamed for a change of one's own, made in another window or by another command.
            let who =
                last.author == call.session.administrator
                ? "You changed it yourself" : "\(last.author) was quicker"
            throw HTTPProblem(
                problem.status, problem.code, problem.title,
                detail: "\(who), at \(AdminJSON.text(of: last.time)) (\(last.action)).")
        }
    }

    /// `If-Match` on a change: what is there now must be what the administrator saw; `If-None-Match: *`: nothing is.
    private func judgeCondition(of call: AdminCall, _ route: AdminRoute, _ twin: AdminRoute?) async throws {
        guard !route.judgesConditions, route.method != .get else { return }
        if call.request.headers[.ifNoneMatch]?.trimmingCharacters(in: .whitespaces) == "*" {
            return try await requireNothing(at: twin, call)
        }
        guard let expected = call.request.headers[.ifMatch] else { return }
        guard let twin, case .session(let serve) = twin.service else { throw HTTPProblem.changed }
        do {
            guard let tag = try await serve(call).entityTag, tag.isNamed(byIfMatch: expected) else {
                throw HTTPProblem.changed
            }
        } catch let problem as HTTPProblem where problem.status == .notFound {
            throw HTTPProblem.changed
        }
    }

    private func requireNothing(at twin: AdminRoute?, _ call: AdminCall) async throws {
        guard let twin, case .session(let serve) = twin.service else { throw HTTPProblem.changed }
        do {
            _ = try await serve(call)
        } catch let problem as HTTPProblem where problem.status == .notFound {
            return
        }
        throw HTTPProblem.changed
    }

    private func notModified(_ request: Request, _ response: Response) -> Response? {
        guard response.status == .ok, let tag = response.entityTag,
            tag.isNamed(byIfNoneMatch: request.headers[.ifNoneMatch])
        else {
            return nil
        }
        return Response(status: .notModified, headers: [.eTag: tag.text])
    }
}

extension Response {
    /// The tag the answer carries.
    var entityTag: EntityTag? {
        headers[.eTag].map { EntityTag($0.dropFirst().dropLast()) }
    }
}

extension HTTPProblem {
    static let notLoggedIn = HTTPProblem(
        .unauthorized, "not-logged-in", "Log in first: POST /api/v1/session",
        headers: [.wwwAuthenticate: "Bearer realm=\"martlet\""])
    static let passwordMustChange = HTTPProblem(
        .forbidden, "password-must-change",
        "The one-time password must be changed first: PUT /api/v1/session/password")
    static let changed = HTTPProblem(
        .preconditionFailed, "changed", "What is there now is not what the request expects")
    static let seenBeforeRestore = HTTPProblem(
        .preconditionFailed, "changed", "What is there now is not what the request expects",
        detail: "A backup was put back after that version was read: read it again.")
    static let cursorBeforeRestore = HTTPProblem(
        .badRequest, "invalid", "The cursor is from before a backup was put back",
        detail: "Start again with the first page.")
}
