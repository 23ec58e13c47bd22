import Foundation
import Management

/// People: all or none, unchanged ones untouched; who has a device stays; devices that a change concerns are named.
package func storeContractPeople(_ make: MakeStore) async throws {
    let store = try await make()
    let device = try await store.enrolDevice("D1", group: "g", certificate: 1)
    let anna = Person(userName: "anna", details: [.email: "a@b"])
    func put(_ people: [Person], dryRun: Bool = false, at seconds: TimeInterval) async throws -> PeopleChange {
        try await store.putPeople(people, dryRun: dryRun, author: "a", now: time(seconds))
    }
    let dry = try await put([anna], dryRun: true, at: 1)
    try await promise("a dry run tells and does nothing") {
        let found = try await store.person("anna")
        return dry.added == 1 && found == nil
    }
    _ = try await put([anna, Person(userName: "ben")], at: 2)
    let again = try await put([anna], at: 3)
    try await promise("the same again changes nothing") {
        let found = try await store.person("anna")
        return again.unchanged == 1 && again.added == 0 && found?.modified == time(2)
    }
    let first = try await store.people(PageRequest(limit: 1))
    let rest = try await store.people(PageRequest(after: first.next, limit: 1))
    try await promise("they are listed in pages") {
        first.items.map(\.person) == [anna] && rest.items.map(\.person.userName) == ["ben"] && rest.next == nil
    }
    try await promise("a device is a person's") {
        try await store.setPerson("anna", ofDevice: "D1", author: "a", now: time(4)) == nil
    }
    let moved = try await put([Person(userName: "anna"), Person(userName: "ben")], at: 5)
    try await promise("a change names the devices it concerns, with their groups") {
        moved.changed.map(\.old) == [anna]
            && moved.changed.first?.devices
                == [ConcernedDevice(key: "D1", groups: device.groups)]
    }
    let sources = try await store.valueSources(of: "D1", secrets: [])
    try await promise("and the time of it is known") {
        sources?.person == Person(userName: "anna") && sources?.changed == time(5)
    }
    try await promise("who has a device stays") {
        try await store.removePerson("anna", expected: .any, author: "a", now: time(6)) == .inUse("devices")
    }
    try await promise("the end of an enrollment frees the person") {
        _ = try await store.withdraw("D1", now: time(7))
        return try await store.removePerson("anna", expected: .any, author: "a", now: time(8)) == nil
    }
}

