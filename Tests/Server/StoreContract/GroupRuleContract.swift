import DeviceMessages
import Foundation
import InputBounds
import Management

/// A group with a rule has the devices that meet it: a report that changes what the rule looks at moves the device in
/// the same step.
package func storeContractGroupRules(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    _ = try await store.enrolDevice("D1", certificate: 1)
    let rule = try GroupRule(parsing: "app \(app) >= 2 and os-version >= 13")
    let group = try accepted(try await store.addGroup(named: "r", rule: rule, author: "admin", now: time(2)))
    try await promise("a rule is kept with its group, which waits for the fleet to be judged") {
        group.rule == rule && group.isJudging && group.revision == 1
    }
    try await store.judgeAll()
    func groups() async throws -> [String] { try await store.deviceContext(key: "D1")?.groups ?? [] }
    func report(
        _ version: String?, system: String? = nil, isFull: Bool = false, at seconds: TimeInterval
    ) async throws -> GroupMoves {
        var items: [String: JSONValue] = [:]
        if let version {
            items[AppStatus.name] = .array([AppStatus(identifier: app, shortVersion: version).value])
        }
        if let system { items[DeviceAudience.version] = .string(system) }
        return try await store.recordStatus(
            StatusUpdate(items: items, isFull: isFull),
            report: ReceivedReport(
                received: time(seconds), sha256: digest(Int(seconds)), size: 1, isFull: isFull, document: nil),
            device: "D1"
        ).moves
    }
    try await promise("one condition alone is not enough") {
        let moves = try await report("2.1", at: 10)
        let now = try await groups()
        return moves == GroupMoves() && now == ["all"]
    }
    try await promise("a report that meets the rule puts the device in, and says so") {
        let moves = try await report(nil, system: "13.1", at: 11)
        let now = try await groups()
        return moves.devices == [ConcernedDevice(key: "D1", groups: ["all", "r"])] && now == ["all", "r"]
    }
    try await promise("said again, nothing moves") { try await report("2.1", system: "13.1", at: 12) == GroupMoves() }
    try await promise("a full report without the app takes it out") {
        let moves = try await report(nil, system: "13.1", isFull: true, at: 13)
        return moves.devices == [ConcernedDevice(key: "D1", groups: ["all"])]
    }
    _ = try await report("3", at: 14)
    try await promise("nobody is put in or taken out by hand, nor by a way to enroll") {
        let code = EnrollmentCode(
            id: "c", group: "r", ownership: .organization, supervised: true, allowLegacyCryptography: false,
            author: "admin", created: time(0), expires: time(3_600), state: .unused)
        let expected = ExpectedDevice(serialNumber: "S", group: "r", chip: nil, author: "admin", created: time(0))
        let byHand = try await store.addDevice("D1", toGroup: "r", now: time(15))
        let out = try await store.removeDevice("D1", fromGroup: "r", now: time(15))
        let byCode = try await store.addEnrollmentCode(code, digest: digest(900))
        let byNumber = try await store.putExpectedDevices([expected])
        let now = try await groups()
        return [byHand, out, byCode, byNumber].allSatisfy { $0 == .groupHasRule } && now == ["all", "r"]
    }
    try await promise("where devices come by a code no rule is set") {
        let outcome = try await store.setGroupRule(rule, of: "open", expected: .any, author: "a", now: time(16))
        _ = try await store.addGroup(named: "open", now: time(16))
        try await store.issue(50, group: "open")
        let refused = try await store.setGroupRule(rule, of: "open", expected: .any, author: "a", now: time(16))
        return outcome.refusal == .unknownGroup && refused.refusal == .inUse("open enrollment codes")
    }
    let other = try GroupRule(parsing: "app \(app) >= 4")
    try await promise("the second writer is told") {
        let second = try await store.setGroupRule(other, of: "r", expected: .version(9), author: "a", now: time(17))
        let absent = try await store.setGroupRule(other, of: "r", expected: .absent, author: "a", now: time(17))
        return second.refusal == .versionMoved(current: 1) && absent.refusal == .versionMoved(current: 1)
    }
    _ = try accepted(
        try await store.setGroupRule(other, of: "r", expected: .version(1), author: "a", now: time(18)))
    try await store.judgeAll()
    try await promise("another rule has other devices") { try await groups() == ["all"] }
    _ = try await report("4", at: 19)
    let fixed = try accepted(try await store.setGroupRule(nil, of: "r", expected: .any, author: "a", now: time(20)))
    try await promise("without its rule a group keeps who is in it, and is filled by hand") {
        _ = try await report("1", at: 21)
        let now = try await groups()
        let out = try await store.removeDevice("D1", fromGroup: "r", now: time(22))
        return fixed.rule == nil && fixed.revision == 3 && now == ["all", "r"] && out == nil
    }
    _ = try accepted(try await store.setGroupRule(other, of: "r", expected: .absent, author: "a", now: time(23)))
    _ = try await report("4", at: 24)
    try await promise("a group that its rule fills goes with who is in it") {
        let before = try await groups()
        let refusal = try await store.removeGroup(named: "r")
        let now = try await groups()
        return before == ["all", "r"] && refusal == nil && now == ["all"]
    }
}

