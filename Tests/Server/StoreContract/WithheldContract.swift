import DeviceMessages
import Foundation
import Management

/// Apps of which the server withholds something from a device count as such, and as reported when nothing is withheld.
package func storeContractWithheld(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let epoch = try await store.enrolDevice("D1", certificate: 1).epoch
    _ = try await store.enrolDevice("D2", certificate: 2)
    try await store.addApp(app, configuration: "main", bytes: "main")
    func states() async throws -> [ReportedAppState: Int] { try await store.states(of: app) }
    func alerts() async throws -> [String] {
        try await store.auditEntries(after: 0, limit: 500).filter { $0.action.hasPrefix("alert.") }
            .map { "\($0.action.dropFirst(6)) \($0.subject) \($0.actor)" }
    }
    func withhold(_ apps: Set<String>, epoch: Int, at seconds: TimeInterval) async throws {
        try await store.recordWithheld(apps, on: "D1", epoch: epoch, now: time(seconds))
    }
    var decoded = AppStatus(identifier: app, shortVersion: "1.0", state: "managed")
    decoded.configState = AppStatus.ConfigState(app: "valid")
    for device in ["D1", "D2"] { try await store.report([decoded], by: device, at: 1) }

    try await withhold([app], epoch: epoch + 1, at: 2)
    try await promise("another life of the device changes nothing") { try await states() == [.decoded: 2] }
    for second in [3.0, 4] { try await withhold([app, "com.example.unreported"], epoch: epoch, at: second) }
    try await promise("it counts before the device reports anew, once") {
        let (counted, recorded) = (try await states(), try await alerts())
        return counted == [.decoded: 1, .withheld: 1] && recorded == ["withheld D1 server"]
    }
    try await promise("the list of devices has it") { try await store.device("D1")?.failingApps == 1 }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0", state: "managed")], by: "D1", at: 5)
    try await promise("a report that is in order does not end it") {
        let (counted, recorded) = (try await states(), try await alerts())
        return counted == [.decoded: 1, .withheld: 1] && recorded.count == 1
    }
    try await store.report([AppStatus(identifier: app, state: "failed")], by: "D1", at: 6)
    try await promise("what is worse goes before it") { try await states() == [.decoded: 1, .failed: 1] }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0", state: "managed")], by: "D1", at: 7)
    try await withhold([], epoch: epoch, at: 8)
    try await promise("then it has the state of the last report") {
        try await states() == [.decoded: 1, .unconfigured: 1]
    }
    try await withhold([app], epoch: epoch, at: 5_000)
    try await promise("a problem that ended begins again") {
        try await alerts().filter { $0.hasPrefix("withheld") }.count == 2
    }
    try await store.report([], by: "D1", isFull: true, at: 5_001)
    try await promise("an app that is gone has no state") { try await states() == [.decoded: 1] }
    try await withhold([], epoch: epoch, at: 5_002)
    try await promise("and gets none when nothing is withheld") { try await states() == [.decoded: 1] }
    try await withhold([app], epoch: epoch, at: 5_003)
    _ = try await store.withdraw("D1", now: time(5_004))
    try await promise("a device that left has nothing withheld") {
        try await store.deviceContext(key: "D1")?.withheldApps == []
    }
}
