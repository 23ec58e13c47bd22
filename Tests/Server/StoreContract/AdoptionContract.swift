import Foundation
import Management

/// Which versions of a configuration are on devices, and were: counted by what devices say, by the hour, and forgotten.
package func storeContractAdoption(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let own = ConfigurationHolder(app: app)
    try await store.addApp(app, configuration: "main", bytes: "1")
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    _ = try accepted(try await store.assign(app: app, configuration: "main", to: "all", now: time(0)))
    let hour = 3_600.0
    func hold(_ bytes: String, by device: String, at hours: Double) async throws {
        try await store.recordHeld(
            [HeldConfiguration(holder: own, digest: store.sha256(bytes))], of: device, toldOf: [own],
            now: time(hours * hour))
    }
    func adoption(since hours: Double = 0) async throws -> Adoption? {
        try await store.adoption(of: app, configuration: "main", since: time(hours * hour))
    }
    func points(since hours: Double = 0) async throws -> [String] {
        try await adoption(since: hours)?.points.map { point in
            let after = point.time.timeIntervalSince(time(0)) / hour
            return "\(Int(after.rounded(.down))): v\(point.version) on \(point.devices)"
        } ?? []
    }
    try await promise("a configuration that there is not has no adoption") {
        try await store.adoption(of: app, configuration: "other", since: time(0)) == nil
    }
    try await promise("before anybody says something there is nothing") {
        let found = try await adoption()
        return found?.versions == [] && found?.points == []
    }
    try await hold("1", by: "D1", at: 1)
    try await hold("1", by: "D2", at: 1)
    try await hold("1", by: "D2", at: 2)
    try await promise("an hour has one number, its last; what was said already is not counted again") {
        try await points() == ["1: v1 on 2"]
    }
    _ = try accepted(
        try await store.putConfiguration(
            store.draft(app, "main", "2"), expected: .any, keeping: ConfigurationLimits.versions))
    try await hold("2", by: "D1", at: 3)
    try await hold("2", by: "D3", at: 5)
    try await promise("a device moves from version to version") {
        let (told, found) = (try await points(), try await adoption())
        return told == ["1: v1 on 2", "3: v1 on 1", "3: v2 on 1", "5: v2 on 2"]
            && found?.versions == [.init(version: 2, devices: 2), .init(version: 1, devices: 1)]
    }
    try await promise("what held at the beginning is told from there on") {
        try await points(since: 4) == ["4: v1 on 1", "4: v2 on 1", "5: v2 on 2"]
    }
    try await hold("unknown", by: "D2", at: 6)
    try await promise("bytes that are no version's are none of them") {
        try await adoption()?.versions == [.init(version: 2, devices: 2), .init(version: 1, devices: 0)]
    }
    try await store.recordHeld([], of: "D3", toldOf: [own], now: time(7 * hour))
    try await promise("a device that says nothing yet of what it is told of has what it had") {
        try await adoption()?.versions.first?.devices == 2
    }
    try await store.recordHeld([], of: "D3", toldOf: [], now: time(8 * hour))
    try await promise("one that is told of it no more has it no more") {
        try await adoption()?.versions.first?.devices == 1
    }
    _ = try await store.withdraw("D1", now: time(9 * hour))
    try await promise("devices that left are not counted") { try await adoption()?.versions.first?.devices == 0 }
    var retention = Retention()
    retention.adoptionSeconds = hour
    for device in ["D2", "D3"] { try await hold("2", by: device, at: 10) }
    try await hold("1", by: "D2", at: 20)
    try await store.prune(retention, now: time(20 * hour))
    try await promise("of before its time the newest number stays, from which the next one differs") {
        let told = try await points(since: 19)
        let all = try await points()
        return told == ["19: v1 on 0", "19: v2 on 2", "20: v1 on 1", "20: v2 on 1"]
            && all == ["6: v1 on 0", "10: v2 on 2", "20: v1 on 1", "20: v2 on 1"]
    }
    for number in 3...10 {
        _ = try accepted(
            try await store.putConfiguration(
                store.draft(app, "main", "\(number)"), expected: .any, keeping: ConfigurationLimits.versions))
        try await hold("\(number)", by: "D2", at: 21)
    }
    try await promise("the newest versions are told apart") {
        let versions = try await adoption()?.versions.map(\.version)
        return versions == Array((3...10).reversed()) && versions?.count == Adoption.versions
    }
    for device in ["D2", "D3"] { _ = try await store.withdraw(device, now: time(22 * hour)) }
    try await store.prune(retention, now: time(40 * hour))
    try await promise("numbers go when their time is over and nobody has the version") { try await points() == [] }
    _ = try await store.enrolDevice("D4", certificate: 4)
    _ = try accepted(
        try await store.putConfiguration(
            store.draft(app, "main", "late", now: time(41.5 * hour)), expected: .any,
            keeping: ConfigurationLimits.versions))
    try await hold("late", by: "D4", at: 41.75)
    try await promise("a version is on no device before it was stored, though numbers are kept by the hour") {
        try await adoption()?.points.map(\.time) == [time(41.5 * hour)]
    }
}