/// The fleet is judged by a new rule part by part, each in one step: what comes in between is as good as before.
package func storeContractJudging(_ make: MakeStore) async throws {
    let store = try await make()
    for number in 1...7 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    _ = try await store.putPeople(
        [Person(userName: "anna", details: [.department: "Sales"])], dryRun: false, author: "a", now: time(2))
    while try await store.judgeDue(of: nil, limit: 2, now: time(3)) != nil {}
    func devices(_ group: String) async throws -> Int { try await store.group(named: group)?.devices ?? -1 }
    let all = try GroupRule(parsing: "shard 100% of x")
    _ = try accepted(try await store.addGroup(named: "every", rule: all, author: "a", now: time(4)))
    try await promise("a part moves as many as it judges") {
        let moves = try await store.judgeFleet(limit: 3, now: time(5))
        let now = try await devices("every")
        return moves?.devices.map(\.key) == ["D1", "D2", "D3"] && now == 3
    }
    try await promise("the next goes on where the last one ended") {
        let moves = try await store.judgeFleet(limit: 3, now: time(5))
        return moves?.devices.map(\.key) == ["D4", "D5", "D6"]
    }
    _ = try accepted(
        try await store.setGroupRule(
            GroupRule(parsing: "not supervised"), of: "every", expected: .any, author: "a", now: time(6)))
    try await promise("a rule set in between is judged from the first device on") {
        let moves = try await store.judgeFleet(limit: 100, now: time(7))
        let now = try await devices("every")
        return moves?.devices.count == 6 && now == 0
    }
    try await promise("then nothing is left to do") { try await store.judgeFleet(limit: 3, now: time(7)) == nil }

    let sales = try GroupRule(parsing: "person.department = Sales")
    _ = try accepted(try await store.addGroup(named: "sales", rule: sales, author: "a", now: time(8)))
    _ = try accepted(try await store.addGroup(named: "tags", rule: all, author: "a", now: time(8)))
    try await store.judgeAll()
    _ = try await store.setPerson("anna", ofDevice: "D2", author: "a", now: time(9))
    try await promise("whose device it is counts") {
        let moves = try await store.judgeDue(of: "D2", limit: 1, now: time(9))
        return moves?.devices.map(\.groups) == [["all", "sales", "tags"]]
    }
    _ = try await store.putPeople(
        [Person(userName: "anna", details: [.department: "Sales", .email: "a@b.c"])], dryRun: false, author: "a",
        now: time(10))
    try await promise("what no rule looks at has nobody judged") {
        try await store.judgeDue(of: nil, limit: 9, now: time(10)) == nil
    }
    _ = try await store.putPeople(
        [Person(userName: "anna", details: [.department: "Forest"])], dryRun: false, author: "a", now: time(11))
    try await promise("what is another with the person is so with the devices") {
        let moves = try await store.judgeDue(of: nil, limit: 9, now: time(11))
        return moves?.devices.map(\.groups) == [["all", "tags"]]
    }
    _ = try await store.enrolDevice("D8", certificate: 8)
    try await promise("who enrolls is judged by all rules") {
        let moves = try await store.judgeDue(of: "D8", limit: 1, now: time(12))
        return moves?.devices == [ConcernedDevice(key: "D8", groups: ["all", "tags"])]
    }
    _ = try await store.withdraw("D8", now: time(13))
    try await promise("who left is in no group and comes into none") {
        _ = try accepted(try await store.setGroupRule(sales, of: "tags", expected: .any, author: "a", now: time(14)))
        _ = try accepted(try await store.setGroupRule(all, of: "tags", expected: .any, author: "a", now: time(14)))
        try await store.judgeAll()
        let context = try await store.deviceContext(key: "D8")
        let now = try await devices("tags")
        return context?.groups == [] && now == 7
    }
    try await promise("a preview reads the fleet in its order, with who is in") {
        let first = try await store.ruleCandidates(for: sales.facts, group: "tags", after: "", limit: 3)
        let rest = try await store.ruleCandidates(for: sales.facts, group: "tags", after: "D3", limit: 9)
        return first.map(\.key) == ["D1", "D2", "D3"] && first.allSatisfy(\.isMember)
            && first[1].facts?.values == [.variable("person.department"): "Forest"]
            && rest.last?.key == "D8" && rest.last?.facts == nil
    }
}

