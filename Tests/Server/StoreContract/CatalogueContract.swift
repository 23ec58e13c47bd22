import Foundation
import Management

/// Groups: one of a name, none removed that is in use, listed in pages.
package func storeContractGroups(_ make: MakeStore) async throws {
    let store = try await make()
    for name in ["c", "a", "b"] { _ = try accepted(try await store.addGroup(named: name, now: time(0))) }
    try await promise("a name is taken once") {
        try await store.addGroup(named: "a", now: time(0)).refusal == .nameTaken
    }
    let first = try await store.groups(PageRequest(limit: 2))
    try await promise("pages are in order") { first.items.map(\.name) == ["a", "b"] && first.next == "b" }
    let second = try await store.groups(PageRequest(after: first.next, limit: 2))
    try await promise("the last page says so") { second.items.map(\.name) == ["c"] && second.next == nil }

    _ = try await store.enrolDevice("D1", group: "a", certificate: 1)
    try await promise("a group with devices stays") { try await store.removeGroup(named: "a") == .inUse("devices") }
    try await promise("it counts them") { try await store.group(named: "a")?.devices == 1 }
    _ = try await store.putApp(App(bundleIdentifier: "com.example.a", name: "A", teamIdentifier: nil), now: time(0))
    _ = try accepted(try await store.assign(app: "com.example.a", configuration: nil, to: "b", now: time(0)))
    try await promise("a group with assignments stays") {
        try await store.removeGroup(named: "b") == .inUse("assignments")
    }
    try await store.issue(2, group: "c")
    try await promise("an unused group goes") { try await store.removeGroup(named: "c") == nil }
    try await promise("with the codes for it") {
        try await store.enrollmentCode(digest: digest(1_002))?.state == .revoked
    }
    try await promise("once") { try await store.removeGroup(named: "c") == .unknownGroup }
}

/// Configurations: versions in order, refusal of a stale writer, revert, bounded history.
package func storeContractConfigurations(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    try await promise("an app must exist") {
        try await store.putConfiguration(store.draft(app, "main", "1"), expected: .any, keeping: 3).refusal
            == .unknownApp
    }
    try await store.addApp(app, configuration: "main", bytes: "1")
    _ = try accepted(try await store.addGroup(named: "g", now: time(0)))
    _ = try accepted(try await store.assign(app: app, configuration: "main", to: "g", now: time(0)))

    let second = try accepted(
        try await store.putConfiguration(store.draft(app, "main", "2"), expected: .version(1), keeping: 3))
    try await promise("the next version is the next number, and its groups are told") {
        second.value.version.version == 2 && second.groups == ["g"] && second.value.isNew
    }
    try await promise("a writer who saw an older version is refused") {
        try await store.putConfiguration(store.draft(app, "main", "3"), expected: .version(1), keeping: 3).refusal
            == .versionMoved(current: 2)
    }
    try await promise("one who expects none is refused") {
        try await store.putConfiguration(store.draft(app, "main", "3"), expected: .absent, keeping: 3).refusal
            == .versionMoved(current: 2)
    }
    try await promise("nor does one bring back what was before") {
        func revert(_ expected: ExpectedVersion) async throws -> AdminRefusal? {
            try await store.revertConfiguration(
                app: app, name: "main", to: 1, expected: expected, author: "a", keeping: 3, now: time(8)
            ).refusal
        }
        let (stale, absent) = (try await revert(.version(1)), try await revert(.absent))
        let present = try await store.configuration(app: app, name: "main", version: nil)
        return [stale, absent] == [.versionMoved(current: 2), .versionMoved(current: 2)]
            && present?.version.version == 2
    }
    let same = try accepted(try await store.putConfiguration(store.draft(app, "main", "2"), expected: .any, keeping: 3))
    try await promise("the same bytes change nothing") {
        same.value.version.version == 2 && !same.value.isNew && same.groups.isEmpty
    }
    let reverted = try accepted(
        try await store.revertConfiguration(
            app: app, name: "main", to: 1, expected: .version(2), author: "other", keeping: 3, now: time(9)))
    try await promise("a revert is a new version with the old bytes") {
        let document = try await store.configuration(app: app, name: "main", version: nil)
        return reverted.value.version.version == 3 && document?.bytes == Data("1".utf8)
            && document?.version.revertOf == 1 && document?.version.author == "other"
    }
    let again = try accepted(
        try await store.revertConfiguration(
            app: app, name: "main", to: 1, expected: .version(3), author: "other", keeping: 3, now: time(9)))
    try await promise("a revert to the present bytes changes nothing") {
        again.value.version.version == 3 && !again.value.isNew && again.groups.isEmpty
    }
    for number in 4...6 {
        _ = try await store.putConfiguration(store.draft(app, "main", "v\(number)"), expected: .any, keeping: 3)
    }
    let history = try accepted(try await store.configurationVersions(app: app, name: "main", PageRequest()))
    try await promise("the history keeps the newest") { history.items.map(\.version) == [6, 5, 4] }
    try await promise("what was dropped cannot come back") {
        try await store.revertConfiguration(
            app: app, name: "main", to: 1, expected: .any, author: "a", keeping: 3, now: time(9)
        ).refusal == .unknownVersion
    }
    try await promise("one that is assigned stays") {
        try await store.removeConfiguration(app: app, name: "main", expected: .any) == .inUse("assignments")
    }
    try await promise("so does its app") { try await store.removeApp(app) == .inUse("assignments") }
    _ = try accepted(try await store.unassign(app: app, from: "g", now: time(10)))
    try await promise("not without it, but for one who saw an older version or expects none") {
        for expected in [ExpectedVersion.version(5), .absent] {
            let refusal = try await store.removeConfiguration(app: app, name: "main", expected: expected)
            guard refusal == .versionMoved(current: 6) else { return false }
        }
        return try await store.configuration(app: app, name: "main", version: nil) != nil
    }
    try await promise("and with it for one who saw the newest") {
        try await store.removeConfiguration(app: app, name: "main", expected: .version(6)) == nil
    }
    try await promise("and then the app goes") { try await store.removeApp(app) == nil }
}