/// What extensions have is counted by itself, under their names.
package func storeContractAdoptionOfExtensions(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let (own, tunnel) = (
        ConfigurationHolder(app: app), ConfigurationHolder(app: app, extension: "com.example.app.tunnel")
    )
    try await store.addApp(app, configuration: "main", bytes: "1")
    _ = try accepted(
        try await store.putConfiguration(
            store.draft(app, "tunnel", "t1"), expected: .any, keeping: ConfigurationLimits.versions))
    for number in 1...2 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    func hold(
        _ bytes: [ConfigurationHolder: String], by device: String, toldOf: [ConfigurationHolder], at hours: Double
    ) async throws {
        let held = bytes.map { HeldConfiguration(holder: $0.key, digest: store.sha256($0.value)) }
        try await store.recordHeld(held, of: device, toldOf: toldOf, now: time(hours * 3_600))
    }
    func versions(of name: String) async throws -> [Adoption.Version]? {
        try await store.adoption(of: app, configuration: name, since: time(0))?.versions
    }
    let its = tunnel.extension
    try await hold([own: "1", tunnel: "t1"], by: "D1", toldOf: [own, tunnel], at: 1)
    try await hold([own: "1", tunnel: "1"], by: "D2", toldOf: [own, tunnel], at: 2)
    try await promise("an app and its extension have each their own") {
        let (main, other) = (try await versions(of: "main"), try await versions(of: "tunnel"))
        return main == [.init(version: 1, devices: 2), .init(extension: its, version: 1, devices: 1)]
            && other == [.init(extension: its, version: 1, devices: 1)]
    }
    try await promise("numbers by the hour say whose they are") {
        let points = try await store.adoption(of: app, configuration: "main", since: time(0))?.points
        return points?.map(\.extension) == [nil, nil, its] && points?.map(\.devices) == [1, 2, 1]
    }
    try await hold([own: "1"], by: "D2", toldOf: [own], at: 3)
    try await promise("an extension that has no configuration any more leaves its app's alone") {
        try await versions(of: "main")
            == [.init(version: 1, devices: 2), .init(extension: its, version: 1, devices: 0)]
    }
    _ = try await store.withdraw("D1", now: time(4 * 3_600))
    try await promise("an extension leaves with its device") {
        try await versions(of: "tunnel") == [.init(extension: its, version: 1, devices: 0)]
    }
    var retention = Retention()
    retention.adoptionSeconds = 3_600
    try await store.prune(retention, now: time(40 * 3_600))
    try await promise("an extension's numbers go when their time is over, and its app's stay") {
        let (main, other) = (try await versions(of: "main"), try await versions(of: "tunnel"))
        return main == [.init(version: 1, devices: 1)] && other == []
    }
}
