import Foundation
import Management

/// Values of people: for all devices of the person, behind the device's own and before the one for all.
package func storeContractPersonSecretValues(_ make: MakeStore) async throws {
    let store = try await make()
    let devices = [
        try await store.enrolDevice("D1", group: "g", certificate: 1),
        try await store.enrolDevice("D2", group: "g", certificate: 2),
        try await store.enrolDevice("D3", group: "g", certificate: 3),
    ]
    let people = [Person(userName: "anna"), Person(userName: "ben")]
    _ = try await store.putPeople(people, dryRun: false, author: "a", now: time(1))
    for device in ["D1", "D2"] {
        _ = try await store.setPerson("anna", ofDevice: device, author: "a", now: time(2))
    }
    func put(
        _ names: [String], of owners: SecretOwner.Kind = .person, replaces: Bool = false
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        try await store.putSecretValues(
            valuesDraft(names, of: owners, replaces: replaces), expected: .any, keeping: 1)
    }
    func owners() async throws -> [SecretOwner?] {
        var owners: [SecretOwner?] = []
        for device in devices {
            owners.append(try await store.valueSources(of: device.key, secrets: ["pin"])?.secrets["pin"]?.owner)
        }
        return owners
    }
    try await promise("a person who is not known gets none, and nothing is written") {
        do {
            _ = try await put(["anna", "carla"])
            return false
        } catch let unknown as UnknownSecretOwner {
            let secret = try await store.secret(named: "pin")
            return unknown.userName == "carla" && secret == nil
        }
    }
    let first = try accepted(try await put(["anna", "ben"]))
    try await promise("all devices of a person are concerned") {
        Set(first.devices.map(\.key)) == ["D1", "D2"] && first.set == 2 && first.total == 2
            && first.secret.current.description.personValues == 2
    }
    try await promise("they have the person's value, and the time of it is known") {
        let sources = try await store.valueSources(of: "D1", secrets: ["pin"])
        let found = try await owners()
        return found == [.person("anna"), .person("anna"), nil] && sources?.changed == time(4)
    }
    let second = try accepted(try await put(["D1"], of: .device, replaces: true))
    try await promise("a table of devices takes nothing from people") {
        second.removed == 0 && second.total == 1 && second.secret.current.description.personValues == 2
            && second.secret.current.description.deviceValues == 1
    }
    try await promise("a device's own value counts before its person's") {
        try await owners() == [.device("D1"), .person("anna"), nil]
    }
    try await promise("the key of a version stays as long as a person has a value of it") {
        Set(try await store.secretsToRewrap(under: "another", limit: 10).map(\.version)) == [1, 2]
    }
    try await checkRelease(of: store, to: devices)
    _ = try accepted(try await put(["ben"], replaces: true))
    try await promise("a whole table takes from people whom it does not name") {
        try await owners() == [.device("D1"), nil, nil]
    }
    try await promise("a removed person's value goes, with the key that opens nothing else") {
        let refusal = try await store.removePerson("ben", expected: .any, author: "a", now: time(6))
        let versions = Set(try await store.secretsToRewrap(under: "another", limit: 10).map(\.version))
        let left = try await store.secretValues(of: "pin", owners: .person, named: ["anna", "ben"])
        let secret = try await store.secret(named: "pin")
        return refusal == nil && versions == [2, 3] && left.isEmpty && secret?.current.description.personValues == 0
    }
    try await promise("one of the same name later has nothing of it") {
        _ = try await store.putPeople([Person(userName: "ben")], dryRun: false, author: "a", now: time(7))
        _ = try await store.setPerson("ben", ofDevice: "D3", author: "a", now: time(7))
        return try await owners() == [.device("D1"), nil, nil]
    }
}

/// Which value each device may download; D1 has its own, D2 its person's, and D3 the one for all.
private func checkRelease(of store: any Store, to devices: [DeviceContext]) async throws {
    try await store.addApp("com.example.app", configuration: "main", bytes: "1")
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: nil, to: "g", now: time(1)))
    let slot = SecretSlot(group: "g", app: "com.example.app", kind: .password, identifier: "login")
    _ = try accepted(try await store.assignSecret("pin", to: slot, author: "a", now: time(5)))
    let common = try accepted(try await store.putSecret(secretDraft("pin", 3), expected: .any, keeping: 1))
    try await promise("a value for all counts both") {
        let description = common.value.current.description
        return description.deviceValues == 1 && description.personValues == 2
    }
    let wanted: [(version: Int, owner: SecretOwner?)] = [(2, .device("D1")), (1, .person("anna")), (3, nil)]
    for (device, wanted) in zip(devices, wanted) {
        try await promise("\(device.key) may have the value that counts for it, and no other") {
            for version in 1...3 {
                let found = try await store.assignedSecret("pin", version: version, to: device.key)
                let released = try await store.recordRelease(
                    of: "pin", version: version, owner: wanted.owner, to: device.key, now: time(6))
                let isWanted = version == wanted.version
                guard released == isWanted, (found != nil) == isWanted else { return false }
                if let found, found.kept.owner != wanted.owner { return false }
            }
            return true
        }
    }
    // Both people have values of version 1.
    try await promise("a value that was read is not released once the device is another person's") {
        _ = try await store.setPerson("ben", ofDevice: "D2", author: "a", now: time(6))
        var released: [Bool] = []
        for owner in [SecretOwner.person("anna"), .person("ben")] {
            released.append(
                try await store.recordRelease(of: "pin", version: 1, owner: owner, to: "D2", now: time(6)))
        }
        _ = try await store.setPerson("anna", ofDevice: "D2", author: "a", now: time(6))
        return released == [false, true]
    }
}
