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
}

/// A8: a list shows no large value, whatever a device may make the server keep.
package func storeContractListedValues(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    // The quotation marks are bytes as well.
    let largest = JSONValue.string(String(repeating: "x", count: StatusLimits.listedBytes - 2))
    let larger = JSONValue.string(String(repeating: "x", count: StatusLimits.listedBytes - 1))
    let report = ReceivedReport(received: time(0), sha256: digest(0), size: 1, isFull: false, document: nil)
    try await store.recordStatus(
        StatusUpdate(items: ["larger": larger, "largest": largest], isFull: false), report: report, device: "D1")
    try await promise("a large value is not in a list, and is shown by its name") {
        let listed = try await store.statusItems(of: "D1", PageRequest(limit: 500)).items
        let single = try await store.statusItems(of: "D1", named: ["larger"]).first
        let (large, small) = (listed.first, listed.last)
        return listed.map(\.name) == ["larger", "largest"] && single?.value == larger.encoded()
            && large?.value == nil && large?.size == StatusLimits.listedBytes + 1
            && small?.value == largest.encoded() && small?.size == StatusLimits.listedBytes
    }
}

/// A8: a device has only so many items, however small they are.
package func storeContractItemBounds(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func record(_ count: Int, _ prefix: String, at seconds: Int) async throws {
        let items = (0..<count).map { ("\(prefix).\($0)", JSONValue.integer(1)) }
        let report = ReceivedReport(
            received: time(TimeInterval(seconds)), sha256: digest(seconds), size: 1, isFull: false, document: nil)
        try await store.recordStatus(
            StatusUpdate(items: Dictionary(uniqueKeysWithValues: items), isFull: false), report: report, device: "D1")
    }
    try await record(StatusLimits.items - 6, "old", at: 1)
    try await record(50, "new", at: 2)
    try await promise("the oldest go, and that is told") {
        let names = try await store.statusItems(of: "D1", named: nil).map(\.name)
        let (old, new) = (names.count { $0.hasPrefix("old.") }, names.count { $0.hasPrefix("new.") })
        return new == 50 && (1...StatusLimits.items - 50).contains(old) && names.contains(LeftOutStatus.item)
    }
}

/// A8: what a device says of more apps than fit is not counted in the fleet.
package func storeContractAppBounds(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    try await store.report(apps(0..<StatusLimits.apps + 3, "1"), by: "D1", isFull: true, at: 20)
    try await promise("as many apps as fit are told apart, and those beyond are told") {
        let item = try await store.statusItems(of: "D1", named: [LeftOutStatus.item]).first
        let told = try item.map { try JSONDecoder().decode(LeftOut.self, from: $0.value) }
        let last = try await store.version(StatusLimits.apps - 1)
        let beyond = try await store.version(StatusLimits.apps)
        return last == "1" && beyond == nil && told?.count == 3 && told?.first.first == "app.managed.list app.10512"
    }
}

/// A8: one report changes no more apps in the fleet than so many, whatever it says.
package func storeContractAppChangeBounds(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    try await store.report(apps(0..<StatusLimits.apps, "1"), by: "D1", isFull: true, at: 20)
    try await store.report(apps(0..<StatusLimits.apps, "2"), by: "D1", isFull: true, at: 21)
    try await promise("all of them may change in one report") {
        let (first, last) = (try await store.version(0), try await store.version(StatusLimits.apps - 1))
        return first == "2" && last == "2"
    }
    // Every app gone and others in their place: more changes than one report makes.
    try await store.report(apps(2_000..<2_000 + StatusLimits.apps, "1"), by: "D1", isFull: true, at: 22)
    try await promise("a report changes no more than so many") {
        let (old, new) = (try await store.version(0), try await store.version(2_000))
        return old == nil && new == nil
    }
    try await store.report(apps(2_000..<2_000 + StatusLimits.apps, "1"), by: "D1", isFull: true, at: 23)
    try await promise("and the next one the rest") {
        let (first, last) = (try await store.version(2_000), try await store.version(2_511))
        return first == "1" && last == "1"
    }
}

private func apps(_ range: Range<Int>, _ version: String) -> [AppStatus] {
    range.map { AppStatus(identifier: "app.\(10_000 + $0)", shortVersion: version) }
}

extension Store {
    /// The version of one of these apps, as the fleet counts it.
    fileprivate func version(_ number: Int) async throws -> String? {
        try await versions(of: "app.\(10_000 + number)", limit: 1).first?.version
    }
}

/// What is told of what is left out.
private struct LeftOut: Decodable, Equatable {
    let count: Int
    let first: [String]
}
