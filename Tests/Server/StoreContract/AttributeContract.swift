import Foundation
import Management

/// Devices' attributes: what was decided is what is there, in one step for many, and ends with the enrollment.
package func storeContractAttributes(_ make: MakeStore) async throws {
    let store = try await make()
    for number in 1...2 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await promise("of a device that is not there nothing is known") {
        try await store.attributeState(of: "D9") == nil
    }
    func set(_ value: String, of device: String, at seconds: TimeInterval) async throws -> AttributeChange? {
        try await store.changeAttributes(of: device) { state in
            AttributeChange.decide(
                .mentioned(["location": .becomes(value)]), knowing: state, by: "admin", at: time(seconds))
        }.value
    }
    let change = try await set("Lobby", of: "D1", at: 10)
    try await promise("what was decided is there, and stands where variables come from") {
        let state = try await store.attributeState(of: "D1")
        let sources = try await store.valueSources(of: "D1", secrets: [])
        let device = try await store.device("D1")
        let attributes = AttributeSet(["location": "Lobby"])
        return change?.attributes == attributes && state?.attributes == attributes
            && sources?.attributes == attributes && sources?.changed == time(10) && device?.attributes == attributes
    }
    try await promise("a refusal changes nothing") {
        let both = [DeviceReference("D1"), DeviceReference("D2")]
        let refused = try await store.changeAttributes(ofEach: both) { _ in .refused(.unknownDevice) }
        let state = try await store.attributeState(of: "D1")
        return refused.refusal == .unknownDevice && state?.attributes == AttributeSet(["location": "Lobby"])
    }
    /// The devices that each reference finds.
    func found(_ texts: [String]) async throws -> [[String]] {
        let states = try await store.attributeStates(ofEach: texts.map { DeviceReference($0) })
        return states.map { $0.map(\.device.key) }
    }
    try await promise("a device without a serial number is called by its ID, and nobody else is") {
        try await found(["D2", "nobody", "id:D2", "serial:D2"]) == [["D2"], [], ["D2"], []]
    }
    _ = try await store.enrolDevice("D3", certificate: 3, serial: "D1")
    try await promise("an ID that another device says as its serial number is of both, and a prefix says of which") {
        try await found(["D1", "id:D1", "serial:D1"]) == [["D1", "D3"], ["D1"], ["D3"]]
    }
    let rule = try GroupRule(parsing: "device.attributes.location = Attic")
    _ = try accepted(try await store.addGroup(named: "attic", rule: rule, author: "admin", now: time(11)))
    try await store.judgeAll()
    _ = try await set("Attic", of: "D2", at: 12)
    try await promise("a device is due for the rules that look at what changed") {
        let moves = try await store.judgeDue(of: "D2", limit: 1, now: time(12))
        let other = try await store.judgeDue(of: "D1", limit: 1, now: time(12))
        return moves?.devices.map(\.key) == ["D2"] && other == nil
    }
    let facts = try await store.ruleFacts(of: "D1", for: [.variable("device.attributes.location")])
    try await promise("a rule finds them") { facts?.values.values.sorted() == ["Lobby"] }
    _ = try await store.withdraw("D1", now: time(13))
    try await promise("they end with the enrollment") {
        let state = try await store.attributeState(of: "D1")
        return state?.attributes == AttributeSet() && state?.state == .withdrawn
    }
    try await promise("the ID of a device that left is not another's name for that") {
        try await found(["D1"]) == [["D1", "D3"]]
    }
}
