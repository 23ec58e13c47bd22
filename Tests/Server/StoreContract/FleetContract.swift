import DeviceMessages
import Foundation
import InputBounds
import Management

/// Which versions are on how many devices: kept by the report that tells it, and gone with the device.
package func storeContractAppVersions(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    func counts() async throws -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: try await store.versions(of: app, limit: 10).map { ($0.version, $0.devices) })
    }
    try await promise("nothing is there at first") { try await counts().isEmpty }
    for number in 1...3 {
        try await store.report([AppStatus(identifier: app, version: "417", shortVersion: "1.0")], by: "D\(number)")
    }
    try await promise("devices are counted by the version that people see") { try await counts() == ["1.0": 3] }
    try await store.report([AppStatus(identifier: app, shortVersion: "2.0")], by: "D1")
    try await store.report([AppStatus(identifier: app, shortVersion: "2.0")], by: "D1")
    try await promise("an update moves a device, once") { try await counts() == ["1.0": 2, "2.0": 1] }
    try await promise("the version of most devices comes first, and no more than are asked for") {
        try await store.versions(of: app, limit: 1) == [AppVersionCount(version: "1.0", devices: 2)]
    }
    try await store.report([AppStatus(identifier: "com.example.other", version: "7")], by: "D2")
    try await promise("a report that says nothing of the app changes nothing") {
        try await counts() == ["1.0": 2, "2.0": 1]
    }
    try await store.report([AppStatus(identifier: app, removed: true)], by: "D2")
    try await promise("an app that was removed is on no device") { try await counts() == ["1.0": 1, "2.0": 1] }
    try await store.report([], by: "D1", isFull: true)
    try await promise("what a full report leaves out is not there any more") { try await counts() == ["1.0": 1] }
    try await store.report([AppStatus(identifier: app, version: "3")], by: "D2")
    try await promise("without a version for people the other counts") { try await counts() == ["1.0": 1, "3": 1] }
    _ = try await store.withdraw("D2", now: time(9))
    try await store.checkOut(key: "D3", now: time(9))
    try await promise("devices that left are not counted") { try await counts().isEmpty }
}

/// Which versions are on the devices that a configuration concerns: by the assignment that counts, or by the group.
package func storeContractConcernedVersions(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for (number, group) in [(1, "a"), (2, "a"), (3, "b"), (4, "c")] {
        _ = try await store.enrolDevice("D\(number)", group: group, certificate: number)
        let version = number == 2 ? "2.0" : "1.0"
        try await store.report([AppStatus(identifier: app, shortVersion: version)], by: "D\(number)")
    }
    for name in ["main", "other", "side"] { try await store.addApp(app, configuration: name, bytes: name) }
    for (group, configuration, extensions) in [
        ("a", "main", [:]), ("b", "other", ["\(app).x": "side"]), ("c", "main", [:]),
    ] {
        _ = try accepted(
            try await store.assign(
                app: app, configuration: configuration, extensions: extensions, to: group, now: time(0)))
    }
    func counts(_ use: ConfigurationUse, among versions: [String] = ["1.0", "2.0"]) async throws -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: try await store.versions(of: app, among: versions, on: use)
                .map { ($0.version, $0.devices) })
    }
    try await promise("devices that are given the configuration count") {
        try await counts(.configuration("main")) == ["1.0": 2, "2.0": 1]
    }
    try await promise("those with one of the versions alone") {
        try await counts(.configuration("main"), among: ["2.0"]) == ["2.0": 1]
    }
    try await promise("so do those whose extension is given it") {
        try await counts(.configuration("side")) == ["1.0": 1]
    }
    try await promise("and those of a group") { try await counts(.group("a")) == ["1.0": 1, "2.0": 1] }
    try await promise("of one device its own version counts, whatever group it is in") {
        let (one, nobody) = (try await counts(.device("D1")), try await counts(.device("D9")))
        return one == ["1.0": 1] && nobody.isEmpty
    }
    try await promise("a device may be in several groups") {
        try await store.addDevice("D1", toGroup: "b", now: time(5)) == nil
    }
    try await promise("of several groups the assignment made last counts: here that of a is older") {
        let (main, other) = (try await counts(.configuration("main")), try await counts(.configuration("other")))
        return main == ["1.0": 1, "2.0": 1] && other == ["1.0": 2]
    }
    try await promise("nobody has what is assigned nowhere") { try await counts(.configuration("none")).isEmpty }
}

