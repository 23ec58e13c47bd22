extension Management {
    /// Adds an app, or replaces its name and team.
    package func putApp(_ app: App, author: String) async throws -> Outcome<App, AdminRefusal> {
        if let refusal = app.refusal { return .refused(refusal) }
        let changed = try await store.putApp(app, author: author, now: moment)
        announce(changed.groups)
        return .accepted(changed.value)
    }

    package func app(_ bundleIdentifier: String) async throws -> App? {
        try await store.app(bundleIdentifier)
    }

    package func apps(_ page: PageRequest) async throws -> Page<App> {
        try await store.apps(page)
    }

    /// Makes devices look for an update of the app although nothing else changed.
    package func requestUpdateCheck(
        of bundleIdentifier: String, author: String
    ) async throws -> Outcome<App, AdminRefusal> {
        try await store.requestUpdateCheck(of: bundleIdentifier, author: author, now: moment).map { changed in
            announce(changed.groups)
            return changed.value
        }
    }

    /// Removes an app that is assigned nowhere, with its configurations.
    package func removeApp(_ bundleIdentifier: String, author: String) async throws -> AdminRefusal? {
        try await store.removeApp(bundleIdentifier, author: author, now: moment)
    }
}