/// A person is set and removed only while they are what their author saw, whoever changed them meanwhile.
package func storeContractPersonWriters(_ make: MakeStore) async throws {
    let store = try await make()
    func put(_ email: String, _ expected: ExpectedPerson) async throws -> Outcome<PeopleChange, AdminRefusal> {
        try await store.putPerson(
            Person(userName: "anna", details: [.email: email]), expected: expected, author: "a", now: time(1))
    }
    for round in 1...2 {
        let present = try await store.person("anna")
        let made = try await withThrowingTaskGroup(of: Outcome<PeopleChange, AdminRefusal>.self) { group in
            for number in 1...8 {
                group.addTask { try await put("\(round)-\(number)@b", present.map { .present($0) } ?? .absent) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await promise("exactly one won, round \(round)") {
            made.count { $0.value != nil } == 1 && made.count { $0.refusal?.kind == .precondition } == 7
        }
    }
    let seen = try await store.person("anna")
    try await promise("she is there") { seen != nil }
    _ = try await store.putPeople(
        [Person(userName: "anna", details: [.locale: "de"])], dryRun: false, author: "b", now: time(2))
    try await promise("what a table made of them is not replaced by who saw them before") {
        let late = try await put("late@b", seen.map { .present($0) } ?? .absent)
        let kept = try await store.person("anna")
        return late.refusal?.kind == .precondition && kept?.person.details == [.locale: "de"]
    }
    try await promise("and not removed") {
        let expected = seen.map { ExpectedPerson.present($0) } ?? .absent
        let late = try await store.removePerson("anna", expected: expected, author: "a", now: time(3))
        return late?.kind == .precondition
    }
    try await promise("who is as they were seen is removed") {
        guard let now = try await store.person("anna") else { return false }
        return try await store.removePerson("anna", expected: .present(now), author: "a", now: time(4)) == nil
    }
}

/// Values of single devices: the others and the value for all stay, and so do the keys that still open something.
package func storeContractSecretValues(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", group: "g", certificate: 1)
    func put(
        _ values: [String], replaces: Bool = false, expected: ExpectedVersion = .any
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        try await store.putSecretValues(valuesDraft(values, replaces: replaces), expected: expected, keeping: 1)
    }
    let first = try accepted(try await put(["D1", "S2"], expected: .absent))
    try await promise("a first table makes the secret") {
        first.set == 2 && first.total == 2 && first.secret.current.number == 1
    }
    try await promise("the devices concerned are named") { first.devices.map(\.key) == ["D1"] }
    let common = try accepted(try await store.putSecret(secretDraft("pin", 2), expected: .version(1), keeping: 1))
    try await promise("a value for all counts them") { common.value.current.description.deviceValues == 2 }
    _ = try accepted(try await put(["S2"]))
    let kept = try await store.secretValues(of: "pin", owners: .device, named: ["D1", "S2", "S3"])
    try await promise("each has the version in which it was set") {
        Dictionary(uniqueKeysWithValues: kept.map { ($0.owner?.name ?? "", $0.version) }) == ["D1": 1, "S2": 3]
    }
    let wrapped = try await store.secretsToRewrap(under: "another", limit: 10)
    try await promise("keys in use are kept, also of versions before the oldest kept") {
        Set(wrapped.map(\.version)) == [1, 2, 3]
    }
    let sources = try await store.valueSources(of: "D1", secrets: ["pin", "none"])
    try await promise("a device without a serial number is called by its ID") {
        sources?.secrets.mapValues(\.version) == ["pin": 1]
    }
    let replaced = try accepted(try await put(["S2"], replaces: true))
    try await promise("what a whole table does not name goes") {
        replaced.removed == 1 && replaced.total == 1 && replaced.devices.map(\.key) == ["D1"]
    }
    let left = try await store.secretsToRewrap(under: "another", limit: 10)
    try await promise("with the keys that open nothing any more") { Set(left.map(\.version)) == [2, 4] }
    try await promise("a writer who saw another version is refused") {
        try await put(["S2"], expected: .version(1)).refusal == .versionMoved(current: 4)
    }
    try await promise("the secret goes with all its values") {
        _ = try await store.removeSecret(named: "pin", expected: .any, author: "a", now: time(9))
        return try await store.masterKeyIDsInUse().isEmpty
    }
}

/// Snapshots of single devices: one for each, with its files, as long as it is what the device was last given.
package func storeContractOwnSnapshots(_ make: MakeStore) async throws {
    let store = try await make()
    let device = try await store.enrolDevice("D1", certificate: 1)
    func keep(_ token: String, _ bytes: String) async throws {
        let snapshot = ManifestSnapshot(
            declarationsToken: token, declarations: ["asset/x": Data(bytes.utf8)],
            assets: [store.sha256(bytes): ManifestAsset(mediaType: "application/xml", size: 1)])
        try await store.keepOwnSnapshot(
            snapshot, files: [store.sha256(bytes): Data(bytes.utf8)], device: "D1", epoch: device.epoch, now: time(0))
    }
    func isKept(_ token: String, _ bytes: String) async throws -> Bool {
        let snapshot = try await store.snapshot(token: token)
        let file = try await store.assetBytes(sha256: store.sha256(bytes))
        return snapshot != nil && file == Data(bytes.utf8)
    }
    try await keep("t1", "1")
    try await promise("the device was given the items") {
        try await store.deviceContext(key: "D1")?.told.itemsToken == "t1"
    }
    try await store.prune(Retention(), now: time(1_000_000_000))
    try await promise("it stays however long it takes") { try await isKept("t1", "1") }
    try await keep("t2", "2")
    try await store.prune(Retention(), now: time(1))
    try await promise("the one before goes with its file") {
        let snapshot = try await store.snapshot(token: "t1")
        let file = try await store.assetBytes(sha256: store.sha256("1"))
        return snapshot == nil && file == nil
    }
    try await promise("the newest stays") { try await isKept("t2", "2") }
    try await store.recordItems(device: "D1", epoch: device.epoch, token: "shared", now: time(0))
    try await store.prune(Retention(), now: time(2))
    try await promise("it goes when the device was given what all share") {
        try await store.snapshot(token: "t2") == nil
    }
    try await promise("nothing is kept for another life of the enrollment") {
        let snapshot = ManifestSnapshot(declarationsToken: "t3", declarations: [:], assets: [:])
        try await store.keepOwnSnapshot(snapshot, files: [:], device: "D1", epoch: device.epoch + 1, now: time(3))
        return try await store.snapshot(token: "t3") == nil
    }
}

func valuesDraft(_ names: [String], of owners: SecretOwner.Kind = .device, replaces: Bool) -> SecretValuesDraft {
    SecretValuesDraft(
        name: "pin", kind: .password, owners: owners, names: names, changed: names, replaces: replaces, variables: [],
        author: "a", now: time(4),
        seal: { version in
            SealedOwnValues(
                masterKeyID: "k1", wrappedKey: Data("key \(version)".utf8),
                sealed: Dictionary(uniqueKeysWithValues: names.map { ($0, Data("\($0) \(version)".utf8)) }))
        })
}
