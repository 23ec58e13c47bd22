import AdminMessages
import DeviceMessages
import Foundation
import Hummingbird
import Management

/// How the server itself fares.
struct HealthRoutes: Sendable {
    let management: Management
    let readiness: Readiness
    let streams: WakeStreams
    /// When the certificates end on which everything depends, by what they are for.
    let certificates: @Sendable () -> [(name: String, end: Date)]
    var now: @Sendable () -> Date = { Date() }

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/health", operation: "showHealth",
                summary:
                    "Whether the server can do what it is asked for, when its certificates end, what its store takes.",
                answer: .json(.named("Health")), service: .session(show))
        ]
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let look = await readiness.look()
        let fault = look.fault
        // One that did not answer in time may do so yet.
        let store = if let facts = look.facts { facts } else { try await management.storeFacts() }
        let webhooks = try await management.webhookStandings()
        return try AdminAnswer.json(
            Health(
                ready: fault == nil, fault: fault?.rawValue,
                certificates: certificates().sorted { $0.end < $1.end }.map { name, end in
                    ServerCertificate(
                        name: name, expires: end,
                        endsWithinDays: CertificateEnd.warning(
                            end, now: now(),
                            // Somebody has to go to Apple for that one.
                            amongDays: name == "push" ? PushSetup.warningDays : CertificateEnd.warningDays))
                },
                databaseBytes: store.databaseBytes, logBytes: store.logBytes, freeBytes: store.freeBytes,
                waitingWrites: store.waitingWrites, wakeStreams: streams.count,
                webhooks: WebhookCounts(
                    active: webhooks[.active] ?? 0, failing: webhooks[.failing] ?? 0,
                    disabled: webhooks[.disabled] ?? 0),
                clock: clock, version: MartletRelease.version))
    }

    private var clock: ServerClock {
        let step = management.clock.step
        return ServerClock(
            stepSeconds: step?.wholeSeconds ?? 0,
            deletesByAge: management.believesClock && step?.isForward != true,
            certifies: !management.clock.holdsCertificates)
    }
}
