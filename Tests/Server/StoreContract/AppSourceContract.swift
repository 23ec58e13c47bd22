import DeviceMessages
import Foundation
import InputBounds
import Management

/// One source for each platform and origin, packages that are there as long as a source names them, and what devices run.
package func storeContractAppSources(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    let elsewhere = AppSource(
        platform: .linux, location: .manifest(url: "https://example.org/a"), install: .optional, updates: .never,
        minimumOS: SystemVersion("12.5"), minimumAgent: SystemVersion("1.2"))
    func put(_ source: AppSource, now: Date = time(1)) async throws -> Outcome<Changed<AppSource>, AdminRefusal> {
        try await store.putAppSource(source, of: app, author: "admin", now: now)
    }
    try await promise("an app must exist") { try await put(elsewhere).refusal == .unknownApp }
    try await promise("to have sources, too") { try await store.appSources(of: app).refusal == .unknownApp }
    try await store.addApp(app, configuration: "main", bytes: "1")
    _ = try accepted(try await store.addGroup(named: "g", now: time(0)))
    _ = try accepted(try await store.assign(app: app, configuration: nil, to: "g", now: time(0)))

    let first = try accepted(try await put(elsewhere))
    try await promise("its groups are told") { first.value == elsewhere && first.groups == ["g"] }
    try await promise("the same again changes nothing") { try accepted(try await put(elsewhere)).groups.isEmpty }
    let phone = AppSource(platform: .iOS, location: .appStore(id: "1", license: .user))
    let taken = AppSource(platform: .linux, location: .installed(composed: nil))
    for source in [phone, taken] { _ = try accepted(try await put(source)) }
    try await promise("they are listed by platform and preference") {
        try accepted(try await store.appSources(of: app)) == [phone, elsewhere, taken]
    }
    try await promise("an app is found by where it comes from") {
        let found = try await store.app(from: .manifest, at: "https://example.org/a")
        let none = try await store.app(from: .appStore, at: "https://example.org/a")
        return found == app && none == nil
    }
    try await promise("what is assigned has them") {
        let snapshot = try await store.assignmentSnapshot(groups: ["g"])
        return Set(snapshot.effective.first?.sources.map(\.origin) ?? []) == [.appStore, .manifest, .installed]
    }
    let other = AppSource(platform: .linux, location: .manifest(url: "https://example.org/b"))
    try await promise("another of the same kind replaces it") {
        let changed = try accepted(try await put(other))
        return try accepted(try await store.appSources(of: app)) == [phone, other, taken] && changed.groups == ["g"]
    }
    try await promise("one that is removed is gone") {
        let gone = try accepted(
            try await store.removeAppSource(.linux, .manifest, of: app, author: "admin", now: time(2)))
        return try accepted(try await store.appSources(of: app)) == [phone, taken] && gone.groups == ["g"]
    }
    try await promise("once") {
        try await store.removeAppSource(.linux, .manifest, of: app, author: "admin", now: time(2)).refusal
            == .unknownAppSource
    }
    try await storeContractPackages(store, app)
}