/// Of writers who saw the same version exactly one wins.
package func storeContractOptimisticWriters(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.addApp("com.example.app", configuration: "main", bytes: "0")
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 1...8 {
            group.addTask {
                try await store.putConfiguration(
                    store.draft("com.example.app", "main", "\(number)"), expected: .version(1), keeping: 100
                ).value != nil
            }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    try await promise("exactly one won") { wins == 1 }
}

/// Of those who saw the same assignment, or none, exactly one replaces it or takes it away.
package func storeContractAssignmentWriters(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.addApp("com.example.app", configuration: "main", bytes: "0")
    _ = try await store.addGroup(named: "g", now: time(0))
    func write(_ expected: ExpectedAssignment) async throws -> [Outcome<Changed<Assignment>, AdminRefusal>] {
        try await withThrowingTaskGroup(of: Outcome<Changed<Assignment>, AdminRefusal>.self) { group in
            for number in 1...8 {
                group.addTask {
                    try await store.assign(
                        AssignmentWish(
                            group: "g", app: "com.example.app", configuration: nil, priority: number,
                            expected: expected),
                        author: "admin", now: time(1))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
    for round in 1...2 {
        let present = try await store.assignment(app: "com.example.app", group: "g")
        let made = try await write(present.map { .present($0) } ?? .absent)
        try await promise("exactly one won, round \(round)") {
            made.count { $0.value != nil } == 1 && made.count { $0.refusal?.kind == .precondition } == 7
        }
    }
    let seen = try await store.assignment(app: "com.example.app", group: "g")
    _ = try accepted(
        try await store.assign(
            AssignmentWish(group: "g", app: "com.example.app", configuration: "main"), author: "admin", now: time(2)))
    try await promise("what is another by now is not taken away") {
        try await store.unassign(
            app: "com.example.app", from: "g", expected: seen.map { .present($0) } ?? .absent, author: "admin",
            now: time(3)
        ).refusal?.kind == .precondition
    }
}

/// The snapshot that manifests are made of holds what is assigned now, and when that last changed.
package func storeContractAssignments(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.addApp("com.example.app", configuration: "main", bytes: "1")
    try await store.addApp("com.example.app", configuration: "other", bytes: "2")
    for name in ["a", "b"] { _ = try await store.addGroup(named: name, now: time(0)) }
    try await promise("a configuration must exist") {
        try await store.assign(app: "com.example.app", configuration: "none", to: "a", now: time(1)).refusal
            == .unknownConfiguration
    }
    try await promise("a group must exist") {
        try await store.assign(app: "com.example.app", configuration: nil, to: "none", now: time(1)).refusal
            == .unknownGroup
    }
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: "main", to: "a", now: time(1)))
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: "other", to: "b", now: time(2)))
    var snapshot = try await store.assignmentSnapshot(groups: ["a", "b"])
    try await promise("the assignment made last counts") {
        snapshot.effective.map(\.configuration?.sha256) == [store.sha256("2")] && snapshot.changed == time(2)
    }
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: "main", to: "a", now: time(3)))
    snapshot = try await store.assignmentSnapshot(groups: ["a", "b"])
    try await promise("assigning again makes it the last") {
        snapshot.effective.map(\.configuration?.sha256) == [store.sha256("1")] && snapshot.changed == time(3)
    }
    let first = try await store.assignment(app: "com.example.app", group: "b")
    let kept = AssignmentWish(
        group: "b", app: "com.example.app", configuration: "other", install: .optional, keepsPlace: true)
    let changed = try accepted(try await store.assign(kept, author: "admin", now: time(3))).value
    snapshot = try await store.assignmentSnapshot(groups: ["a", "b"])
    try await promise("a change that keeps its place does not make it the last, nor another time") {
        snapshot.effective.map(\.configuration?.sha256) == [store.sha256("1")] && changed.install == .optional
            && changed.order == first?.order && changed.assigned == time(2)
    }
    _ = try await store.putConfiguration(
        store.draft("com.example.app", "main", "3", now: time(4)), expected: .any, keeping: 9)
    snapshot = try await store.assignmentSnapshot(groups: ["a"])
    try await promise("a new version is seen at once") {
        snapshot.effective.map(\.configuration?.sha256) == [store.sha256("3")] && snapshot.changed == time(4)
    }
    let raised = try accepted(try await store.requestUpdateCheck(of: "com.example.app", now: time(5)))
    try await promise("an update check concerns all its groups") { Set(raised.groups) == ["a", "b"] }
    let page = try await store.assignments(AssignmentFilter(), PageRequest(limit: 1))
    let rest = try await store.assignments(AssignmentFilter(), PageRequest(after: page.next, limit: 5))
    try await promise("assignments are listed in pages") {
        page.items.map(\.group) == ["a"] && rest.items.map(\.group) == ["b"]
    }
    try await promise("a removal is a change") {
        try accepted(try await store.unassign(app: "com.example.app", from: "b", now: time(6))).groups == ["b"]
    }
}

