import DeviceMessages
import Foundation
import InputBounds
import Management

/// An app whose declaration a device reports as invalid counts as failed, and as reported when the declaration is valid.
package func storeContractRejected(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let epoch = try await store.enrolDevice("D1", certificate: 1).epoch
    try await store.addApp(app, configuration: "main", bytes: "main")
    func states() async throws -> [ReportedAppState: Int] { try await store.states(of: app) }
    func alerts() async throws -> [String] {
        try await store.auditEntries(after: 0, limit: 500).filter { $0.action.hasPrefix("alert.") }
            .map { "\($0.action.dropFirst(6)) \($0.subject) \($0.actor)" }
    }
    func reject(
        _ apps: Set<String>, at seconds: TimeInterval, isFull: Bool = false, items: [String: JSONValue] = [:]
    ) async throws {
        var update = StatusUpdate(items: items, isFull: isFull)
        update.rejectedApps = apps
        let report = ReceivedReport(
            received: time(seconds), sha256: digest(Int(seconds)), size: 1, isFull: isFull, document: nil)
        try await store.recordStatus(update, report: report, device: "D1")
    }
    try await reject([], at: 1)
    try await promise("a device that reports no app and rejects none counts nowhere") { try await states().isEmpty }
    for second in [2.0, 3] { try await reject([app], at: second) }
    try await reject([app], at: 4, isFull: true)
    try await promise("an app that it rejects and does not report has failed, once") {
        let (counted, recorded) = (try await states(), try await alerts())
        return counted == [.failed: 1] && recorded == ["failed D1 device:D1"]
    }
    try await promise("the list of devices has it") { try await store.device("D1")?.failingApps == 1 }
    try await store.report([AppStatus(identifier: app, state: "downloading")], by: "D1", at: 5)
    try await promise("a report of the app does not end it") { try await states() == [.failed: 1] }
    try await reject([], at: 6)
    try await promise("then it has the state of the last report") { try await states() == [.waiting: 1] }

    try await reject([app], at: 7)
    try await store.recordWithheld([app], on: "D1", epoch: epoch, now: time(8))
    try await promise("it goes before what is withheld") { try await states() == [.failed: 1] }
    try await reject([], at: 9)
    try await promise("which counts when it is over") { try await states() == [.withheld: 1] }
    try await reject([app], at: 10)
    try await store.recordWithheld([], on: "D1", epoch: epoch, now: time(11))
    try await promise("and does not come back by what is no longer withheld") { try await states() == [.failed: 1] }

    var decoded = AppStatus(identifier: app, shortVersion: "1.0", state: "managed")
    decoded.configState = AppStatus.ConfigState(app: "valid")
    try await store.report([decoded], by: "D1", at: 12)
    try await promise("an app that is there goes on with what it had") { try await states() == [.unapplied: 1] }
    try await reject([], at: 13)
    try await promise("without another report of the app") { try await states() == [.decoded: 1] }
    let tooLarge = [DeclarationStatuses.name: JSONValue.string(String(repeating: "x", count: StatusLimits.valueBytes))]
    try await reject([app], at: 14, items: tooLarge)
    try await promise("what is not kept of declarations rejects nothing") {
        let (counted, rejected) = (try await states(), try await store.rejectedApps(on: "D1"))
        return counted == [.decoded: 1] && rejected.isEmpty
    }
    try await reject([app], at: 15)
    try await promise("what counts can be read") { try await store.rejectedApps(on: "D1") == [app] }
    try await reject([], at: 16, items: tooLarge)
    try await promise("and what is not kept ends nothing") { try await store.rejectedApps(on: "D1") == [app] }
    _ = try await store.withdraw("D1", now: time(17))
    try await promise("a device that left has no states") { try await states().isEmpty }
}
