package import AdminMessages

/// How the server fares, as people read it.
package struct HealthText: Sendable {
    private let health: Health

    package init(_ health: Health) {
        self.health = health
    }

    package var text: String {
        var facts = Facts()
        facts.add("ready", health.fault.map { "no: \($0)" } ?? "yes")
        facts.add("version", health.version)
        for certificate in health.certificates {
            let warning =
                switch certificate.endsWithinDays {
                case nil: ""
                case 0?: ": it has ended"
                case 1?: ": it ends within a day"
                case let days?: ": it ends within \(days) days"
                }
            facts.add("certificate \(certificate.name)", "until \(certificate.expires.shown)\(warning)")
        }
        facts.add("clock", health.clock.map(Self.text))
        facts.add("database", "\(Self.size(health.databaseBytes)), log \(Self.size(health.logBytes))")
        facts.add("free", health.freeBytes.map(Self.size))
        facts.add("waiting writes", "\(health.waitingWrites)")
        facts.add("waiting devices", "\(health.wakeStreams)")
        let webhooks = health.webhooks
        facts.add("webhooks", "\(webhooks.active) active, \(webhooks.failing) failing, \(webhooks.disabled) disabled")
        return facts.text
    }

    private static func size(_ bytes: Int) -> String { Size.text(UInt64(clamping: bytes)) }

    private static func text(_ clock: ServerClock) -> String {
        var parts: [String] = []
        if clock.stepSeconds > 0 { parts.append("set forward by \(clock.stepSeconds) seconds") }
        if clock.stepSeconds < 0 { parts.append("set back by \(-clock.stepSeconds) seconds") }
        if !clock.deletesByAge { parts.append("nothing is deleted for its age") }
        if !clock.certifies { parts.append("no certificates are issued") }
        return parts.isEmpty ? "steady" : parts.joined(separator: ", ")
    }
}
