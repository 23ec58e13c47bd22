import CertificateAuthority
import Foundation
import Management

/// A secret that is taken from devices takes with it what was issued for it to them, and to nobody else.
package func storeContractRevocation(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    _ = try await store.enrolDevice("e", group: "g", certificate: 2)
    _ = try await store.enrolDevice("f", group: "h", certificate: 3)
    _ = try accepted(try await store.assign(app: bundle, configuration: nil, to: "h", now: time(1)))
    try await store.give("s", in: "h")
    for (number, device) in [(1, "d"), (2, "e"), (3, "f")] { try await store.issue(number, to: device) }
    _ = try await store.putSecret(secretDraft("s", 2, kind: .acme), expected: .any, keeping: 3)
    try await promise("a new version leaves what was issued to its time") {
        try await store.revokedIdentities(now: time(3)).isEmpty
    }
    try await store.issue(4, to: "d", version: 2)
    try await store.addSCEPChallenge(challenge(50, to: "d", version: 2))

    let before = try await store.order(in: "g")
    try await store.unassign(from: "g")
    let revoked = try await store.revokedIdentities(now: time(5))
    try await promise("what devices of the group have of any version is revoked, as withdrawn") {
        Set(revoked.map(\.serial)) == ["01", "02", "04"]
            && revoked.allSatisfy { $0.reason == 9 && $0.revoked == time(4) }
    }
    let log = try await store.auditEntries(AuditFilter(action: .revokeIdentity, subject: "s"), PageRequest())
    try await promise("each is in the audit log, with whose it was and who did it") {
        log.items.count == 3 && log.items.allSatisfy { $0.actor == "administrator:a" }
            && log.items.contains { $0.details == #"{"device":"e","reason":9,"serial":"02"}"# }
    }
    try await promise("rights that were handed out end with them") {
        try await store.scepChallenge(digest: digest(50)) == nil
    }
    try await store.unassign(from: "h")
    try await store.give("s", in: "g")
    try await promise("given again it is another assignment, of which nothing is revoked") {
        let order = try await store.order(in: "g")
        let revoked = try await store.revokedIdentities(now: time(5))
        return order != nil && order != before && revoked.count == 4
    }
    try await store.issue(5, to: "d", version: 2)
    let order = try await store.order(in: "g")
    try await store.give("s", in: "g")
    try await promise("said twice, nothing is another") {
        let again = try await store.order(in: "g")
        let revoked = try await store.revokedIdentities(now: time(5))
        return again == order && revoked.count == 4
    }
    _ = try accepted(try await store.unassign(app: bundle, from: "g", now: time(6)))
    try await promise("it goes with the app") { try await store.revokedIdentities(now: time(6)).count == 5 }
}

/// Membership and places: a device loses what it has only when it has it by no other way, and its next is another.
package func storeContractLosses(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    _ = try await store.addGroup(named: "h", now: time(0))
    _ = try accepted(try await store.assign(app: bundle, configuration: nil, to: "h", now: time(1)))
    try await store.give("s", in: "h")
    _ = try await store.enrolDevice("e", group: "g", certificate: 2)
    try await store.issue(1, to: "d")
    try await store.issue(2, to: "e")
    func revoked() async throws -> [String] { try await store.revokedIdentities(now: time(5)).map(\.serial) }
    func losses(_ device: String) async throws -> [String: Int]? {
        try await store.valueSources(of: device, secrets: ["s"])?.losses
    }
    _ = try accepted(try await store.addDevice("d", toGroup: "h", author: "a", now: time(2)))
    try await store.unassign(from: "h")
    try await promise("one of two ways is enough") { try await revoked() == [] }
    try await store.give("s", in: "h")
    try await promise("and so is the other") {
        let left = try accepted(try await store.removeDevice("d", fromGroup: "g", author: "a", now: time(4)))
        return try await revoked() == [] && left == Regrouped()
    }
    let left = try accepted(try await store.removeDevice("d", fromGroup: "h", author: "a", now: time(4)))
    try await promise("without any the device has lost it, and no other has") { try await revoked() == ["01"] }
    try await promise("whose loss is remembered, for the groups where it may come back") {
        let (first, second) = (try await losses("d"), try await losses("e"))
        let snapshot = try await store.assignmentSnapshot(groups: ["g"])
        return first == ["s": 1] && second == [:] && Set(left.concerned) == ["g", "h"]
            && snapshot.effective.flatMap(\.secrets).allSatisfy(\.wasLost)
    }
    _ = try accepted(try await store.addDevice("d", toGroup: "g", author: "a", now: time(4)))
    try await store.issue(3, to: "d")
    try await promise("it stays so when the device has it again") {
        let known = try await losses("d")
        return try await revoked() == ["01"] && known == ["s": 1]
    }
    _ = try await store.putSecret(secretDraft("other", 1, kind: .scep), expected: .any, keeping: 3)
    try await store.give("other", in: "g")
    try await promise("another secret in its place takes it from all") {
        try await Set(revoked()) == ["01", "02", "03"]
    }
    try await store.give("s", in: "g")
    try await store.issue(4, to: "d")
    _ = try accepted(try await store.addDevice("d", toGroup: "h", author: "a", now: time(4)))
    _ = try await store.putSecret(secretDraft("other", 1, kind: .scep), expected: .any, keeping: 3)
    try await store.give("other", in: "h")
    try await promise("so does one that covers it from another group") {
        let known = try await losses("d")
        return try await revoked().contains("04") && known == ["s": 3]
    }
    try await store.checkOut(key: "d", now: time(5))
    try await promise("a new life begins without losses") { try await losses("d") == [:] }
}

/// The priority of an app's assignments decides between its secrets, too: what is in a place no more is lost.
package func storeContractPriorityLosses(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    _ = try await store.addGroup(named: "h", now: time(0))
    func assign(_ priority: Int) async throws {
        _ = try accepted(
            try await store.assign(app: bundle, configuration: nil, priority: priority, to: "h", now: time(1)))
    }
    try await assign(-1)
    _ = try await store.putSecret(secretDraft("other", 1, kind: .scep), expected: .any, keeping: 3)
    try await store.give("other", in: "h")
    _ = try accepted(try await store.addDevice("d", toGroup: "h", author: "a", now: time(2)))
    try await store.issue(1, to: "d")
    func revoked() async throws -> [String] { try await store.revokedIdentities(now: time(5)).map(\.serial) }
    try await assign(-2)
    try await promise("behind another assignment nothing is lost") { try await revoked() == [] }
    try await assign(1)
    try await promise("before it, what it puts in the place takes away what was there") {
        let losses = try await store.valueSources(of: "d", secrets: ["s"])?.losses
        return try await revoked() == ["01"] && losses == ["s": 1]
    }
}

/// A device that its rule takes out of a group loses what only this group gives.
package func storeContractRuleLosses(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    let rule = try GroupRule(parsing: "shard 100% of x")
    _ = try accepted(try await store.addGroup(named: "h", rule: rule, author: "a", now: time(1)))
    try await store.judgeAll()
    _ = try accepted(try await store.assign(app: bundle, configuration: nil, to: "h", now: time(1)))
    try await store.give("s", in: "h")
    try await store.unassign(from: "g")
    try await store.issue(1, to: "d")
    _ = try accepted(
        try await store.setGroupRule(
            GroupRule(parsing: "not shard 100% of x"), of: "h", expected: .any, author: "a", now: time(4)))
    try await promise("what it holds is its own until it is judged") {
        try await store.revokedIdentities(now: time(5)).isEmpty
    }
    try await store.judgeAll()
    try await promise("and is revoked when it is, by the server") {
        let revoked = try await store.revokedIdentities(now: time(5)).map(\.serial)
        let log = try await store.auditEntries(AuditFilter(action: .revokeIdentity, subject: "s"), PageRequest())
        return revoked == ["01"] && log.items.map(\.actor) == ["server"]
    }
}

/// A device that loses a secret group by group, and has it again before it asks, is told of something else than before.
package func storeContractReturns(_ make: MakeStore) async throws {
    let ways: [(String, (any Store) async throws -> Void)] = [
        (
            "by leaving a group, and by what the other was given",
            { store in
                _ = try accepted(try await store.removeDevice("d", fromGroup: "g", author: "a", now: time(4)))
                try await store.unassign(from: "h")
            }
        ),
        (
            "the other way round",
            { store in
                try await store.unassign(from: "h")
                _ = try accepted(try await store.removeDevice("d", fromGroup: "g", author: "a", now: time(4)))
            }
        ),
        (
            "and by the app",
            { store in
                _ = try accepted(try await store.removeDevice("d", fromGroup: "g", author: "a", now: time(4)))
                _ = try accepted(try await store.unassign(app: bundle, from: "h", now: time(4)))
            }
        ),
    ]
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    _ = try await store.addGroup(named: "h", now: time(0))
    _ = try await store.enrolDevice("e", group: "g", certificate: 2)
    try await store.issue(9, to: "e")
    for (number, (way, loses)) in ways.enumerated() {
        _ = try accepted(try await store.assign(app: bundle, configuration: nil, to: "h", now: time(1)))
        try await store.give("s", in: "h")
        _ = try accepted(try await store.addDevice("d", toGroup: "h", author: "a", now: time(2)))
        try await store.issue(1 + number, to: "d")
        let before = [try await store.told("d", in: ["g", "h"]), try await store.told("d", in: ["g"])]
        let other = try await store.told("e", in: ["g"])
        try await loses(store)
        try await promise("what the device had is revoked, and no other's: \(way)") {
            let revoked = Set(try await store.revokedIdentities(now: time(5)).map(\.serial))
            return revoked == Set((0...number).map { "0\(1 + $0)" })
        }
        _ = try accepted(try await store.addDevice("d", toGroup: "g", author: "a", now: time(6)))
        try await promise("with the old assignment it is another identity all the same: \(way)") {
            try await !before.contains(store.told("d", in: ["g"]))
        }
        try await promise("and to others it is what it was: \(way)") {
            try await store.told("e", in: ["g"]) == other
        }
    }
}

private let bundle = "com.example.app"

private func challenge(_ number: Int, to device: String, version: Int) -> SCEPChallenge {
    SCEPChallenge(
        digest: digest(number), holder: IdentityHolder(secret: "s", version: version, device: device),
        profile: IdentityProfile(subject: [.init("CN", "one")]), created: time(2))
}

extension Store {
    fileprivate func slot(in group: String) -> SecretSlot {
        SecretSlot(group: group, app: bundle, kind: .identity, identifier: "client")
    }

    fileprivate func give(_ secret: String, in group: String) async throws {
        _ = try accepted(try await assignSecret(secret, to: slot(in: group), author: "a", now: time(4)))
    }

    fileprivate func unassign(from group: String) async throws {
        _ = try accepted(try await unassignSecret(from: slot(in: group), author: "a", now: time(4)))
    }

    /// What makes the identity that a device is told of another: the assignment, and how often the device lost it.
    fileprivate func told(_ device: String, in groups: [String]) async throws -> String {
        let order = try await assignmentSnapshot(groups: groups).effective.flatMap(\.secrets).first?.order
        let losses = try await valueSources(of: device, secrets: ["s"])?.losses["s"]
        return "\(order ?? 0).\(losses ?? 0)"
    }

    fileprivate func order(in group: String) async throws -> Int? {
        try await assignmentSnapshot(groups: [group]).effective.flatMap(\.secrets).first?.order
    }

    /// A certificate with this number, by a challenge of the same.
    fileprivate func issue(_ number: Int, to device: String, version: Int = 1) async throws {
        try await addSCEPChallenge(challenge(number, to: device, version: version))
        _ = try accepted(
            try await issueIdentity(
                issuedIdentity(number), challenge: digest(number), transactionID: "t\(number)",
                publicKeyDigest: digest(number), now: time(3)))
    }
}