/// A group that its rule fills is gone at once, whoever was in it; the store forgets the devices in it part by part.
package func storeContractRemovedGroups(_ make: MakeStore) async throws {
    let store = try await make()
    for number in 1...7 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    let rule = try GroupRule(parsing: "shard 100% of x")
    for name in ["one", "two"] {
        _ = try accepted(try await store.addGroup(named: name, rule: rule, author: "a", now: time(4)))
    }
    try await store.judgeAll()
    func groups(_ device: String) async throws -> [String]? { try await store.deviceContext(key: device)?.groups }
    try await promise("nobody finds it, nor a device in it") {
        let refusal = try await store.removeGroup(named: "one", limit: 3, author: "a", now: time(5))
        let one = try await store.group(named: "one")
        let all = try await store.groups(PageRequest()).items.map(\.name)
        let now = try await [groups("D1"), groups("D7")]
        let again = try await store.removeGroup(named: "one")
        return refusal == nil && one == nil && all == ["all", "two"] && now == [["all", "two"], ["all", "two"]]
            && again == .unknownGroup
    }
    try await promise("nothing is put into it, by hand or by its rule") {
        for number in 8...9 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
        let device = try await store.addDevice("D1", toGroup: "one", now: time(6))
        let judged = try accepted(
            try await store.addGroup(named: "three", rule: rule, author: "a", now: time(6))
        ).isJudging
        try await store.judgeAll()
        let now = try await groups("D1")
        return device == .unknownGroup && judged && now == ["all", "three", "two"]
    }
    try await promise("its devices are forgotten part by part, and then nothing is left to do") {
        var parts = 0
        while parts < 9, try await store.emptyRemoved(limit: 3) { parts += 1 }
        return parts == 2
    }
    _ = try await store.removeGroup(named: "two", limit: 3, author: "a", now: time(7))
    try await promise("its name is free, and nobody is in another that takes it") {
        let two = try accepted(try await store.addGroup(named: "two", author: "a", now: time(8)))
        let now = try await groups("D7")
        let isLeft = try await store.emptyRemoved(limit: 3)
        return two.devices == 0 && now == ["all", "three"] && !isLeft
    }
}

extension Store {
    /// Judges whoever waits for it.
    func judgeAll() async throws {
        while try await judgeDue(of: nil, limit: 3, now: time(3)) != nil {}
        while try await judgeFleet(limit: 3, now: time(3)) != nil {}
    }
}
