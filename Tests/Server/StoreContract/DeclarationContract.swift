import Foundation
import InputBounds
import Management

/// What a device was told is kept per life of its enrollment; snapshots stay for a while after they are superseded.
package func storeContractTold(_ make: MakeStore) async throws {
    let store = try await make()
    let device = try await store.enrolDevice("D1", certificate: 1)
    func told() async throws -> DeviceContext.Told? { try await store.deviceContext(key: "D1")?.told }

    try await store.recordTold(device: "D1", epoch: device.epoch, token: "t1", now: time(0))
    let first = try await told()
    try await promise("the token is kept") { first?.token == "t1" && first?.itemsToken == nil }
    try await store.recordTold(device: "D1", epoch: device.epoch, token: "t1", now: time(0))
    try await promise("again changes nothing") { try await told() == first }
    try await store.recordItems(device: "D1", epoch: device.epoch, token: "t2", now: time(0))
    let second = try await told()
    try await promise("items tell of their token") {
        second?.token == "t2" && second?.itemsToken == "t2" && (second?.sequence ?? 0) > (first?.sequence ?? 0)
    }
    try await store.recordTold(device: "D1", epoch: device.epoch + 1, token: "t3", now: time(0))
    try await promise("another life's answer does not count") { try await told() == second }
}

/// Snapshots and files go when nothing refers to them and their time is over, and not before.
package func storeContractRetention(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.addApp("com.example.app", configuration: "main", bytes: "1")
    let asset = ManifestAsset(mediaType: "application/xml", size: 1)
    func snapshot(_ token: String, _ bytes: String) -> ManifestSnapshot {
        ManifestSnapshot(
            declarationsToken: token, declarations: ["asset/x": Data(bytes.utf8)], assets: [store.sha256(bytes): asset])
    }
    try await store.keepSnapshot(snapshot("t1", "1"), groups: ["a", "b"], now: time(0))
    _ = try await store.putConfiguration(store.draft("com.example.app", "main", "2"), expected: .any, keeping: 1)
    try await store.keepSnapshot(snapshot("t2", "2"), groups: ["a", "b"], now: time(0))
    let holders = try await store.snapshotHolders()
    try await promise("holders are known by token and groups") {
        Set(holders) == [
            SnapshotHolder(token: "t1", groups: ["a", "b"]), SnapshotHolder(token: "t2", groups: ["a", "b"]),
        ]
    }
    let old = [SnapshotHolder(token: "t1", groups: ["a", "b"])]
    try await store.markSuperseded(old, now: time(0))
    try await store.markSuperseded(old, now: time(500))
    var retention = Retention()
    retention.supersededSnapshotSeconds = 1_000
    try await store.prune(retention, now: time(999))
    try await promise("a superseded snapshot stays for its time, with its file") {
        let kept = try await store.snapshot(token: "t1")
        let bytes = try await store.assetBytes(sha256: store.sha256("1"))
        return kept == snapshot("t1", "1") && bytes == Data("1".utf8)
    }
    try await store.prune(retention, now: time(1_000))
    try await promise("counted from when it was superseded first, and then it goes with its file") {
        let kept = try await store.snapshot(token: "t1")
        let bytes = try await store.assetBytes(sha256: store.sha256("1"))
        return kept == nil && bytes == nil
    }
    try await promise("the present one stays") {
        let kept = try await store.snapshot(token: "t2")
        let bytes = try await store.assetBytes(sha256: store.sha256("2"))
        return kept == snapshot("t2", "2") && bytes == Data("2".utf8)
    }
    let device = try await store.enrolDevice("D1", certificate: 1)
    for uuid in ["a", "b", "c", "open"] { _ = try await store.enqueue(command(uuid), for: device.key) }
    for uuid in ["a", "b", "c"] {
        _ = try await store.exchange(.finished, result: result(uuid, .acknowledged), device: device.key, now: time(1))
    }
    retention.finishedCommandsPerDevice = 2
    try await store.prune(retention, now: time(1_000))
    let kept = try accepted(try await store.commands(of: device.key, PageRequest()))
    try await promise("finished commands are kept in number, open ones always") {
        kept.items.map(\.uuid) == ["b", "c", "open"]
    }
    retention.finishedCommandSeconds = 10
    try await store.prune(retention, now: time(2_000))
    let left = try accepted(try await store.commands(of: device.key, PageRequest()))
    try await promise("and in time") { left.items.map(\.uuid) == ["open"] }
}