/// Which refusals stand: each since it was first told, counted over the devices on which the same one stands.
package func storeContractRefusals(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for number in 1...3 { _ = try await store.enrolDevice("D\(number)", certificate: number) }
    try await store.addApp(app, configuration: "main", bytes: "a1")
    try await store.addApp(app, configuration: "twin", bytes: "a1")
    try await store.addApp(app, configuration: "main", bytes: "a2")
    _ = try accepted(
        try await store.assign(
            app: app, configuration: "main", extensions: ["\(app).x": "twin"], to: "all", now: time(0)))
    func of(_ device: String) async throws -> ConfigurationRefusal? { try await store.refusals(on: device).first }
    let first = AppStatus.refusal(of: app, store.sha256("a2"), code: 100, path: "k", message: "one")
    for number in 1...3 { try await store.report([first], by: "D\(number)", at: TimeInterval(number)) }
    try await promise("a refusal names configuration and version by the digest, and the app's words") {
        try await of("D1")
            == ConfigurationRefusal(
                app: app, extension: nil, appVersion: "1.0", configuration: "main", configurationVersion: 2, code: 100,
                keyPath: "k", isKeyPathSupplied: false, message: "one", devices: 3, first: time(1), last: time(1))
    }
    try await promise("the same on several devices is one, from the first to the last") {
        let all = try await store.refusals(of: app, limit: 10)
        return all.count == 1 && all[0].devices == 3 && all[0].first == time(1) && all[0].last == time(3)
    }
    let again = AppStatus.refusal(of: app, store.sha256("a2"), code: 100, path: "k", message: "two")
    try await store.report([again], by: "D1", isFull: true, at: 50)
    try await promise("one that is repeated keeps its time, with the newest words") {
        let found = try await of("D1")
        return found?.first == time(1) && found?.message == "two" && found?.devices == 3
    }
    try await store.report(
        [AppStatus.refusal(of: app, store.sha256("a2"), code: 101, path: "k", message: "other")], by: "D1", at: 60)
    try await promise("another code is another refusal, since now") {
        let found = try await of("D1")
        return found?.first == time(60) && found?.devices == 1
    }
    try await promise("those on most devices come first, with the words of the last device") {
        let all = try await store.refusals(of: app, limit: 10)
        return all.map(\.devices) == [2, 1] && all.map(\.message) == ["one", "other"]
    }
    try await promise("and no more than are asked for") { try await store.refusals(of: app, limit: 1).count == 1 }
    try await store.report(
        [
            AppStatus.refusal(of: app, store.sha256("a1"), code: nil, path: nil, message: nil),
            AppStatus.refusal(of: "com.example.none", store.sha256("a1"), code: 1, path: nil, message: nil),
        ], by: "D2", at: 70)
    try await promise("of the same bytes, what is assigned is named; of an app that is not the server's, nothing") {
        try await store.refusals(on: "D2").map(\.configuration) == ["main", nil]
    }
    try await promise("an older version is named as such") { try await of("D2")?.configurationVersion == 1 }
    try await store.report(
        [AppStatus.refusal(of: app, store.sha256("a1"), code: 1, path: nil, message: nil, extension: "\(app).x")],
        by: "D3", at: 80)
    try await promise("an extension's refusal is its own, of what it is given") {
        let found = try await store.refusals(on: "D3")
        return found.map(\.extension) == ["\(app).x"] && found.map(\.configuration) == ["twin"]
    }
    try await store.report([AppStatus(identifier: app, shortVersion: "1.0")], by: "D3", at: 90)
    try await promise("what is taken at last is no refusal any more") { try await of("D3") == nil }
    try await store.report(
        [AppStatus.refusal(of: app, nil, code: nil, path: nil, message: nil)], by: "D3", at: 91)
    try await promise("a device that only says invalid refuses what it is given") {
        let found = try await of("D3")
        return found?.configuration == "main" && found?.configurationVersion == 2 && found?.code == nil
    }
    let many = (0..<300).map {
        AppStatus.refusal(of: "com.example.n\($0)", nil, code: 1, path: nil, message: nil)
    }
    try await store.report(many, by: "D3", isFull: true, at: 95)
    try await promise("a device tells of so many and no more") {
        try await store.refusals(on: "D3").count == ReportedRefusal.mostPerDevice
    }
    _ = try await store.withdraw("D2", now: time(99))
    try await store.checkOut(key: "D1", now: time(99))
    try await promise("with the device its refusals go") { try await store.refusals(of: app, limit: 10).isEmpty }
}

