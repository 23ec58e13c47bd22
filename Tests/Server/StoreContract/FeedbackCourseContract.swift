import DeviceMessages
import Foundation
import InputBounds
import Management

/// Sums are those over all hand-overs, whatever the course of hand-overs, repetitions, versions that become known later
/// and prunes was; a device that is withdrawn changes none, and an app that is removed takes its own along.
package func storeContractFeedbackCourses(_ make: MakeStore) async throws {
    let store = try await make()
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    var now = 0
    for seed in 1...4 {
        var course = FeedbackCourse(store: store, seed: UInt64(seed), now: now)
        try await course.begin()
        for step in 1...80 {
            try await course.step()
            if step.isMultiple(of: 8) { try await course.check() }
        }
        now = course.now
    }
    try await checkBounds(of: store, at: now)
}

/// One app, and the hand-overs of it that the store has been sent.
private struct FeedbackCourse {
    private struct HandOver {
        let device: String
        let status: AppFeedbackStatus
        let ended: Int
        let numbers: [String: Int64]
        var version: Int?
    }

    private struct Sum: Equatable {
        var sum = 0.0
        var devices: Set<String> = []
    }

    let store: any Store
    let app: String
    /// In seconds from the beginning of the contract's time.
    var now: Int
    private var random: Numbers
    private var handOvers: [HandOver] = []
    private var held: [String: String] = [:]
    private var reports = 0

    init(store: any Store, seed: UInt64, now: Int) {
        (self.store, self.now) = (store, now)
        app = "com.example.course\(seed)"
        random = Numbers(state: seed)
        reports = Int(seed) * 1_000
    }

    /// The app has two versions as they are, and one with variables, of which each device has bytes of its own.
    func begin() async throws {
        try await store.addApp(app, configuration: "main", bytes: "1")
        _ = try accepted(try await store.assign(app: app, configuration: "main", to: "all", now: time(0)))
        let later: [(String, [String]?)] = [("2", nil), ("$", ["device.serialNumber"])]
        for (bytes, variables) in later {
            let draft = ConfigurationDraft(
                app: app, name: "main", bytes: Data(bytes.utf8), encoding: .xml, sha256: store.sha256(bytes),
                variables: variables, author: "admin", now: time(TimeInterval(now)))
            _ = try accepted(
                try await store.putConfiguration(draft, expected: .any, keeping: ConfigurationLimits.versions))
        }
    }

