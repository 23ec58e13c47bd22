import DeviceMessages
import Foundation
import InputBounds
import Management

/// A8: what one device makes the server keep has bounds, and what is beyond them is told.
package func storeContractStatusBounds(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    func record(_ items: [String: JSONValue], at seconds: Int, full: Bool = false, by device: String = "D1")
        async throws
    {
        let report = ReceivedReport(
            received: time(TimeInterval(seconds)), sha256: digest(seconds), size: 1, isFull: full, document: nil)
        try await store.recordStatus(StatusUpdate(items: items, isFull: full), report: report, device: device)
    }
    func page(_ after: String? = nil, limit: Int = 500) async throws -> Page<ListedStatusItem> {
        try await store.statusItems(of: "D1", PageRequest(after: after, limit: limit))
    }
    func told() async throws -> LeftOut? {
        try await store.statusItems(of: "D1", named: [LeftOutStatus.item]).first.map {
            try JSONDecoder().decode(LeftOut.self, from: $0.value)
        }
    }
    // The quotation marks are bytes as well.
    let large = JSONValue.string(String(repeating: "x", count: 900_000 - 2))
    try await record(["large.0": large], at: 0, by: "D2")
    for number in 0..<4 { try await record(["large.\(number)": large], at: number + 1) }
    try await promise("what is within the bounds is whole, and nothing is said of it") {
        let sizes = try await page().items.map(\.size)
        return try await told() == nil && sizes == Array(repeating: 900_000, count: 4)
    }
    try await promise("a large value is not in a list, and is shown by its name") {
        let single = try await store.statusItems(of: "D1", named: ["large.0"]).first
        return try await page().items.allSatisfy { $0.value == nil } && single?.value == large.encoded()
    }
    try await record(["large.4": large], at: 5)
    try await promise("the oldest goes, and that is told") {
        let names = try await page().items.map(\.name)
        return try await told() == LeftOut(count: 1, first: ["large.0"])
            && names == ["large.1", "large.2", "large.3", "large.4", LeftOutStatus.item]
    }
    try await promise("other devices are not concerned") {
        try await store.statusItems(of: "D2", named: nil).map(\.name) == ["large.0"]
    }
    try await record(["tiny": .integer(1), "larger": .string(String(repeating: "x", count: 1_048_576))], at: 6)
    try await promise("a value that is too large is told as well") {
        try await told() == LeftOut(count: 1, first: ["larger"])
    }
    try await promise("a list is cut in the store") {
        let first = try await page(limit: 2)
        let second = try await page(first.next, limit: 500)
        return first.items.map(\.name) == ["large.1", "large.2"]
            && second.items.map(\.name) == ["large.3", "large.4", LeftOutStatus.item, "tiny"] && second.next == nil
            && second.items.last?.value == Data("1".utf8)
    }
    try await record(["version": .string("1")], at: 7, full: true)
    try await promise("after a full report within the bounds nothing is said") {
        let names = try await page().items.map(\.name)
        return try await told() == nil && names == ["version"]
    }
    try await checkApps(of: store)
}

/// What a device says of more apps than fit is not counted in the fleet.
private func checkApps(of store: any Store) async throws {
    func apps(_ range: Range<Int>, _ version: String) -> [AppStatus] {
        range.map { AppStatus(identifier: "app.\(10_000 + $0)", shortVersion: version) }
    }
    func version(_ number: Int) async throws -> String? {
        try await store.versions(of: "app.\(10_000 + number)", limit: 1).first?.version
    }
    try await store.report(apps(0..<StatusLimits.apps + 3, "1"), by: "D1", isFull: true, at: 20)
    try await promise("as many apps as fit are told apart, and those beyond are told") {
        let item = try await store.statusItems(of: "D1", named: [LeftOutStatus.item]).first
        let told = try item.map { try JSONDecoder().decode(LeftOut.self, from: $0.value) }
        let (last, beyond) = (try await version(StatusLimits.apps - 1), try await version(StatusLimits.apps))
        return last == "1" && beyond == nil && told?.count == 3 && told?.first.first == "app.managed.list app.10512"
    }
    try await store.report(apps(0..<StatusLimits.apps, "2"), by: "D1", isFull: true, at: 21)
    try await promise("all of them may change in one report") {
        let (first, last) = (try await version(0), try await version(StatusLimits.apps - 1))
        return first == "2" && last == "2"
    }
    // Every app gone and others in their place: more changes than one report makes.
    try await store.report(apps(2_000..<2_000 + StatusLimits.apps, "1"), by: "D1", isFull: true, at: 22)
    try await promise("a report changes no more than so many") {
        let (old, new) = (try await version(0), try await version(2_000))
        return old == nil && new == nil
    }
    try await store.report(apps(2_000..<2_000 + StatusLimits.apps, "1"), by: "D1", isFull: true, at: 23)
    try await promise("and the next one the rest") {
        let (first, last) = (try await version(2_000), try await version(2_511))
        return first == "1" && last == "1"
    }
}

/// What is told of what is left out.
private struct LeftOut: Decodable, Equatable {
    let count: Int
    let first: [String]
}
