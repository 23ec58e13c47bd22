import AdminMessages
import Hummingbird
import Management

/// Apps.
struct AppRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apps", operation: "listApps", summary: "The apps, by bundle identifier.",
                query: QueryParameter.paging, answer: .json(.page(of: "App")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/apps/{app}", operation: "showApp", summary: "One app.",
                answer: .json(.named("App")), service: .session(show)),
            AdminRoute(
                method: .put, path: "/apps/{app}", operation: "putApp", summary: "Add an app, or replace its name.",
                body: .json(.named("App")), answer: .json(.named("App")), service: .session(put)),
            AdminRoute(
                method: .delete, path: "/apps/{app}", operation: "removeApp",
                summary: "Remove an app that is assigned nowhere, with its configurations.", status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.apps(call.page()), AdminMessages.App.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let app = try await management.app(call.parameter("app")) else { throw HTTPProblem(.unknownApp) }
        return try AdminAnswer.json(AdminMessages.App(app))
    }

    private func put(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AdminMessages.App.self)
        guard try wish.bundleIdentifier == call.parameter("app") else {
            throw HTTPProblem(
                .unprocessableContent, "invalid", "The bundle identifier in the body is the one in the path.")
        }
        let app = AppRecord(
            bundleIdentifier: wish.bundleIdentifier, name: wish.name, teamIdentifier: wish.teamIdentifier)
        let kept = try await management.putApp(app, author: call.session.administrator).get()
        return try AdminAnswer.json(AdminMessages.App(kept))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeApp(call.parameter("app"), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.App {
    fileprivate init(_ record: AppRecord) {
        self.init(
            bundleIdentifier: record.bundleIdentifier, name: record.name, teamIdentifier: record.teamIdentifier)
    }
}
