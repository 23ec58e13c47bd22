import AdminMessages

/// What Apple devices need of this server, what is missing, and what was never tried.
enum AppleDevicesPage {
    static let path = ["apple-devices"]
    static let routes = [ConsoleRoute(.get, "/apple-devices", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let readiness: AppleReadiness = try await call.door.get(RequestPath.text(path))
        let push = try await PushCredentialPage.credential(call)
        return call.page(
            "Apple devices", in: .health, trail: [Shell.Step("Health", ["health"])],
            """
            \(Panel.html("What they need", needs(readiness.needs)))
            \(Panel.html("What their profile says", profile(readiness, push, call)))
            \(Panel.html("Not tried", untried(readiness.untried)))
            """)
    }

    private static func needs(_ needs: [AppleNeedSummary]) -> HTML {
        let table = Table(
            caption: "What an Apple device needs of this server", columns: ["Need", "State", "What to know"],
            rows: needs.map { ["\(title(of: $0.name))", badge($0.state).html, "\($0.detail)"] })
        return """
            \(table.html)
            <p>\(Link.html("Waking Apple devices", PushCredentialPage.path))</p>
            <p class="hint">Not verified: the server cannot see it from where it is. It shows when a device enrolls.</p>
            """
    }

    private static func profile(
        _ readiness: AppleReadiness, _ push: PushCredential?, _ call: ConsoleCall
    ) -> HTML {
        let capabilities: [HTML] = readiness.capabilities.map { "<li>\(Code.html($0))</li>" }
        let announced: HTML? = capabilities.isEmpty ? nil : "<ul>\(capabilities)</ul>"
        return Facts.explained([
            (
                "Topic", readiness.topic.map { Code.html($0) },
                "Of pushes. A device listens to the topic of its own profile; a push certificate brings its topic."
            ),
            (
                "Push certificate ends", push?.expires.map { Moment.html($0, now: call.request.now) },
                "After that no Apple device is woken."
            ),
            (
                "Announces", announced,
                """
                A profile that is renewed cannot add channels of users (per-user-connections): a device that was enrolled \
                without them enrolls again.
                """
            ),
            ("Identity", readiness.identity.map { "\(words(for: $0))" }, "How a device gets the certificate it shows."),
        ])
    }

    private static func untried(_ sentences: [String]) -> HTML {
        let items: [HTML] = sentences.map { "<li>\($0)</li>" }
        return """
            <p>Martlet is tested with a played device that does what was reported of real ones. No Apple device and no \
            service of Apple's was there to try these with:</p>
            <ul>\(items)</ul>
            """
    }

    private static func title(of name: String) -> String {
        switch name {
        case "push-certificate": "Push certificate"
        case "push-service": "Apple's push service"
        case "profile": "Enrollment profile"
        case "server-certificate": "Certificate of this server"
        case "address": "Address of this server"
        default: name
        }
    }

    private static func words(for identity: String) -> String {
        switch identity {
        case "scep": "SCEP"
        case "acme": "ACME"
        case "acme-attested": "ACME, for a key that the device attests"
        default: identity
        }
    }

    private static func badge(_ state: AppleNeedState) -> Badge {
        switch state {
        case .met: Badge(.good, "There")
        case .attention: Badge(.warn, "Look at it")
        case .missing: Badge(.bad, "Missing")
        case .unverified: Badge(.plain, "Not verified")
        default: Badge(.plain, state.rawValue)
        }
    }
}