/// Packages: of one app and one team, in use as long as a source names them.
private func storeContractPackages(_ store: any Store, _ app: String) async throws {
    func package(_ number: Int, of app: String = app, team: String = "TEAM123456") -> HostedPackage {
        HostedPackage(
            sha256: store.sha256("\(number)"), app: app, size: 10, title: "A", version: "\(number)",
            shortVersion: "\(number).0", team: team, minimumOS: SystemVersion("13"), minimumAgent: nil,
            author: "admin", uploaded: time(TimeInterval(number)))
    }
    func source(_ number: Int) -> AppSource {
        AppSource(
            platform: .linux, location: .package(sha256: store.sha256("\(number)")), minimumOS: SystemVersion("12"))
    }
    let chunks = [digest(1), digest(2)]
    try await promise("a source names a package that is there") {
        try await store.putAppSource(source(1), of: app, author: "admin", now: time(1)).refusal == .unknownPackage
    }
    let added = try accepted(
        try await store.addPackage(package(1), chunks: chunks, as: source(1), author: "admin", now: time(1)))
    try await promise("a package that is given to devices changes their manifests") {
        added.groups == ["g"] && added.value.unusedSince == nil
    }
    try await promise("it has its pieces") { try await store.packageChunks(added.value.sha256) == chunks }
    try await promise("the app has its team") { try await store.app(app)?.teamIdentifier == "TEAM123456" }
    try await promise("another team's is refused") {
        try await store.addPackage(
            package(2, team: "OTHER12345"), chunks: chunks, as: nil, author: "admin", now: time(2)
        ).refusal?.kind == .invalid
    }
    try await promise("a package's own minimum counts") {
        try await store.assignmentSnapshot(groups: ["g"]).effective.first?.sources
            .first { $0.origin == .package }?.minimumOS == SystemVersion("13")
    }
    let second = try accepted(
        try await store.addPackage(package(2), chunks: chunks, as: nil, author: "admin", now: time(2)))
    try await promise("one that no source names is not in use, and no device hears of it") {
        second.value.unusedSince == time(2) && second.groups.isEmpty
    }
    try await promise("one in use stays") {
        try await store.removePackage(store.sha256("1"), of: app, author: "admin", now: time(3))
            == .inUse("a source of the app")
    }
    _ = try accepted(try await store.putAppSource(source(2), of: app, author: "admin", now: time(4)))
    try await promise("the newest is listed first, and it is known since when the other is unused") {
        try accepted(try await store.packages(of: app)).map(\.unusedSince) == [nil, time(4)]
    }
    try await promise("one of another app is not this one's") {
        _ = try await store.putApp(App(bundleIdentifier: "com.example.b", name: "B", teamIdentifier: nil), now: time(4))
        return try await store.removePackage(store.sha256("1"), of: "com.example.b", author: "admin", now: time(5))
            == .unknownPackage
    }
    try await promise("one that is not in use goes") {
        let refusal = try await store.removePackage(store.sha256("1"), of: app, author: "admin", now: time(5))
        let left = try await store.packageDigests()
        return refusal == nil && left == [store.sha256("2")]
    }
}

/// What a device runs is learnt from its check-in and its reports, and forgotten only with its life.
package func storeContractAudiences(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    func audience() async throws -> DeviceAudience? { try await store.deviceContext(key: "D1")?.audience }
    func report(_ number: Int, _ items: [String: JSONValue]) async throws -> Bool {
        try await store.recordStatus(
            StatusUpdate(items: items, isFull: number == 4),
            report: ReceivedReport(
                received: time(TimeInterval(number)), sha256: digest(number), size: 1, isFull: false, document: nil),
            device: "D1"
        ).isAudienceNew
    }
    try await promise("nothing is known of one that said nothing") { try await audience() == DeviceAudience() }
    try await promise("what it reports is new once") {
        let isNew = try await report(
            1, [DeviceAudience.family: .string("Linux"), DeviceAudience.version: .string("12")])
        let again = try await report(2, [DeviceAudience.version: .string("12.0")])
        return isNew && !again
    }
    let known = DeviceAudience(platform: .linux, osVersion: SystemVersion("12"))
    try await promise("it is kept") {
        let device = try await store.device("D1")
        return try await audience() == known && device?.audience == known
    }
    try await promise("a full report that is silent about it changes nothing") {
        let isNew = try await report(4, ["a": .string("b")])
        return try await audience() == known && !isNew
    }
    let again = EnrollmentDraft(
        key: "D1", fingerprint: digest(1), facts: DeviceFacts(),
        audience: DeviceAudience(agentVersion: SystemVersion("1")), now: time(5))
    _ = try accepted(try await store.authenticate(again))
    try await promise("a check-in adds to it") {
        try await audience()
            == DeviceAudience(platform: .linux, osVersion: SystemVersion("12"), agentVersion: SystemVersion("1"))
    }
    try await store.issue(2, group: "all", replaces: "D1")
    let anew = EnrollmentDraft(
        key: "D1", fingerprint: digest(2), facts: DeviceFacts(), audience: DeviceAudience(platform: .macOS),
        now: time(6))
    _ = try accepted(try await store.authenticate(anew))
    try await promise("a new life begins with what it says") {
        try await audience() == DeviceAudience(platform: .macOS)
    }
    let push = PushDetails(token: Data([1]), pushMagic: "m", unlockToken: nil, awaitingConfiguration: false)
    _ = try accepted(try await store.updateToken(key: "D1", userOf: nil, push: push, now: time(6)))
    _ = try accepted(try await store.updateToken(key: "D1:U1", userOf: "D1", push: push, now: time(7)))
    try await promise("a user's channel runs what its device does") {
        try await store.deviceContext(key: "D1:U1")?.audience == DeviceAudience(platform: .macOS)
    }
    try await store.issue(3, group: "all", ownership: .personal, replaces: "D1")
    let owned = EnrollmentDraft(
        key: "D1", fingerprint: digest(3), facts: DeviceFacts(), audience: DeviceAudience(platform: .macOS),
        now: time(8))
    _ = try accepted(try await store.authenticate(owned))
    let personal = DeviceAudience(platform: .macOS, isOfAPerson: true)
    try await promise("that it belongs to a person is known from its enrollment") {
        let device = try await store.device("D1")
        return try await audience() == personal && device?.audience == personal
    }
    _ = try accepted(try await store.updateToken(key: "D1", userOf: nil, push: push, now: time(8)))
    try await promise("a report says nothing of that") {
        let isNew = try await report(9, [DeviceAudience.version: .string("27")])
        let present = try await audience()
        return isNew && present?.isOfAPerson == true
    }
}

