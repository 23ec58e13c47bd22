import DeviceMessages
import Foundation
import InputBounds

/// Reports the device's state to its server.
extension Session {
    /// The server's state has taken the damaged generation's place; a full report says so.
    mutating func forgetDamage() throws {
        try device.change { $0.damagedGeneration = nil }
        (saidDamage, statusIsDue, isDoubtful) = (false, true, true)
    }

    /// Tells the server what it does not know yet; counted as told only once it has said so.
    mutating func reportStatus() async throws {
        let state = device.known
        guard state.declarations.enabled else {
            statusIsDue = false
            return
        }
        let apps = device.apps(state)
        let items = StatusItems(
            state, apps: apps, standings: device.standings(state, present: apps), facts: device.facts,
            appUsers: device.appUsers, withFeedback: withFeedback(state))
        let report = state.status.report(
            of: items.values, unavailable: items.unavailable, isDoubtful: isDoubtful, now: now())
        let feedback = feedback(for: state)
        guard report != nil || !feedback.isEmpty else {
            statusIsDue = false
            return
        }
        var message = StatusReport(fullReport: report?.isFull ?? false)
        for (name, value) in report?.items ?? [:] { message.set(value, at: name) }
        // In each report, and no reason for one: the server sees by it whether it was an older copy that began this run.
        message.set(device.atRest.value, at: AtRestStatus.name)
        if !feedback.isEmpty { message.set(.array(feedback.map(\.value)), at: AppFeedbackStatus.name) }
        message.errors = (report?.unavailable ?? []).map { name in
            let reason = StatusReason(code: "Error.NotSupported", description: "This device does not have the item.")
            return StatusReport.Failure(statusItem: name, reasons: [reason])
        }
        let wasDoubtful = isDoubtful
        // What is no state mends itself: what the server has of it twice it keeps once.
        if report != nil { isDoubtful = true }
        do {
            try await requests.status(message)
        } catch let refusal as ServerRefusal {
            // An answer, and no: the server has not taken it.
            isDoubtful = wasDoubtful
            throw refusal
        }
        if let report {
            try device.change { $0.status.accepted(report, now: now()) }
            isDoubtful = false
        }
        if !feedback.isEmpty {
            try device.feedback.reported(Set(feedback.map(\.life)))
            // There may be more than one report holds.
            try await reportStatus()
        }
        statusIsDue = false
    }
}
