import CertificateAuthority
import Foundation
import Management
import Webhooks

/// What is measured of a running server, gathered when it is asked for.
struct ServerMeasures: Sendable {
    let management: Management
    let traffic: Traffic
    let streams: WakeStreams
    let process: ProcessFacts
    let webhooks: WebhookTally
    /// When the certificates end on which everything depends, by what they are for.
    let certificates: @Sendable () -> [(name: String, end: Date)]

    func text() async throws -> String {
        let store = try await management.storeFacts()
        var measures = MeasureText()
        measures.add(
            .counter, "martlet_requests_total", "Requests that were answered.",
            by: Area.allCases.flatMap { area in
                (1...5).map { hundreds in
                    (
                        [("area", area.rawValue), ("status", "\(hundreds)xx")],
                        traffic.requests(area, hundreds: hundreds)
                    )
                }
            })
        measures.add(
            "martlet_request_seconds", "How long answers took; wake streams are answered as they open.",
            Area.allCases.map { ($0.rawValue, traffic.durations($0)) })
        measures.add(.gauge, "martlet_requests_under_way", "Requests that are being answered.", traffic.underWay)
        measures.add(
            .counter, "martlet_refusals_total", "What devices and people were refused by a rule.", traffic.refusals)
        measures.add(
            .counter, "martlet_access_refusals_total", "What was refused to who asked as an administrator.",
            by: AccessRefusal.allCases.map { ([("reason", $0.rawValue)], traffic.refusals($0)) })
        measures.add(.gauge, "martlet_wake_streams", "Devices that wait to be woken.", streams.count)
        let standings = try await management.webhookStandings()
        measures.add(
            .gauge, "martlet_webhooks", "Webhooks, by how they fare.",
            by: Webhook.Standing.allCases.map { ([("state", $0.rawValue)], standings[$0] ?? 0) })
        measures.add(
            .counter, "martlet_webhook_attempts_total", "Attempts to deliver an event to a webhook.",
            by: [
                ([("outcome", "delivered")], webhooks.delivered), ([("outcome", "failed")], webhooks.failed),
            ])
        measures.add(.gauge, "martlet_enrollments", "Devices and users, withdrawn ones too.", store.enrollments)
        measures.add(
            .gauge, "martlet_store_waiting_writes", "Changes that are not on the disk yet.", store.waitingWrites)
        measures.add(
            .gauge, "martlet_store_bytes", "The size of the database and of its log.",
            by: [([("file", "database")], store.databaseBytes), ([("file", "log")], store.logBytes)])
        if let free = store.freeBytes {
            measures.add(.gauge, "martlet_store_free_bytes", "What is free on the disk of the database.", free)
        }
        measures.add(
            .gauge, "martlet_certificate_end_seconds", "When a certificate ends, in seconds since 1970.",
            by: certificates().map { ([("certificate", $0.name)], Int($0.end.timeIntervalSince1970)) })
        process.add(to: &measures)
        return measures.text
    }
}
