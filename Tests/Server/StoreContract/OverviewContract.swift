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
    try await promise("a device that gets an app and never reported it is counted (S4-GOAL-08)") {
        let app = try await shown()
        return app?.unreported == 1 && app?.mayBeMoreUnreported == false
    }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0")], by: "D1")
    try await promise("a refusal that stands no more is not counted") { try await shown()?.refusals == 0 }
    try await promise("devices in several groups with an app get it once") {
        _ = try accepted(try await store.assign(app: app, configuration: "main", to: "other", now: time(3)))
        let (given, none) = (try await store.devices(given: app), try await store.devices(given: "nobody"))
        return given == 3 && none == 0
    }
    try await promise("whoever is in several groups has not reported it once, and where counting ends that is said") {
        var few = OverviewBounds()
        few.memberships = 3
        let (all, some) = (try await shown(), try await store.overview(few, now: time(10)).apps.first)
        return all?.unreported == 1 && all?.mayBeMoreUnreported == false && some?.unreported == 1
            && some?.mayBeMoreUnreported == true
    }
    func status(_ code: String) -> AppStatus {
        AppStatus(identifier: app, shortVersion: "1.0", state: "managed", reasons: [StatusReason(code: code)])
    }
    var second: TimeInterval = 20
    func at() -> TimeInterval {
        second += 1
        return second
    }
    func states() async throws -> [ReportedAppState: Int] { try await store.states(of: app) }
    for (code, state) in [
        (AppStatus.configurationNotApplied, ReportedAppState.unapplied), (AppStatus.secretNotUpdated, .unapplied),
        (AppStatus.secretUnavailable, .withheld), (AppStatus.secretsWithheld, .withheld),
        (AppStatus.configurationRefused, .refused),
    ] {
        try await store.report([status(code)], by: "D1", at: at())
        try await promise("\(code) is told apart") { try await states() == [state: 1, .unconfigured: 1] }
    }
    try await promise("states are counted at a glance") { try await shown()?.states == states() }
    var decoded = AppStatus(identifier: app, shortVersion: "1.0", state: "managed")
    decoded.configState = AppStatus.ConfigState(app: "valid", extensions: [app + ".x": "unknown"])
    try await store.report([decoded], by: "D1", at: at())
    try await promise("what one extension has not read is not decoded") { try await states()[.unknown] == 1 }
    decoded.configState?.extensions = [:]
    for device in ["D1", "D2"] { try await store.report([decoded], by: device, at: at()) }
    try await promise("a fleet in order is nothing but decoded") { try await states() == [.decoded: 2] }
    for state in ["failed", "downloading"] {
        try await store.report([AppStatus(identifier: app, state: state)], by: "D2", at: at())
        try await promise("an app that is \(state) is not decoded") {
            try await states() == [.decoded: 1, state == "failed" ? .failed : .waiting: 1]
        }
    }
    var refusing = AppStatus(identifier: app, shortVersion: "1.0", state: "managed", reasons: [refusal])
    refusing.configState = AppStatus.ConfigState(app: "invalid")
    try await store.report([refusing], by: "D2", at: at())
    try await promise("an app that refuses is on the device") {
        let app = try await shown()
        return app?.refusals == 1 && app?.states == [.decoded: 1, .refused: 1] && app?.devices == 2
    }
    (refusing.shortVersion, refusing.state) = (nil, "not-present")
    try await store.report([refusing], by: "D2", at: at())
    try await promise("an app that was removed while it refused waits, and refuses no more") {
        let app = try await shown()
        return app?.refusals == 0 && app?.states == [.decoded: 1, .waiting: 1] && app?.devices == 1
    }
    try await store.report([decoded], by: "D2", at: at())
    let push = PushDetails(token: Data([2]), pushMagic: "magic", unlockToken: nil, awaitingConfiguration: false)
    _ = try accepted(try await store.updateToken(key: "D1:U", userOf: "D1", push: push, now: time(1)))
    try await store.recordSeen(["D1": time(0), "D1:U": time(0), "D2": time(9 * 86_400)])
    try await promise("the channel of a user is known as one") {
        let (device, channel) = (try await store.device("D1"), try await store.device("D1:U"))
        return device?.isUserChannel == false && channel?.isUserChannel == true
    }
    try await promise("who was not seen for a week is silent, who was is not") {
        try await overview(time(9 * 86_400)).silent == 1
    }
    try await promise("apps are counted over all of them by how they fare, and who was not seen for a day") {
        let (soon, late) = (
            try await store.fleetCounts(now: time(86_400)), try await store.fleetCounts(now: time(3 * 86_400))
        )
        return soon == FleetCounts(apps: [.decoded: 2], unreported: 1)
            && late == FleetCounts(apps: [.decoded: 2], unreported: 1, unseen: 1)
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
            && now.apps.first?.devices == 0 && now.apps.first?.states == [:] && now.apps.first?.unreported == 1
    }
    try await promise("a device that is not enrolled any more counts in no group") {
        let all = try await store.enrolledDevices(in: ["all"])
        let (both, other) = (
            try await store.enrolledDevices(in: ["all", "other"]), try await store.enrolledDevices(in: ["other"])
        )
        return all == 1 && both == 1 && other == 0
    }
    try await promise("an operator has nothing to look at on devices that left") {
        try await store.fleetCounts(now: time(30 * 86_400)) == FleetCounts(unreported: 1)
    }
}
