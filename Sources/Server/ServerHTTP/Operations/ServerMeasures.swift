import ApplePush
import CertificateAuthority
import DeviceMessages
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
    let pushes: PushTally
    let listeners: ListenerTally
    /// When the certificates end on which everything depends, by what they are for.
    let certificates: @Sendable () -> [(name: String, end: Date)]
    let now: @Sendable () -> Date

    func text() async throws -> String {
        let store = try await management.storeFacts()
        var measures = MeasureText()
        measures.add(
            .gauge, "martlet_build_info", "The version of the server; always 1.",
            by: [([("version", MartletRelease.version)], 1)])
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
            .counter, "martlet_refusals_total", "Refusals of devices and people, by rule.", traffic.refusals)
        measures.add(
            .counter, "martlet_odd_messages_total", "Messages of devices that could be read only in part.",
            by: [
                ([("message", "check-in")], traffic.oddCheckIns.value),
                ([("message", "command-result")], traffic.oddResults.value),
                ([("message", "status-report")], management.oddReports.count),
            ])
        measures.add(
            .counter, "martlet_access_refusals_total", "Refusals of administrators' requests.",
            by: AccessRefusal.allCases.map { ([("reason", $0.rawValue)], traffic.refusals($0)) })
        measures.add(
            .counter, "martlet_secret_values_refused_total",
            "Keys that were refused as content of a defaults dictionary.",
            by: SecretRefusals.Kind.allCases.map { kind in
                ([("kind", kind.rawValue)], management.secretRefusals.count(kind))
            })
        measures.add(.gauge, "martlet_wake_streams", "Devices that wait to be woken.", streams.count)
        addListeners(to: &measures)
        let counts = try await management.storeCounts()
        addWebhooks(to: &measures, try await management.webhooks(), counts)
        addPushes(to: &measures)
        measures.add(
            .gauge, "martlet_jobs", "Jobs on record, by how far they are.",
            by: Job.State.allCases.map { ([("state", $0.rawValue)], counts.jobs[$0] ?? 0) })
        measures.add(
            .gauge, "martlet_kept_requests", "Requests with an Idempotency-Key that are remembered.", counts.requests)
        measures.add(.gauge, "martlet_enrollments", "Devices and users, withdrawn ones too.", counts.enrollments)
        addFleet(to: &measures, try await management.fleetCounts())
        addFeedback(to: &measures, try await management.feedbackMetrics())
        measures.add(
            .gauge, "martlet_store_waiting_writes", "Changes that are not on the disk yet.", store.waitingWrites)
        measures.add(
            .gauge, "martlet_store_bytes", "The size of the database and of its log.",
            by: [([("file", "database")], store.databaseBytes), ([("file", "log")], store.logBytes)])
        if let free = store.freeBytes {
            measures.add(.gauge, "martlet_store_free_bytes", "What is free on the disk of the database.", free)
        }
        addCertificates(to: &measures)
        addClock(to: &measures)
        process.add(to: &measures)
        return measures.text
    }

    private func addCertificates(to measures: inout MeasureText) {
        let (ends, moment) = (certificates(), now())
        measures.add(
            .gauge, "martlet_certificate_end_seconds", "When a certificate ends, in seconds since 1970.",
            by: ends.map { ([("certificate", $0.name)], Int($0.end.timeIntervalSince1970)) })
        measures.add(
            .gauge, "martlet_certificate_remaining_seconds",
            "For how long a certificate is valid, in seconds; less than 0 after its end.",
            by: ends.map { ([("certificate", $0.name)], Int($0.end.timeIntervalSince(moment))) })
    }

    private func addFleet(to measures: inout MeasureText, _ fleet: FleetCounts) {
        var states = ReportedAppState.allCases.map { ($0.rawValue, fleet.apps[$0] ?? 0) }
        states.append((ReportedAppState.unreportedWord, fleet.unreported))
        measures.add(
            .gauge, "martlet_apps_on_devices", "Apps on devices, by how they fare by the device's newest report.",
            by: states.map { ([("state", $0.0)], $0.1) })
        measures.add(
            .gauge, "martlet_devices_unseen",
            "Enrolled devices that were last seen before yesterday began, up to \(FleetCounts.mostUnseen).",
            fleet.unseen)
    }

    /// The store adds to the sums as feedback comes, so reading them touches these few rows alone.
    private func addFeedback(to measures: inout MeasureText, _ numbers: [FeedbackMetric]) {
        measures.add(
            .counter, "martlet_app_feedback_total", "Numbers of apps' feedback that an administrator has measured.",
            named: numbers.map { ([("app", $0.app), ("key", $0.key)], $0.sum) })
    }

    private func addClock(to measures: inout MeasureText) {
        measures.add(
            .gauge, "martlet_clock_step_seconds",
            "By how much the clock was set forward, or back if less than 0; 0 once that has settled.",
            management.clock.step?.wholeSeconds ?? 0)
        measures.add(
            .gauge, "martlet_clock_believed",
            "0 while the time is far beyond what the server lived through, so that nothing is deleted for its age.",
            management.believesClock ? 1 : 0)
    }

    private func addListeners(to measures: inout MeasureText) {
        measures.add(
            .gauge, "martlet_event_listeners", "Who listens to changes.", management.changes.listenerCount)
        measures.add(
            .counter, "martlet_event_resets_total", "How often a listener missed changes.",
            listeners.resets)
        measures.add(
            .counter, "martlet_event_drops_total", "Listeners that were let go or not let in.",
            by: ListenerTally.Drop.allCases.map { ([("reason", $0.rawValue)], listeners.drops($0)) })
    }

    private func addPushes(to measures: inout MeasureText) {
        measures.add(
            .gauge, "martlet_push_waiting", "Devices and groups that wait to be woken by Apple's push service.",
            management.push.queue.waiting)
        measures.add(
            .counter, "martlet_pushes_total", "Pushes to Apple devices, by what came of them.",
            by: [
                ([("outcome", "accepted")], pushes.accepted), ([("outcome", "retired")], pushes.retired),
                ([("outcome", "failed")], pushes.failed),
            ])
    }

    private func addWebhooks(to measures: inout MeasureText, _ all: [Webhook], _ counts: StoreCounts) {
        measures.add(
            .gauge, "martlet_webhooks", "Webhooks, by how they fare.",
            by: Webhook.Standing.allCases.map { state in
                ([("state", state.rawValue)], all.count { $0.standing == state })
            })
        measures.add(
            .gauge, "martlet_webhook_waiting", "Events that wait for webhooks, of each up to a thousand.",
            all.reduce(0) { $0 + $1.waiting })
        measures.add(
            .gauge, "martlet_webhook_deliveries", "Deliveries to webhooks on record, by what came of them.",
            by: WebhookDelivery.State.allCases.map { ([("state", $0.rawValue)], counts.deliveries[$0] ?? 0) })
        measures.add(
            .counter, "martlet_webhook_attempts_total", "Attempts to deliver an event to a webhook.",
            by: [
                ([("outcome", "delivered")], webhooks.delivered), ([("outcome", "failed")], webhooks.failed),
            ])
    }
}