/// Certificates of teams: each once, a bounded number, told to all groups; and how far an assignment asks for trust.
package func storeContractTeams(_ make: MakeStore) async throws {
    let store = try await make()
    for name in ["a", "b"] { _ = try accepted(try await store.addGroup(named: name, now: time(0))) }
    func team(_ number: Int) -> Team {
        Team(fingerprint: store.sha256("\(number)"), der: digest(number), author: "admin", added: time(1))
    }
    let first = try accepted(try await store.addTeam(team(1), limit: 2, now: time(1)))
    try await promise("the whole fleet is told") { first.groups == ["a", "b"] && first.value == team(1) }
    try await promise("one that is there changes nothing") {
        try accepted(try await store.addTeam(team(1), limit: 2, now: time(2))).groups.isEmpty
    }
    _ = try accepted(try await store.addTeam(team(2), limit: 2, now: time(2)))
    try await promise("there is a bound") {
        try await store.addTeam(team(3), limit: 2, now: time(3)).refusal?.kind == .invalid
    }
    try await promise("what is assigned to any group goes with them, in one order") {
        try await store.assignmentSnapshot(groups: ["a"]).teams == [digest(1), digest(2)]
    }
    try await promise("one that is removed is told to all") {
        try accepted(
            try await store.removeTeam(store.sha256("1"), author: "admin", now: time(4))
        ).groups == ["a", "b"]
    }
    try await promise("once") {
        try await store.removeTeam(store.sha256("1"), author: "admin", now: time(5)).refusal == .unknownTeam
    }
    try await promise("the other stays") { try await store.teams() == [team(2)] }

    try await store.addApp("com.example.app", configuration: "main", bytes: "1")
    for trust in [AppTrust.shared, .launched, .verified] {
        let assigned = try accepted(
            try await store.assign(
                app: "com.example.app", configuration: nil, trust: trust, to: "a", now: time(6)))
        try await promise("the lowest trust is kept as it was said last") {
            let snapshot = try await store.assignmentSnapshot(groups: ["a"])
            return assigned.value.lowestTrust == trust && snapshot.effective.first?.lowestTrust == trust
        }
    }
    for delivery in [Assignment.Delivery.both, .framework, .defaults] {
        let assigned = try accepted(
            try await store.assign(
                app: "com.example.app", configuration: "main", delivery: delivery, to: "a", now: time(7)))
        try await promise("the delivery is kept as it was said last") {
            let snapshot = try await store.assignmentSnapshot(groups: ["a"])
            let listed = try await store.candidates(inGroups: ["a"]).first?.assignment.delivery
            return assigned.value.delivery == delivery && snapshot.effective.first?.delivery == delivery
                && listed == delivery
        }
    }
}
