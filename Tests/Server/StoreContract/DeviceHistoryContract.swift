import DeviceMessages
import Foundation
import Management

/// What became of what a device is given is noted once, newest first, of each device so much, and for its time.
package func storeContractDeviceHistory(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let own = ConfigurationHolder(app: app)
    try await store.addApp(app, configuration: "main", bytes: "1")
    let device = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    _ = try accepted(try await store.assign(app: app, configuration: "main", to: "all", now: time(0)))
    func history(of device: String = "D1") async throws -> [DeviceHistoryEntry]? {
        try await store.deviceHistory(of: device, PageRequest(limit: 500))?.items
    }
    func kinds() async throws -> [String] {
        try await history()?.reversed().map { String($0.kind.rawValue.dropFirst(7)) } ?? []
    }

    try await promise("a device that there is not has no history") { try await history(of: "none") == nil }
    try await promise("before anything became of it there is nothing") { try await history() == [] }
    for moment in [1.0, 2] {
        try await store.recordTold(device: "D1", epoch: device.epoch, token: "t1", now: time(moment))
        try await store.recordItems(device: "D1", epoch: device.epoch, token: "t1", now: time(moment))
        try await store.recordSettled(device: "D1", epoch: device.epoch, token: "t1", now: time(moment))
        try await store.recordHeld(
            [HeldConfiguration(holder: own, digest: store.sha256("1"))], of: "D1", toldOf: [own], now: time(moment))
    }
    try await promise("each is noted once") { try await kinds() == ["tell", "fetch", "settle", "hold"] }
    let told = try await history()?.last
    try await promise("with its time and token") { told?.time == time(1) && told?.token == "t1" && told?.app == nil }
    let held = try await history()?.first
    try await promise("or with what it is about") {
        held?.app == app && held?.configuration == "main" && held?.version == 1 && held?.token == nil
    }
    let context = try await store.deviceContext(key: "D1")
    try await promise("on what it settled is known of the device") { context?.told.settledToken == "t1" }
    try await store.recordTold(device: "D1", epoch: device.epoch + 1, token: "t2", now: time(3))
    try await store.recordItems(device: "D1", epoch: device.epoch + 1, token: "t2", now: time(3))
    try await store.recordSettled(device: "D1", epoch: device.epoch + 1, token: "t2", now: time(3))
    try await promise("what another life of the device did is not its history") { try await kinds().count == 4 }

    try await store.report([.refusal(of: app, store.sha256("1"), code: 1, path: nil, message: nil)], by: "D1", at: 4)
    try await store.report([.refusal(of: app, store.sha256("1"), code: 1, path: nil, message: nil)], by: "D1", at: 5)
    try await store.report([], by: "D1", isFull: true, at: 6)
    try await promise("a refusal is noted when it begins and when it ends") {
        try await kinds().suffix(2) == ["refuse", "accept"]
    }
    try await promise("a page is cut, and goes on where it ended") {
        let first = try await store.deviceHistory(of: "D1", PageRequest(limit: 4))
        let second = try await store.deviceHistory(of: "D1", PageRequest(after: first?.next, limit: 4))
        return try await (first?.items ?? []) + (second?.items ?? []) == history() && second?.next == nil
    }
    try await promise("others have theirs") { try await history(of: "D2") == [] }

    for number in 0..<(DeviceHistoryEntry.most + 5) {
        try await store.recordTold(device: "D1", epoch: device.epoch, token: "n\(number)", now: time(100))
    }
    try await promise("of a device the newest stay") {
        let all = try await history()
        return all?.count == DeviceHistoryEntry.most && all?.last?.token == "n5"
    }
    var retention = Retention()
    retention.deviceHistorySeconds = 50
    try await store.prune(retention, now: time(149))
    try await promise("for their time") { try await history()?.count == DeviceHistoryEntry.most }
    try await store.prune(retention, now: time(150))
    try await promise("and no longer") { try await history() == [] }
}