    mutating func step() async throws {
        now += Int.random(in: 0...9_000, using: &random)
        let device = "D\(Int.random(in: 1...3, using: &random))"
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            now += 20 * 24 * 3_600
            try await store.prune(Retention(), now: time(TimeInterval(now)))
        case 1...3: try await hold(Int.random(in: 1...2, using: &random), on: device)
        case 4: try await report(handOvers.suffix(5).filter { $0.device == device }, by: device)
        default:
            let some = (1...Int.random(in: 1...3, using: &random)).map { made(by: device, $0) }
            handOvers += some
            try await report(some, by: device)
        }
    }

    private mutating func made(by device: String, _ index: Int) -> HandOver {
        let ended = max(0, now - Int.random(in: 0...7_000, using: &random))
        var numbers: [String: Int64] = [:]
        for key in ["a", "b", "c"] where Bool.random(using: &random) {
            numbers[key] = Int64.random(in: -3...9, using: &random)
        }
        let filled = own(Int.random(in: 1...2, using: &random), of: device)
        let choices: [(String, Int?)] = [
            ("", nil), (store.sha256("1"), 1), (store.sha256("2"), 2), (filled, held[device] == filled ? 3 : nil),
        ]
        let (configuration, version) = choices[Int.random(in: 0..<choices.count, using: &random)]
        let status = AppFeedbackStatus(
            life: "\(app) \(reports) \(index)", app: app,
            feedback: PropertyListValue.dictionary(numbers.mapValues { PropertyListValue.integer($0) }).xml(),
            configuration: configuration, from: time(0), to: time(TimeInterval(ended)))
        return HandOver(device: device, status: status, ended: ended, numbers: numbers, version: version)
    }

    private func own(_ number: Int, of device: String) -> String { "\(app.suffix(1))\(device.suffix(1))f\(number)" }

    private mutating func report(_ some: [HandOver], by device: String) async throws {
        reports += 1
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = some.map(\.status)
        let report = ReceivedReport(
            received: time(TimeInterval(now)), sha256: digest(reports), size: 1, isFull: false, document: nil)
        _ = try await store.recordStatus(update, report: report, device: device)
    }

    /// The device reports which bytes it has: what it counted with them before is of the newest version.
    private mutating func hold(_ number: Int, on device: String) async throws {
        let (holder, digest) = (ConfigurationHolder(app: app), own(number, of: device))
        try await store.recordHeld(
            [HeldConfiguration(holder: holder, digest: digest)], of: device, toldOf: [holder],
            now: time(TimeInterval(now)))
        guard held[device] != digest else { return }
        held[device] = digest
        for index in handOvers.indices
        where handOvers[index].device == device && handOvers[index].status.configuration == digest {
            handOvers[index].version = handOvers[index].version ?? 3
        }
    }

    // MARK: What must hold

    func check() async throws {
        let (hour, day) = (3_600, 24 * 3_600)
        let present = now + 1_800_000_000
        let moments = [
            (present - 5 * hour) / hour * hour, (present - 6 * day) / hour * hour, (present - 60 * day) / day * day,
        ]
        for since in moments.map({ $0 - 1_800_000_000 }) {
            for first in [nil, 1, 2, 3] { try await check(since: since, first: first) }
            try await checkUnknown(since: since)
        }
        for (seconds, count) in [(hour, 30), (day, 30)] {
            try await checkSteps(seconds, since: present / seconds * seconds - count * seconds - 1_800_000_000)
        }
    }

    private func sums(
        since: Int, first: Int?, _ group: (HandOver, _ key: String) -> String
    ) -> [String: Sum] {
        var sums: [String: Sum] = [:]
        for one in handOvers where one.ended >= since && (first.map { one.version ?? 0 >= $0 } ?? true) {
            for (key, value) in one.numbers {
                sums[group(one, key), default: Sum()].sum += Double(value)
                sums[group(one, key), default: Sum()].devices.insert(one.device)
            }
        }
        return sums
    }

    private func check(since: Int, first: Int?) async throws {
        let version = first.map { FeedbackVersion(configuration: "main", number: $0) }
        func found(dictionaries: Int) async throws -> FeedbackTotals {
            try await store.feedbackTotals(
                of: app, since: time(TimeInterval(since)), sinceVersion: version, naming: ["b"], keys: 9,
                dictionaries: dictionaries)
        }
        let apart = sums(since: since, first: first) { "\($1) \($0.status.configuration)" }
        try await promise("each key and dictionary has the sum of its hand-overs") {
            let totals = try await found(dictionaries: 99)
            let sums = Dictionary(
                uniqueKeysWithValues: totals.totals.map { ("\($0.key) \($0.configuration ?? "?")", $0) })
            return !totals.isCut && sums.mapValues(\.sum) == apart.mapValues(\.sum)
                && apart.allSatisfy { name, sum in
                    // A dictionary of one device may have been of no known version for a time.
                    name.contains("f") || sums[name]?.devices == sum.devices.count
                }
        }
        let together = sums(since: since, first: first) { $1 }
        try await promise("all dictionaries together have the sum of all, and the devices are counted once") {
            let totals = try await found(dictionaries: 0)
            let sums = Dictionary(uniqueKeysWithValues: totals.totals.map { ($0.key, $0) })
            return sums.mapValues(\.sum) == together.mapValues(\.sum)
                && (first != nil || sums.mapValues(\.devices) == together.mapValues(\.devices.count))
        }
    }

    private func checkUnknown(since: Int) async throws {
        try await promise("hand-overs of no known version are counted") {
            let unknown = handOvers.filter { $0.ended >= since && $0.version == nil }
            let all = try await store.feedbackOfUnknownVersion(
                of: app, counting: nil, since: time(TimeInterval(since)))
            let some = try await store.feedbackOfUnknownVersion(
                of: app, counting: "a", since: time(TimeInterval(since)))
            return all == unknown.count && some == unknown.filter { $0.numbers["a"] != nil }.count
        }
    }

    private func checkSteps(_ seconds: Int, since: Int) async throws {
        try await promise("each interval has the sum of what ended in it") {
            let steps = try await store.feedbackSteps(
                of: app, counting: "a", seconds: seconds, since: time(TimeInterval(since)), intervals: 99,
                dictionaries: 99)
            let found = Dictionary(
                uniqueKeysWithValues: steps.map { step in
                    let start = Int(step.from.timeIntervalSince1970)
                    return ("\(start) \(step.configuration ?? "?")", step.sum)
                })
            let expected = sums(since: since, first: nil) { one, key in
                key == "a" ? "\((one.ended + 1_800_000_000) / seconds * seconds) \(one.status.configuration)" : ""
            }
            return found == expected.filter { !$0.key.isEmpty }.mapValues(\.sum)
        }
    }
}

