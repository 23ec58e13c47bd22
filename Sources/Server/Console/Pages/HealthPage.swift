import AdminMessages
import Foundation

/// How the server itself fares.
enum HealthPage {
    static let routes = [ConsoleRoute(.get, "/health", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let health: Health = try await call.door.get("/health")
        return call.page(
            "Health", in: .health,
            """
            \(Panel.html("Server", server(health, call)))
            \(Panel.html("Certificates", certificates(health.certificates, call.request.now)))
            <p>\(Link.html("Apple devices", AppleDevicesPage.path))</p>
            <p>\(Link.html("Waking Apple devices", PushCredentialPage.path))</p>
            """)
    }

    private static func server(_ health: Health, _ call: ConsoleCall) -> HTML {
        let state = health.fault.map { "\(Badge(.bad, "Not ready").html) \($0)" as HTML } ?? Badge(.good, "Ready").html
        let consequence: HTML =
            health.fault == nil
            ? "Devices and administrators are answered."
            : "The server asks clients to come back later. Devices keep what they have and try again by themselves."
        return Facts.explained([
            ("State", state, consequence),
            ("Version", health.version.map { "\($0)" }, "Of this server. The changelog says what came with it."),
            (
                "Database", "\(size(health.databaseBytes))",
                "All that the server knows, in one file. It grows with devices, and with what they report."
            ),
            (
                "Its log", "\(size(health.logBytes))",
                "The newest changes, which the server moves into the database by and by."
            ),
            (
                "Free on its disk", health.freeBytes.map { "\(size($0))" },
                "With less than 17 MB the server is not ready: make room before."
            ),
            (
                "Changes not on the disk yet", "\(health.waitingWrites)",
                "Each is answered when it is on the disk. Many for a long time mean a disk that is too slow."
            ),
            (
                "Devices that wait to be woken", "\(health.wakeStreams)",
                "They are connected and hear of a change at once. Others come by themselves, later."
            ),
            (
                "Clock", health.clock.map(Self.clock),
                """
                Set forward or back: look at the machine's time service. Until the clock is right, or has gone on for a \
                day, nothing is deleted for its age; for an hour after it was set forward no certificates are issued.
                """
            ),
            (
                "Webhooks", webhooks(health.webhooks, call),
                """
                Active: what happens is sent. Failing: the last attempt went wrong, and is made again. Disabled: given \
                up or switched off, until somebody enables it.
                """
            ),
        ])
    }

    private static func certificates(_ certificates: [ServerCertificate], _ now: Date) -> HTML {
        let table = Table(
            caption: "Certificates", columns: ["For", "State", "Ends"],
            rows: certificates.map { certificate in
                let what = meaning(of: certificate).map { "<p class=\"hint\">\($0)</p>" as HTML }
                return [
                    "\(certificate.name)\(what)", badge(certificate).html,
                    Moment.html(certificate.expires, now: now),
                ]
            })
        return """
            \(table.html)
            <p class="hint">Good: it ends later. Ends soon: within 30 days. The push certificate: within 60. The warning comes \
            again 7 days before the end and, except for the push certificate, one day before. Ended: it is refused.</p>
            """
    }

    /// What depends on it, in words; nothing for one that is not known here.
    private static func meaning(of certificate: ServerCertificate) -> String? {
        switch certificate.name {
        case "devices": "The authority that certifies devices. The server knows them by it."
        case "identities": "The authority that certifies identities of apps."
        case "server":
            "What browsers, devices and the command line know this server by. One that the server issued to itself it renews "
                + "by itself; one of the operator's own is taken over within a minute when its files are replaced."
        case "push": "The server wakes Apple devices with it. Renew it at Apple's push certificates portal."
        default: nil
        }
    }

    private static func clock(_ clock: ServerClock) -> HTML {
        switch (clock.stepSeconds, clock.deletesByAge) {
        case (0, true): Badge(.good, "Steady").html
        case (0, false): "\(Badge(.warn, "Not believed yet").html) nothing is deleted for its age"
        case (1..., _): "\(Badge(.bad, "Set forward").html) by \(clock.stepSeconds) seconds"
        default: "\(Badge(.bad, "Set back").html) by \(clock.stepSeconds.magnitude) seconds"
        }
    }

    private static func webhooks(_ counts: WebhookCounts, _ call: ConsoleCall) -> HTML {
        let text: HTML = "\(counts.active) active, \(counts.failing) failing, \(counts.disabled) disabled"
        guard counts.failing + counts.disabled > 0 else { return text }
        let mark = Badge(.warn, "Look at them").html
        return call.may(.audit)
            ? "\(mark) \(text): \(Link.html("to the webhooks", WebhooksPage.path))" : "\(mark) \(text)"
    }

    static func badge(_ certificate: ServerCertificate) -> Badge {
        switch certificate.endsWithinDays {
        case nil: Badge(.good, "Good")
        case 0?: Badge(.bad, "Ended")
        case 1?: Badge(.bad, "Ends within a day")
        case 7?: Badge(.warn, "Ends within 7 days")
        default: Badge(.warn, "Ends soon")
        }
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(bytes) bytes"
        case ..<10_000_000: "\(bytes / 1_000) kB"
        case ..<10_000_000_000: "\(bytes / 1_000_000) MB"
        default: "\(bytes / 1_000_000_000) GB"
        }
    }
}
