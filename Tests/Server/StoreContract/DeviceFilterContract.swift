import DeviceMessages
import Foundation
import InputBounds
import Management

/// By what the list of devices is narrowed; each page is full as long as there are devices that all of it holds for.
///
/// The last promise is red where a group's devices were cut to a page before anything else was asked of them.
package func storeContractDeviceFilters(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for number in 1...6 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await store.addApp(app, configuration: "main", bytes: "main")
    let refusal = StatusReason(code: AppStatus.configurationRefused, details: .object(["Code": .integer(7)]))
    for number in [2, 4, 5] {
        try await store.report([AppStatus(identifier: app, shortVersion: "1.0", reasons: [refusal])], by: "D\(number)")
    }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0")], by: "D6")
    _ = try await store.withdraw("D1", now: time(9))
    try await store.checkOut(key: "D6", now: time(9))
    try await store.recordSeen(["D1": time(10), "D2": time(10), "D3": time(500), "D4": time(500), "D5": time(10)])
    /// The devices of all pages of `limit`.
    func found(
        _ limit: Int = 1, named name: String? = nil, _ narrow: (inout DeviceFilter) -> Void = { _ in }
    ) async throws -> [String] {
        var filter = DeviceFilter(named: name)
        narrow(&filter)
        var (found, after): ([String], String?) = ([], nil)
        repeat {
            let page = try await store.devices(filter, PageRequest(after: after, limit: limit))
            found += page.items.map(\.id)
            after = page.next
        } while after != nil
        return found
    }
    try await promise("devices that refuse are found, page after page, and say how often they do") {
        let (single, whole) = (try await found { $0.isRefusing = true }, try await found(10) { $0.isRefusing = true })
        let (some, none) = (try await store.device("D4")?.refusals, try await store.device("D3")?.refusals)
        return single == ["D2", "D4", "D5"] && whole == single && some == 1 && none == 0
    }
    try await promise("devices are found by their state") {
        let withdrawn = try await found { $0.state = .withdrawn }
        let (left, enrolled) = (try await found { $0.state = .checkedOut }, try await found(3) { $0.state = .enrolled })
        return withdrawn == ["D1"] && left == ["D6"] && enrolled == ["D2", "D3", "D4", "D5"]
    }
    try await promise("of who was not seen the enrolled ones are found, and others if they are asked for") {
        let unseen = try await found { $0.seenBefore = time(100) }
        let withdrawn = try await found {
            $0.seenBefore = time(100)
            $0.state = .withdrawn
        }
        return unseen == ["D2", "D5"] && withdrawn == ["D1"]
    }
    try await promise("devices of a name are found page after page, and narrowed; names are compared byte by byte") {
        let (single, pair) = (try await found(named: "tester"), try await found(2, named: "tester"))
        let withdrawn = try await found(named: "tester") { $0.state = .withdrawn }
        let refusing = try await found(2, named: "tester") { $0.isRefusing = true }
        let (other, part) = (try await found(named: "Tester"), try await found(named: "test"))
        return single == ["D1", "D2", "D3", "D4", "D5", "D6"] && pair == single && withdrawn == ["D1"]
            && refusing == ["D2", "D4", "D5"] && other.isEmpty && part.isEmpty
    }
    _ = try await store.enrolDevice("D7", certificate: 7, serial: "D2")
    try await promise("an ID that another device says as its serial number finds both, and a prefix says which") {
        let (single, whole) = (try await found(named: "D2"), try await found(9, named: "D2"))
        let (byID, bySerial) = (try await found(named: "id:D2"), try await found(named: "serial:D2"))
        let (left, none) = (try await found(named: "id:D1"), try await found(named: "serial:D3"))
        return single == ["D2", "D7"] && whole == single && byID == ["D2"] && bySerial == ["D7"] && left == ["D1"]
            && none.isEmpty
    }
    _ = try await store.addGroup(named: "more", now: time(0))
    for number in 2...5 { _ = try await store.addDevice("D\(number)", toGroup: "more", now: time(11)) }
    try await promise("what is asked for holds together") {
        var filter = DeviceFilter(group: "more")
        filter.isRefusing = true
        filter.seenBefore = time(1_000)
        let first = try await store.devices(filter, PageRequest(limit: 2))
        let second = try await store.devices(filter, PageRequest(after: first.next, limit: 2))
        return first.items.map(\.id) == ["D2", "D4"] && second.items.map(\.id) == ["D5"]
    }
}
