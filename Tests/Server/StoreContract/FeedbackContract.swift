import DeviceMessages
import Foundation
import InputBounds
import Management

/// Sums of feedback include all lives: a device with many keys or many dictionaries hides no numbers of another device.
package func storeContractFeedbackSums(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    _ = try await store.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: time(0))
    // The keys of the first device come before all others in the order of bytes, and its dictionaries as well.
    var many = [life("shared", to: 60, dictionary: "ff", ["shared": 1])]
    for number in 100..<140 {
        var counts: [String: Int64] = [:]
        for digit in 0..<10 { counts["a\(number)\(digit)"] = 1 }
        many.append(life("m\(number)", to: number - 90, dictionary: "0\(number)", counts))
    }
    try await store.report(many, by: "D1", at: 100)
    try await store.report(
        [
            life("one", to: 20, dictionary: "ee", ["zebra": 3, "shared": 2]),
            life("two", to: 3_700, dictionary: "ff", ["zebra": 4, "named": 5]),
        ], by: "D2", at: 4_000)
    try await checkTotals(of: store)
    try await checkSteps(of: store)
}

private func checkTotals(of store: any Store) async throws {
    func totals(naming named: [String] = [], keys: Int, dictionaries: Int = 100) async throws -> FeedbackTotals {
        try await store.feedbackTotals(
            of: app, since: time(0), sinceVersion: nil, naming: named, keys: keys, dictionaries: dictionaries)
    }
    func sum(_ key: String, in found: FeedbackTotals) -> Double {
        found.totals.filter { $0.key == key }.map(\.sum).reduce(0, +)
    }
    try await promise("within the bounds nothing is cut") {
        let found = try await totals(keys: 1_000)
        return !found.isCut && found.totals.allSatisfy { $0.configuration != nil } && sum("zebra", in: found) == 7
    }
    try await promise("beyond the bound each device's keys have their turn, and that is said") {
        let found = try await totals(keys: 6)
        return found.isCut && Set(found.totals.map(\.key)).count == 6 && sum("zebra", in: found) == 7
            && sum("named", in: found) == 5
    }
    try await promise("a key that several devices count comes first") {
        try await totals(keys: 1).totals.first.map { $0.key == "shared" } ?? false
    }
    try await promise("the named keys are there beyond the bound, and first") {
        let found = try await totals(naming: ["zebra", "never"], keys: 1)
        return found.isCut && found.totals.first?.key == "zebra" && Set(found.totals.map(\.key)) == ["zebra", "shared"]
            && sum("zebra", in: found) == 7
    }
    try await promise("dictionaries beyond the bound are summed together, and that is said") {
        let found = try await totals(naming: ["zebra"], keys: 1_000, dictionaries: 1)
        let zebra = found.totals.filter { $0.key == "zebra" }
        return found.isCut && zebra.map(\.configuration) == ["ff", nil] && zebra.map(\.sum) == [4, 3]
    }
    try await promise("devices of one sum are counted once") {
        let found = try await totals(naming: ["shared"], keys: 0, dictionaries: 0)
        return found.totals == [FeedbackTotal(key: "shared", configuration: nil, sum: 3, devices: 2)]
    }
}

private func checkSteps(of store: any Store) async throws {
    let hour = 3_600
    func steps(intervals: Int, dictionaries: Int = 100) async throws -> [FeedbackStep] {
        try await store.feedbackSteps(
            of: app, counting: "zebra", seconds: hour, since: time(0), intervals: intervals, dictionaries: dictionaries)
    }
    try await promise("as many intervals are summed as are asked for") {
        let (one, two) = (try await steps(intervals: 1), try await steps(intervals: 2))
        return one.map(\.sum) == [3] && two.map(\.sum) == [3, 4]
            && two.map(\.from) == [time(0), time(TimeInterval(hour))]
    }
    try await promise("an interval is summed whole however few dictionaries are told apart") {
        let one = try await steps(intervals: 2, dictionaries: 1)
        let none = try await steps(intervals: 2, dictionaries: 0)
        return one.map(\.configuration) == [nil, "ff"] && none.map(\.configuration) == [nil, nil]
            && none.map(\.sum) == [3, 4]
    }
}

private let app = "com.example.counting"

private func life(_ name: String, to seconds: Int, dictionary: String, _ counts: [String: Int64]) -> AppFeedbackStatus {
    AppFeedbackStatus(
        life: name, app: app,
        feedback: PropertyListValue.dictionary(counts.mapValues { PropertyListValue.integer($0) }).xml(),
        configuration: dictionary, from: time(0), to: time(TimeInterval(seconds)))
}

extension Store {
    fileprivate func report(_ feedback: [AppFeedbackStatus], by device: String, at seconds: Int) async throws {
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = feedback
        let report = ReceivedReport(
            received: time(TimeInterval(seconds)), sha256: digest(seconds), size: 1, isFull: false, document: nil)
        try await recordStatus(update, report: report, device: device)
    }
}