/// Of several assignments of an app the one with the highest priority counts, for its secrets, too.
package func storeContractPriorities(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for name in ["main", "other"] { try await store.addApp(app, configuration: name, bytes: name) }
    for name in ["a", "b"] { _ = try await store.addGroup(named: name, now: time(0)) }
    func assign(_ configuration: String, to group: String, priority: Int, _ moment: Double) async throws {
        _ = try accepted(
            try await store.assign(
                app: app, configuration: configuration, install: .optional, priority: priority, to: group,
                now: time(moment)))
    }
    func effective() async throws -> AssignmentSnapshot.Entry? {
        try await store.assignmentSnapshot(groups: ["a", "b"]).effective.first
    }
    try await assign("main", to: "a", priority: 5, 1)
    try await assign("other", to: "b", priority: 0, 2)
    try await promise("a higher priority counts before what was assigned later") {
        let entry = try await effective()
        return entry?.group == "a" && entry?.configuration?.sha256 == store.sha256("main")
    }
    try await promise("whether devices must have the app is kept with the assignment") {
        let kept = try await store.assignment(app: app, group: "a")
        let entry = try await effective()
        return kept?.install == .optional && kept?.priority == 5 && entry?.install == .optional
    }
    try await promise("what decides is told in its order, with the present versions") {
        let found = try await store.candidates(inGroups: ["a", "b"])
        return found.map(\.assignment.group) == ["a", "b"] && found.map(\.version) == [1, 1]
    }
    for (number, group) in ["a", "b"].enumerated() {
        let secret = "s\(number)"
        _ = try await store.putSecret(secretDraft(secret, 1), expected: .any, keeping: 3)
        let slot = SecretSlot(group: group, app: app, extension: nil, kind: .password, identifier: "wifi")
        _ = try accepted(try await store.assignSecret(secret, to: slot, author: "admin", now: time(3)))
    }
    try await promise("of two secrets in one place that of the higher priority counts") {
        try await effective()?.secrets.map(\.secret) == ["s0"]
    }
    try await assign("other", to: "b", priority: 5, 4)
    try await promise("where the priority is the same the one made last counts") {
        let entry = try await effective()
        return entry?.group == "b" && entry?.secrets.map(\.secret) == ["s1"]
    }
    try await promise("of no group there is nothing to decide") {
        try await store.candidates(inGroups: []).isEmpty
    }
}