/// The latest value of each item; reports are idempotent and their history bounded.
package func storeContractStatus(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func report(_ number: Int, full: Bool = false, at seconds: TimeInterval) -> ReceivedReport {
        ReceivedReport(received: time(seconds), sha256: digest(number), size: 1, isFull: full, document: Data([1]))
    }
    func app(_ identifier: String, _ state: String) -> JSONValue {
        .object(["identifier": .string(identifier), "state": .string(state)])
    }
    func record(_ items: [String: JSONValue], _ report: ReceivedReport) async throws {
        try await store.recordStatus(StatusUpdate(items: items, isFull: report.isFull), report: report, device: "D1")
    }
    func items() async throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try await store.statusItems(of: "D1", named: nil)
                .map { ($0.name, String(decoding: $0.value, as: UTF8.self)) })
    }
    try await record(["list": .array([app("a", "1"), app("b", "1")]), "version": .string("1")], report(1, at: 1))
    try await record(["list": .array([app("a", "2")])], report(2, at: 2))
    try await promise("elements change by identifier, other items stay") {
        try await items() == [
            "list": #"[{"identifier":"a","state":"2"},{"identifier":"b","state":"1"}]"#, "version": #""1""#,
        ]
    }
    let answered = try await store.recordStatus(
        StatusUpdate(items: ["list": .array([app("b", "1")])], isFull: false), report: report(50, at: 2), device: "D1")
    try await promise("a report is answered with the items that it changed, as they are kept") {
        answered.merged == ["list": .array([app("a", "2"), app("b", "1")])]
    }
    let gone: JSONValue = .array([.object(["identifier": .string("a"), "_removed": .boolean(true)])])
    for _ in 0..<3 { try await record(["list": gone], report(3, at: 3)) }
    try await promise("a removed element goes") {
        try await items()["list"] == #"[{"identifier":"b","state":"1"}]"#
    }
    try await promise("the same report again is one report") { try await store.statusReports(of: "D1").count == 4 }
    try await record(["version": .string("2")], report(4, full: true, at: 4))
    try await promise("a full report replaces everything") { try await items() == ["version": #""2""#] }
    for number in 10..<40 { try await record(["version": .integer(Int64(number))], report(number, at: 5)) }
    let history = try await store.statusReports(of: "D1")
    try await promise("the history keeps the newest") {
        history.count == StatusLimits.reports && history.first?.sha256 == digest(39)
    }
    func atRest(_ run: String, _ found: Int64, _ serving: Int64) -> [String: JSONValue] {
        let numbers: [String: JSONValue] = ["found": .integer(found), "serving": .integer(serving)]
        let words: [String: JSONValue] = ["key-holder": .string("file"), "run": .string(run)]
        return [AtRestRecord.item: .object(numbers.merging(words) { $1 })]
    }
    try await record(atRest("1", 1, 9), report(50, full: true, at: 6))
    try await record(atRest("2", 8, 8), report(51, full: true, at: 7))
    try await record(["version": .integer(39)], report(52, at: 8))
    try await promise("a full report is held against what was known, and an older copy stays noticed") {
        try await items()[AtRestRecord.item]?.contains(#""older-copy-noticed":"#) == true
    }
    try await promise("an item is found by name") {
        try await store.statusItems(of: "D1", named: ["version"]).map(\.value) == [Data("39".utf8)]
    }
    try await promise("one item of several devices is found at once, where they reported it") {
        let versions = try await store.statusItem(named: "version", of: ["D1", "D2"])
        let lists = try await store.statusItem(named: "list", of: ["D1"])
        return versions == ["D1": Data("39".utf8)] && lists.isEmpty
    }
}