/// Neither many keys nor many dictionaries of one device make sums without end, and what a specification names is always
/// summed.
private func checkBounds(of store: any Store, at now: Int) async throws {
    let app = "com.example.flooded"
    _ = try await store.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: time(0))
    let moment = time(TimeInterval(now))
    let bytes = Data(#"{"x-feedback": [{"key": "named"}]}"#.utf8)
    let record = SpecificationRecord(
        app: app, version: "1", sha256: "s", size: bytes.count, author: "admin", added: moment, package: nil)
    _ = try await store.putSpecification(SpecificationDocument(record: record, bytes: bytes), limit: 9, now: moment)
    func report(_ numbers: [String: Int64], _ dictionary: String, _ count: Int, by device: String) async throws {
        var update = StatusUpdate(items: [:], isFull: false)
        update.feedback = [
            AppFeedbackStatus(
                life: "flood \(count)", app: app,
                feedback: PropertyListValue.dictionary(numbers.mapValues { PropertyListValue.integer($0) }).xml(),
                configuration: dictionary, from: moment, to: moment)
        ]
        let report = ReceivedReport(
            received: moment, sha256: digest(40_000 + count), size: 1, isFull: false, document: nil)
        _ = try await store.recordStatus(update, report: report, device: device)
    }
    for count in 0..<40 {
        var numbers: [String: Int64] = ["named": 1]
        for key in 0..<40 { numbers["x\(count * 40 + key)"] = 1 }
        try await report(numbers, "\(count)", count, by: "D1")
    }
    try await report(["own": 5], "", 40, by: "D2")
    func totals() async throws -> FeedbackTotals {
        try await store.feedbackTotals(
            of: app, since: moment.addingTimeInterval(-24 * 3_600), sinceVersion: nil, naming: ["named"], keys: 9_999,
            dictionaries: 9_999)
    }
    try await promise("what one device counts is bounded, which is said; named keys and other devices are summed") {
        let found = try await totals()
        let named = found.totals.filter { $0.key == "named" }.map(\.sum).reduce(0, +)
        return found.isCut && found.totals.count < FeedbackLimits.sumsOfDevice + 99 && named == 40
            && found.totals.contains { $0.key == "own" && $0.sum == 5 }
    }
    let before = try await totals()
    let withdrawn = try await store.withdraw("D2", author: "admin", now: moment)
    try await promise("what a device counted before it was withdrawn stays") {
        try await totals() == before && withdrawn == nil
    }
    let removed = try await store.removeApp(app)
    _ = try await store.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: moment)
    try await promise("the sums of an app that is removed are removed") {
        try await totals().totals.isEmpty && removed == nil
    }
}

/// The same numbers in each run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
