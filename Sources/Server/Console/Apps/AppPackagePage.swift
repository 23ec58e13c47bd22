import AdminMessages

/// The packages of an app that the server hosts.
enum AppPackagePage {
    static let routes = [
        ConsoleRoute(.get, "/apps/{app}/packages/{sha256}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/apps/{app}/packages/{sha256}/remove", serve: remove),
    ]

    static func table(_ packages: [Package], _ call: ConsoleCall) -> HTML {
        guard !packages.isEmpty else {
            return EmptyState.html(
                "No package", "One is uploaded in pieces: <code>martlet app package upload</code> does so.")
        }
        return Table(
            caption: "Packages, the newest first", columns: ["Version", "Team", "Size", "Uploaded", "Used"],
            rows: packages.map { package in
                [
                    Link.html(package.shortVersion, ["apps", package.app, "packages", package.sha256]),
                    Code.html(package.team), "\(package.size / 1_000) kB",
                    Moment.html(package.uploaded, now: call.request.now),
                    package.unusedSince.map { _ in Badge(.plain, "By no source").html }
                        ?? Badge(.good, "By a source").html,
                ]
            }
        ).html
    }

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        let place = ["apps", app, "packages", call.parameter("sha256")]
        let package: Package = try await call.door.get(RequestPath.text(place))
        let facts = Facts.html([
            ("Title", "\(package.title)"), ("Version", "\(package.shortVersion) (\(package.version))"),
            ("Team", Code.html(package.team)), ("Size", "\(package.size) bytes"),
            ("SHA-256", Code.copied(package.sha256, what: "the digest")),
            ("At least", package.minimumOSVersion.map { "OS \($0)" }),
            ("With agent", package.minimumAgentVersion.map { "at least \($0)" }),
            ("Uploaded", Moment.html(package.uploaded, now: call.request.now)), ("By", "\(package.author)"),
            ("Manifest", Code.copied(package.manifestURL, what: "the manifest’s address")),
        ])
        let removal: HTML? =
            call.may(.configure, app: app)
            ? call.form(
                to: ConsolePath.text(place + ["remove"]), "<button class=\"danger\">Stop hosting it</button>") : nil
        return call.page(
            "\(package.title) \(package.shortVersion)", in: .apps,
            trail: AppSourcePage.trail(app) + [Shell.Step("Sources", ["apps", app, "sources"])],
            status: refusal?.status ?? 200,
            "\(refusal.map { ProblemPage.alert($0.problem) })<section class=\"panel\">\(facts)</section>\(removal)")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let app = call.parameter("app")
        do {
            try await call.door.send("DELETE", RequestPath.text(["apps", app, "packages", call.parameter("sha256")]))
            return .seeOther(["apps", app, "sources"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 409 {
            return try await show(call, refusal: refusal)
        }
    }
}
