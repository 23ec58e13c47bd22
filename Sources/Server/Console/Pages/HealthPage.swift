import AdminMessages
import Foundation

/// How the server itself fares.
enum HealthPage {
    static let routes = [ConsoleRoute(.get, "/health", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let health: Health = try await call.door.get("/health")
        let state = health.fault.map { "\(Badge(.bad, "Not ready").html) \($0)" as HTML } ?? Badge(.good, "Ready").html
        let store = Facts.html([
            ("State", state), ("Database", "\(size(health.databaseBytes))"),
            ("Its log", "\(size(health.logBytes))"), ("Free on its disk", health.freeBytes.map { "\(size($0))" }),
            ("Changes not on the disk yet", "\(health.waitingWrites)"),
            ("Devices that wait to be woken", "\(health.wakeStreams)"),
            ("Webhooks", webhooks(health.webhooks, call)),
        ])
        let certificates = Table(
            caption: "Certificates", columns: ["For", "State", "Ends"],
            rows: health.certificates.map { certificate in
                [
                    "\(certificate.name)", badge(certificate, call.request.now).html,
                    Moment.html(certificate.expires, now: call.request.now),
                ]
            })
        return call.page(
            "Health", in: .health, "\(Panel.html("Server", store))\(Panel.html("Certificates", certificates.html))")
    }

    private static func webhooks(_ counts: WebhookCounts, _ call: ConsoleCall) -> HTML {
        let text: HTML = "\(counts.active) active, \(counts.failing) failing, \(counts.disabled) disabled"
        guard counts.failing + counts.disabled > 0 else { return text }
        let mark = Badge(.warn, "Look at them").html
        return call.may(.audit)
            ? "\(mark) \(text): \(Link.html("to the webhooks", WebhooksPage.path))" : "\(mark) \(text)"
    }

    static func badge(_ certificate: ServerCertificate, _ now: Date) -> Badge {
        let days = certificate.expires.timeIntervalSince(now) / 86_400
        if days < 0 { return Badge(.bad, "Ended") }
        return days < 30 ? Badge(.warn, "Ends soon") : Badge(.good, "Good")
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
