import DeviceMessages
import Foundation
import InputBounds
import Management

/// The fleet at a glance: every count follows the change that it is about.
package func storeContractOverview(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    func overview(_ now: Date = time(10)) async throws -> FleetOverview {
        try await store.overview(OverviewBounds(), now: now)
    }
    try await promise("nothing is there at first") {
        try await overview() == FleetOverview(devices: [:], silent: 0, openCodes: 0, apps: [])
    }
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await promise("devices are counted by their state") { try await overview().devices[.enrolled] == 3 }
    try await store.addApp(app, configuration: "main", bytes: "main")
    _ = try accepted(try await store.assign(app: app, configuration: "main", to: "all", now: time(2)))
    _ = try await store.addGroup(named: "other", now: time(2))
    _ = try await store.addDevice("D1", toGroup: "other", author: "a", now: time(2))
    try await promise("a device in several groups counts once") {
        let both = try await store.enrolledDevices(in: ["all", "other"])
        let (other, nobody) = (
            try await store.enrolledDevices(in: ["other"]), try await store.enrolledDevices(in: ["nobody"])
        )
        return both == 3 && other == 1 && nobody == 0
    }
    let refusal = StatusReason(code: AppStatus.configurationRefused, details: .object(["Code": .integer(7)]))
    for number in 1...2 {
        let reasons = number == 1 ? [refusal] : []
        try await store.report([AppStatus(identifier: app, shortVersion: "1.0", reasons: reasons)], by: "D\(number)")
    }
    func shown() async throws -> FleetOverview.App? { try await overview().apps.first }
    try await promise("an app has its devices, its refusals and its groups") {
        let app = try await shown()
        return app?.devices == 2 && app?.refusals == 1 && app?.groups == 1
    }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0")], by: "D1")
    try await promise("a refusal that stands no more is not counted") { try await shown()?.refusals == 0 }
    try await store.recordSeen(["D1": time(0), "D2": time(9 * 86_400)])
    try await promise("who was not seen for a week is silent, who was is not") {
        try await overview(time(9 * 86_400)).silent == 1
    }
    var bounds = OverviewBounds()
    (bounds.counted, bounds.silentDays) = (1, -1)
    try await promise("counting ends one after the bound") { [bounds] in
        try await store.overview(bounds, now: time(9 * 86_400)).silent == 2
    }
    _ = try await store.withdraw("D1", now: time(9))
    try await store.checkOut(key: "D2", now: time(9))
    try await promise("devices that left are counted as such, and their apps no more") {
        let now = try await overview()
        return now.devices[.enrolled] == 1 && now.devices[.withdrawn] == 1 && now.devices[.checkedOut] == 1
            && now.apps.first?.devices == 0
    }
}
