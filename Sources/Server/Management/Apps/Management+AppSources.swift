extension Management {
    /// Sets where devices of a platform get an app; it replaces an earlier source of the same origin.
    package func putAppSource(
        _ source: AppSource, of app: String, author: String
    ) async throws -> Outcome<AppSource, AdminRefusal> {
        if let refusal = source.refusal(in: app) { return .refused(refusal) }
        return try await store.putAppSource(source, of: app, author: author, now: moment).map { changed in
            announce(changed.groups)
            return changed.value
        }
    }

    package func removeAppSource(
        _ platform: DevicePlatform, _ origin: AppSource.Origin, of app: String, author: String
    ) async throws -> AdminRefusal? {
        switch try await store.removeAppSource(platform, origin, of: app, author: author, now: moment) {
        case .accepted(let changed):
            announce(changed.groups)
            return nil
        case .refused(let refusal): return refusal
        }
    }

    package func appSources(of app: String) async throws -> Outcome<[AppSource], AdminRefusal> {
        try await store.appSources(of: app)
    }
}
