import DeviceMessages
import Foundation
import Management

/// Problems of apps, and devices that are no longer seen, are entries of the audit log when they begin.
package func storeContractAlerts(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    func alerts() async throws -> [String] {
        try await store.auditEntries(after: 0, limit: 500).filter { $0.action.hasPrefix("alert.") }
            .map { "\($0.action.dropFirst(6)) \($0.subject)" }
    }
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await store.addApp(app, configuration: "main", bytes: "main")
    let refused = AppStatus.refusal(of: app, nil, code: nil, path: nil, message: nil)
    var decoded = AppStatus(identifier: app, shortVersion: "1.0", state: "managed")
    decoded.configState = AppStatus.ConfigState(app: "valid")
    let foreign = AppStatus(identifier: "com.example.foreign", state: "failed")

    for second in [10.0, 5_000] { try await store.report([refused, foreign], by: "D1", at: second) }
    try await promise("a problem of an app that administrators have is recorded once") {
        try await alerts() == ["refused D1"]
    }
    try await store.report([AppStatus(identifier: app, state: "failed")], by: "D2", at: 5_001)
    try await promise("each device has its own problems") { try await alerts() == ["refused D1", "failed D2"] }
    try await store.report([decoded], by: "D1", at: 10_000)
    try await store.report([refused], by: "D1", at: 10_001)
    try await promise("a problem that ended begins again") {
        try await alerts() == ["refused D1", "failed D2", "refused D1"]
    }
    try await store.report([], by: "D1", isFull: true, at: 20_000)
    try await store.report([refused], by: "D1", at: 20_001)
    try await promise("so does one of an app that was gone") { try await alerts().count == 4 }
    _ = try await store.removeApp(app)
    try await store.report([AppStatus(identifier: app, state: "failed")], by: "D1", at: 30_000)
    try await promise("an app that administrators removed has none") { try await alerts().count == 4 }

    try await storeContractUnseen(store)
}

/// A device is recorded as unseen once, and again after it was seen.
private func storeContractUnseen(_ store: any Store) async throws {
    let day = 86_400.0
    func look(_ seconds: TimeInterval, limit: Int = 10) async throws -> Bool {
        try await store.alertUnseen(limit: limit, now: time(seconds))
    }
    func unseen() async throws -> [String] {
        try await store.auditEntries(after: 0, limit: 500).filter { $0.action == "alert.unseen" }.map(\.subject)
    }
    let push = PushDetails(token: Data([2]), pushMagic: "magic", unlockToken: nil, awaitingConfiguration: false)
    _ = try accepted(try await store.updateToken(key: "D1:U", userOf: "D1", push: push, now: time(1)))
    try await store.recordSeen(["D1": time(0), "D1:U": time(0), "D2": time(0), "D3": time(day)])
    try await promise("the first look only begins") {
        let isMore = try await look(0)
        let found = try await unseen()
        return !isMore && found == []
    }
    try await promise("a device that was seen yesterday is seen") {
        _ = try await look(day)
        return try await unseen() == []
    }
    try await promise("one look records as many as it may, and says that more may be left") {
        let isMore = try await look(2 * day, limit: 1)
        let found = try await unseen()
        return isMore && found.count == 1
    }
    try await promise("the next goes on, and leaves out channels of users") {
        while try await look(2 * day, limit: 1) {}
        return try await unseen().sorted() == ["D1", "D2"]
    }
    try await promise("each is recorded once, and not by a clock that was set back") {
        for moment in [2 * day, 0, 2 * day + 3_600] { _ = try await look(moment) }
        return try await unseen().count == 2
    }
    try await promise("the day after, those of the next day are") {
        _ = try await look(3 * day)
        return try await unseen().suffix(1) == ["D3"]
    }
    try await store.recordSeen(["D1": time(3 * day)])
    try await promise("a device that was seen again is recorded again") {
        _ = try await look(5 * day)
        let found = try await unseen()
        return found.count == 4 && found.last == "D1"
    }
    try await store.recordSeen(["D2": time(5 * day)])
    _ = try await store.withdraw("D2", now: time(5 * day))
    try await promise("a device that left is not missed") {
        _ = try await look(9 * day)
        return try await unseen().count == 4
    }
}
