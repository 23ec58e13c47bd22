import DeviceMessages
import Foundation
import InputBounds
import Management

/// A life of feedback has the version of the configuration that the app had, where its digest is known.
package func storeContractFeedbackVersions(_ make: MakeStore) async throws {
    let store = try await make()
    for number in 1...2 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await store.addApp(appID, configuration: "main", bytes: "1")
    _ = try accepted(try await store.assign(app: appID, configuration: "main", to: "all", now: time(0)))
    for (bytes, seconds) in [("2", 2.0), ("3", 3.0)] { try await store.set("main", bytes, at: seconds) }
    try await store.set("pilot", "p", at: 4)
    try await store.report(
        [
            life("v1", digest: store.sha256("1"), 1), life("v2", digest: store.sha256("2"), 2),
            life("v3", digest: store.sha256("3"), 4), life("none", digest: "", 8), life("other", digest: "ab", 16),
            life("pilot", digest: store.sha256("p"), 32),
        ], by: "D1", at: 100)
    try await promise("a hand-over has the version of its dictionary, if one has its digest") {
        let found = try await store.versions(on: "D1")
        return found == [
            "v1": version(1), "v2": version(2), "v3": version(3),
            "pilot": FeedbackVersion(configuration: "pilot", number: 1),
        ]
    }
    try await promise("since a version is that one and later ones of its configuration") {
        let (second, third) = (try await store.counted(since: version(2)), try await store.counted(since: version(3)))
        return second == ["D1": 6] && third == ["D1": 4]
    }
    try await promise("since one that nothing came with it is nothing, and without one it is everything") {
        let (late, everything) = (try await store.counted(since: version(9)), try await store.counted(since: nil))
        return late.isEmpty && everything == ["D1": 63]
    }
    try await promise("sums are the same") {
        let found = try await store.feedbackTotals(
            of: appID, since: time(0), sinceVersion: version(2), naming: [], keys: 9, dictionaries: 9)
        return found.totals.map(\.sum).reduce(0, +) == 6 && !found.isCut
    }
    try await promise("what is of no known version is counted, of the key that is asked for") {
        let some = try await store.feedbackOfUnknownVersion(of: appID, counting: key, since: time(0))
        let all = try await store.feedbackOfUnknownVersion(of: appID, counting: nil, since: time(0))
        let none = try await store.feedbackOfUnknownVersion(of: appID, counting: "else", since: time(0))
        let later = try await store.feedbackOfUnknownVersion(of: appID, counting: key, since: time(90))
        return some == 2 && all == 2 && none == 0 && later == 0
    }
    try await checkHeldVersions(of: store)
    try await store.set("main", "1", at: 200)
    try await store.report([life("again", digest: store.sha256("1"), 1)], by: "D1", at: 210)
    try await promise("of versions with the same bytes the one that was made last counts") {
        try await store.versions(on: "D1")["again"] == version(5)
    }
}

/// A device whose values are filled in has bytes of its own: they are of the version that it says it has.
private func checkHeldVersions(of store: any Store) async throws {
    let own = ConfigurationHolder(app: appID)
    try await store.set("main", "$", variables: ["device.serialNumber"], at: 110)
    try await store.report([life("early", digest: "f1", 1)], by: "D2", at: 120)
    try await promise("bytes of which the device said nothing yet are of no known version") {
        try await store.versions(on: "D2").isEmpty
    }
    func hold(_ digest: String, at seconds: Double) async throws {
        try await store.recordHeld(
            [HeldConfiguration(holder: own, digest: digest)], of: "D2", toldOf: [own], now: time(seconds))
    }
    try await hold("f1", at: 130)
    try await store.report([life("held", digest: "f1", 1)], by: "D2", at: 140)
    try await promise("they are of the version that the device has, whichever came first") {
        try await store.versions(on: "D2") == ["early": version(4), "held": version(4)]
    }
    try await hold(store.sha256("3"), at: 150)
    try await promise("they stay of it when the device has another one") {
        try await store.versions(on: "D2") == ["early": version(4), "held": version(4)]
    }
}

private let appID = "com.example.counting"
private let key = "failureCount"

private func version(_ number: Int) -> FeedbackVersion { FeedbackVersion(configuration: "main", number: number) }

private func life(_ name: String, digest: String, _ count: Int64) -> AppFeedbackStatus {
    AppFeedbackStatus(
        life: name, app: appID, feedback: PropertyListValue.dictionary([key: .integer(count)]).xml(),
        configuration: digest, from: time(0), to: time(60))
}

extension Store {
    fileprivate func set(
        _ name: String, _ bytes: String, variables: [String]? = nil, at seconds: Double
    ) async throws {
        let draft = ConfigurationDraft(
            app: appID, name: name, bytes: Data(bytes.utf8), encoding: .xml, sha256: sha256(bytes),
            variables: variables,
            author: "admin", now: time(seconds))
        _ = try accepted(
            try await putConfiguration(draft, expected: .any, keeping: ConfigurationLimits.versions))
    }

    fileprivate func report(_ feedback: [AppFeedbackStatus], by device: String, at seconds: Int) async throws {
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = feedback
        let report = ReceivedReport(
            received: time(TimeInterval(seconds)), sha256: digest(seconds), size: 1, isFull: false, document: nil)
        _ = try await recordStatus(update, report: report, device: device)
    }

    /// The known versions of a device's hand-overs, by their names.
    fileprivate func versions(on device: String) async throws -> [String: FeedbackVersion] {
        let page = try await feedback(FeedbackFilter(app: appID, device: device), PageRequest())
        return page.items.reduce(into: [:]) { found, one in found[one.status.life] = one.version }
    }

    /// The number of each device since a version.
    fileprivate func counted(since version: FeedbackVersion?) async throws -> [String: Double] {
        let found = try await devices(
            counting: key, of: appID, above: 0, since: time(0), sinceVersion: version, configurations: nil, limit: 9)
        return found.reduce(into: [:]) { sums, one in sums[one.device] = one.sum }
    }
}