/// Which of an app's configurations its extensions get is part of the assignment, and kept with it.
package func storeContractExtensionConfigurations(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    for (name, bytes) in [("main", "1"), ("tunnel", "2"), ("keys", "3")] {
        try await store.addApp(app, configuration: name, bytes: bytes)
    }
    for name in ["a", "b"] { _ = try await store.addGroup(named: name, now: time(0)) }
    func assign(
        _ extensions: [String: String], to group: String = "a", _ moment: Double
    ) async throws -> AdminRefusal? {
        try await store.assign(
            app: app, configuration: "main", extensions: extensions, to: group, now: time(moment)
        ).refusal
    }
    func seen() async throws -> [String: String] {
        let entry = try await store.assignmentSnapshot(groups: ["a", "b"]).effective.first
        return (entry?.extensions ?? [:]).mapValues(\.sha256)
    }
    try await promise("an extension's configuration is one of the app's") {
        try await assign(["com.example.app.tunnel": "none"], 1) == .unknownConfiguration
    }
    let both = ["com.example.app.tunnel": "tunnel", "com.example.app.keys": "keys"]
    try await promise("each extension has its own") { try await assign(both, 2) == nil }
    try await promise("devices are told of each") {
        try await seen() == ["com.example.app.tunnel": store.sha256("2"), "com.example.app.keys": store.sha256("3")]
    }
    try await promise("the assignment says so") {
        let one = try await store.assignment(app: app, group: "a")
        let page = try await store.assignments(AssignmentFilter(), PageRequest(limit: 5))
        return one?.extensions == both && page.items.map(\.extensions) == [both]
    }
    let changed = try accepted(
        try await store.putConfiguration(
            store.draft(app, "tunnel", "4", now: time(3)), expected: .any, keeping: 9))
    try await promise("a new version concerns the groups whose extensions have it") { changed.groups == ["a"] }
    try await promise("and is seen at once") { try await seen()["com.example.app.tunnel"] == store.sha256("4") }
    try await promise("a configuration that an extension has is in use") {
        try await store.removeConfiguration(app: app, name: "tunnel", expected: .any) == .inUse("assignments")
    }
    try await promise("of two groups the one assigned last counts, as a whole") {
        let refusal = try await assign([:], to: "b", 4)
        let now = try await seen()
        return refusal == nil && now.isEmpty
    }
    try await promise("assigning again replaces them") {
        let refusal = try await assign(["com.example.app.keys": "keys"], 5)
        let now = try await seen()
        return refusal == nil && now == ["com.example.app.keys": store.sha256("3")]
    }
    try await promise("without an assignment there are none") {
        _ = try accepted(try await store.unassign(app: app, from: "a", now: time(6)))
        _ = try accepted(try await store.assign(app: app, configuration: nil, to: "a", now: time(7)))
        let now = try await seen()
        let refusal = try await store.removeConfiguration(app: app, name: "keys", expected: .any)
        return now.isEmpty && refusal == nil
    }
}
