import AdminMessages
import Hummingbird
import Management

/// Where devices get apps, by platform and origin.
struct AppSourceRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/apps/{app}/sources", operation: "listAppSources",
                summary: "Where devices get the app; without a source, devices that have it take it over as it is.",
                query: QueryParameter.cutting, answer: .json(.page(of: "AppSource")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/apps/{app}/sources/{platform}/{origin}", operation: "showAppSource",
                summary: "One source of an app.", answer: .json(.named("AppSource")),
                moreRefusals: [.unprocessableContent], service: .session(show)),
            AdminRoute(
                method: .put, path: "/apps/{app}/sources/{platform}/{origin}", operation: "putAppSource",
                summary: "Say where devices of a platform get the app.", body: .json(.named("AppSourceRequest")),
                answer: .json(.named("AppSource")), service: .session(put)),
            AdminRoute(
                method: .delete, path: "/apps/{app}/sources/{platform}/{origin}", operation: "removeAppSource",
                summary: "Take a source from an app.", status: .noContent, service: .session(remove)),
            AdminRoute(
                method: .post, path: "/apps/{app}/update-check", operation: "checkForAppUpdates",
                summary: "Make devices look for an update of the app although nothing changed.", status: .noContent,
                service: .session(checkForUpdates)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        let sources = try await management.appSources(of: call.parameter("app")).get()
        return try AdminAnswer.list(sources.map(AdminMessages.AppSource.init), by: .sources, call)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let (platform, origin) = (try platform(call), try origin(call))
        let sources = try await management.appSources(of: call.parameter("app")).get()
        guard let source = sources.first(where: { $0.platform == platform && $0.origin == origin }) else {
            throw HTTPProblem(.unknownAppSource)
        }
        return try AdminAnswer.json(AdminMessages.AppSource(source))
    }

    private func put(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(AppSourceRequest.self)
        let source = try AppSourceRecord(wish, platform: platform(call), origin: origin(call))
        let kept = try await management.putAppSource(
            source, of: call.parameter("app"), author: call.session.administrator
        ).get()
        return try AdminAnswer.json(AdminMessages.AppSource(kept))
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeAppSource(
            platform(call), origin(call), of: call.parameter("app"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func checkForUpdates(_ call: AdminCall) async throws -> Response {
        _ = try await management.requestUpdateCheck(
            of: call.parameter("app"), author: call.session.administrator
        ).get()
        return AdminAnswer.nothing
    }

    private func platform(_ call: AdminCall) throws(HTTPProblem) -> DevicePlatform {
        try AppSourceRecord.word(try call.parameter("platform"), "platform")
    }

    private func origin(_ call: AdminCall) throws(HTTPProblem) -> AppSourceRecord.Origin {
        try AppSourceRecord.word(try call.parameter("origin"), "origin")
    }
}

extension AppSourceRecord {
    /// One of a few words; the answer to any other names them.
    static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ name: String
    ) throws(HTTPProblem) -> Word {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw HTTPProblem(.unprocessableContent, "invalid", "The \(name) is one of \(words).")
        }
        return word
    }

    fileprivate init(
        _ wish: AppSourceRequest, platform: DevicePlatform, origin: Origin
    ) throws(HTTPProblem) {
        func version(_ text: String?) throws(HTTPProblem) -> SystemVersion? {
            guard let text else { return nil }
            guard let version = SystemVersion(text) else {
                throw HTTPProblem(
                    .unprocessableContent, "invalid", "A minimum version is one to four numbers, joined by dots.")
            }
            return version
        }
        self.init(
            platform: platform, location: try Self.location(wish, origin),
            install: try Self.word(wish.install ?? Install.required.rawValue, "install"),
            updates: try wish.updates.map { text throws(HTTPProblem) in try Self.word(text, "updates") },
            minimumOS: try version(wish.minimumOSVersion), minimumAgent: try version(wish.minimumAgentVersion))
    }

    private static func location(_ wish: AppSourceRequest, _ origin: Origin) throws(HTTPProblem) -> Location {
        guard origin == .appStore || wish.license == nil else {
            throw HTTPProblem(.unprocessableContent, "invalid", "Only apps of the App Store have a license.")
        }
        if origin == .installed { return .installed(composed: wish.location) }
        guard let location = wish.location else {
            throw HTTPProblem(.unprocessableContent, "invalid", "The source needs a location.")
        }
        switch origin {
        case .package: return .package(sha256: location)
        case .manifest: return .manifest(url: location)
        case .appStore:
            return .appStore(id: location, license: try word(wish.license ?? License.device.rawValue, "license"))
        case .installed: return .installed(composed: location)
        }
    }
}

extension AdminMessages.AppSource {
    init(_ record: AppSourceRecord) {
        self.init(
            platform: record.platform.rawValue, origin: record.origin.rawValue, install: record.install.rawValue,
            updates: record.updates?.rawValue, minimumOSVersion: record.minimumOS?.description,
            minimumAgentVersion: record.minimumAgent?.description)
        switch record.location {
        case .package(let sha256): location = sha256
        case .manifest(let url): location = url
        case .appStore(let id, let license): (location, self.license) = (id, license.rawValue)
        case .installed(let composed): location = composed
        }
    }
}