/// Refusals of configurations whose bytes are the device's own, because variables are filled in there.
package func storeContractRefusedTemplates(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: time(0))
    let draft = ConfigurationDraft(
        app: app, name: "main", bytes: Data("t".utf8), encoding: .xml, sha256: store.sha256("e1"), variables: ["v"],
        author: "admin", now: time(0))
    _ = try accepted(try await store.putConfiguration(draft, expected: .any, keeping: 9))
    _ = try accepted(try await store.assign(app: app, configuration: "main", to: "all", now: time(0)))
    try await store.report([.refusal(of: app, store.sha256("f9"), code: 1, path: nil, message: nil)], by: "D1")
    try await promise("it is the present version of what is assigned") {
        try await store.refusals(on: "D1").map { "\($0.configuration ?? "") \($0.configurationVersion ?? 0)" } == [
            "main 1"
        ]
    }
    try await store.addApp(app, configuration: "main", bytes: "b2")
    try await store.report([.refusal(of: app, store.sha256("f8"), code: 1, path: nil, message: nil)], by: "D1", at: 3)
    try await promise("but without variables no version is guessed") {
        let found = try await store.refusals(on: "D1").first
        return found?.configuration == "main" && found?.configurationVersion == nil
    }
}

extension Store {
    /// Has a device report on apps.
    func report(
        _ apps: [AppStatus], by device: String, isFull: Bool = false, at seconds: TimeInterval = 1
    ) async throws {
        let list = JSONValue.array(apps.map(\.value))
        let report = ReceivedReport(
            received: time(seconds), sha256: Data((list.encoded() + Data("\(isFull)\(seconds)".utf8)).suffix(64)),
            size: 1, isFull: isFull, document: nil)
        try await recordStatus(
            StatusUpdate(items: [AppStatus.name: list], isFull: isFull), report: report, device: device)
    }
}

extension AppStatus {
    /// An app, version 1.0, that refuses; without a digest it only calls its configuration invalid.
    static func refusal(
        of app: String, _ digest: String?, code: Int?, path: String?, message: String?, extension name: String? = nil
    ) -> AppStatus {
        var status = AppStatus(identifier: app, shortVersion: "1.0", configState: ConfigState(app: "invalid"))
        guard let digest else { return status }
        if name != nil { status.configState = nil }
        var details: [String: JSONValue] = ["Version": .string(digest)]
        if let code { details["Code"] = .integer(Int64(code)) }
        if let path { details["KeyPath"] = .string(path) }
        if let message { details["Message"] = .string(message) }
        if let name { details["Extension"] = .string(name) }
        status.reasons = [StatusReason(code: configurationRefused, details: .object(details))]
        return status
    }
}
