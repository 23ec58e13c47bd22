import Crypto
package import DeviceMessages
import Foundation
import InputBounds

extension Management {
    /// The latest values a device reported, by item name; large ones are left out, see `statusItem`.
    package func status(
        of device: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ListedStatusItem>, AdminRefusal> {
        guard try await store.device(device) != nil else { return .refused(.unknownDevice) }
        return .accepted(try await store.statusItems(of: device, page))
    }

    /// One of them, whatever its size; nothing if the device did not report it.
    package func statusItem(_ name: String, of device: String) async throws -> Outcome<StatusItem?, AdminRefusal> {
        guard try await store.device(device) != nil else { return .refused(.unknownDevice) }
        return .accepted(try await store.statusItems(of: device, named: [name]).first)
    }

    /// The newest reports of a device as they came.
    package func statusReports(of device: String) async throws -> [ReceivedReport] {
        try await store.statusReports(of: device)
    }

    /// What a device last said of each managed app: its state, whether the app took its configuration, and why not.
    package func reportedApps(of device: String) async throws -> [AppStatus] {
        guard case .array(let elements) = try await reported(AppStatus.name, by: device) else { return [] }
        return elements.compactMap { try? AppStatus($0) }
    }

    /// What a device last said of each declaration.
    package func reportedDeclarations(of device: String) async throws -> DeclarationStatuses? {
        guard let value = try await reported(DeclarationStatuses.name, by: device) else { return nil }
        return try? DeclarationStatuses(value)
    }

    /// What a device last said of how it keeps what it was given; nothing of a device that is not ours.
    package func atRest(of device: String) async throws -> AtRestRecord? {
        try await reported(AtRestStatus.name, by: device).flatMap { AtRestRecord($0) }
    }

    func reported(_ item: String, by device: String) async throws -> JSONValue? {
        let items = try await store.statusItems(of: device, named: [item])
        return try items.first.map { try Self.json($0.value) }
    }

    func recordStatus(_ data: Data, of device: DeviceContext) async throws -> CheckInAnswer {
        // The channels of a device's users count with the device: it makes them up as it likes.
        let reporter = String(device.key.prefix { $0 != ":" })
        if let seconds = reports.take(reporter, now: uptime()) { return .refused(.tooManyReports(seconds: seconds)) }
        let reading: LenientReading<StatusReport>
        do throws(InputRefusal) {
            reading = try StatusReport.read(data)
        } catch {
            return .refused(.mismatch(log: "a status report that cannot be read: \(error.rule)"))
        }
        let report = reading.value
        if !reading.oddities.isEmpty { oddReports.add() }
        var update = StatusMerge.update(report.items, isFull: report.fullReport, oddities: reading.oddities)
        update.feedback = report.feedback()
        update.rejectedApps = try await rejectedApps(in: update, of: device)
        let received = ReceivedReport(
            received: moment, sha256: Data(SHA256.hash(data: data)), size: data.count, isFull: report.fullReport,
            document: data.count <= StatusLimits.reportBytes ? data : nil)
        let consequences = try await store.recordStatus(update, report: received, device: device.key)
        if !update.feedback.isEmpty { webhookBell.ring() }
        tell(consequences, of: device)
        if consequences.isConfigurationResent {
            contexts.forget(device.key)
            wakeHub.wake(device.key)
        }
        if consequences.isAudienceNew {
            // It may be given other things now, and nobody else is concerned.
            contexts.forget(device.key)
            try await reconsider(device.key)
        }
        try await follow(consequences.moves)
        if update.items[DeclarationStatuses.name] != nil {
            // Only a report that came again was not merged anew.
            let merged = consequences.merged[DeclarationStatuses.name].flatMap { try? DeclarationStatuses($0) }
            let reported = if let merged { merged } else { try await reportedDeclarations(of: device.key) }
            if let reported { try await keepHeld(by: device.key, reported) }
        }
        if device.awaitsConfiguration { try await releaseIfConfigured(device.key) }
        return .done
    }

    private func tell(_ consequences: ReportConsequences, of device: DeviceContext) {
        var report = Change(.report, device: device.key, groups: device.groups, time: moment)
        if changes.followsSecrets(in: device.groups) {
            report.lackedSecrets = LackedSecret.all(in: consequences.merged[AppStatus.name])
        }
        changes.note(report)
        for refusal in consequences.refusals {
            var change = Change(
                refusal.stands ? .refuse : .accept, device: device.key, groups: device.groups, time: moment)
            (change.app, change.name, change.version) = (refusal.app, refusal.configuration, refusal.version)
            changes.note(change)
        }
    }

    static func json(_ data: Data) throws -> JSONValue {
        try JSONValue(parsing: data, limits: StatusLimits.kept)
    }
}
