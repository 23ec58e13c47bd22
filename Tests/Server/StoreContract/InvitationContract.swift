import Foundation
import Management

/// One invitation for each person, one account for each invitation, and one device for each.
package func storeContractInvitations(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    _ = try await store.putPeople(
        [Person(userName: "anna"), Person(userName: "ben")], dryRun: false, author: "a", now: time(0))
    func invite(_ person: String, _ account: String, group: String = "g", hash: String = "h") async throws
        -> AdminRefusal?
    { try await store.putInvitation(invitation(person, account, group: group, hash: hash)) }
    try await promise("nobody unknown is invited") { try await invite("carl", "c@d.e") == .unknownPerson }
    try await promise("nor to an unknown group") { try await invite("anna", "a@d.e", group: "x") == .unknownGroup }
    try await promise("a person is invited") { try await invite("anna", "a@d.e") == nil }
    try await promise("an account is one person's") { try await invite("ben", "a@d.e") == .nameTaken }
    try await promise("it is found by its account, and by its person") {
        let found = [try await store.invitation(account: "a@d.e"), try await store.invitation(of: "anna")]
        let others = [try await store.invitation(account: "b@d.e"), try await store.invitation(of: "ben")]
        return found == [invitation("anna", "a@d.e"), invitation("anna", "a@d.e")] && others == [nil, nil]
    }
    let right = accountRight("r1", "anna", "a@d.e")
    try await promise("who signs in has a right") {
        try await store.addAccountRight(right, digest: digest(1), of: invitation("anna", "a@d.e"))
    }
    try await promise("which is no code that an administrator handed over") {
        let codes = try await store.enrollmentCodes(PageRequest()).items
        let kept = try await store.enrollmentCode(digest: digest(1))
        return codes.isEmpty && kept == right
    }
    try await promise("a second sign-in ends the first one's right") {
        let second = accountRight("r2", "anna", "a@d.e")
        let added = try await store.addAccountRight(second, digest: digest(2), of: invitation("anna", "a@d.e"))
        let first = try await store.enrollmentCode(digest: digest(1))
        return added && first == nil
    }
    _ = try await invite("anna", "a@d.e", hash: "h2")
    try await promise("another invitation ends the rights of the one before") {
        let kept = try await store.enrollmentCode(digest: digest(2))
        let late = accountRight("r3", "anna", "a@d.e")
        let added = try await store.addAccountRight(late, digest: digest(3), of: invitation("anna", "a@d.e"))
        return kept == nil && !added
    }
    let present = invitation("anna", "a@d.e", hash: "h2")
    _ = try await store.addAccountRight(accountRight("r4", "anna", "a@d.e"), digest: digest(4), of: present)
    _ = try accepted(
        try await store.redeem(digest: digest(4), transactionID: "t", publicKeyDigest: digest(9), now: time(2)))
    try await promise("its first use ends the invitation") {
        let added = try await store.addAccountRight(accountRight("r5", "anna", "a@d.e"), digest: digest(5), of: present)
        let left = try await store.invitation(account: "a@d.e")
        return !added && left == nil
    }
    try await promise("and the same request again is served") {
        try await store.redeem(digest: digest(4), transactionID: "t", publicKeyDigest: digest(9), now: time(3)).value
            != nil
    }
    _ = try await invite("ben", "b@d.e")
    try await promise("an invitation is taken back once") {
        let first = try await store.removeInvitation(of: "ben", author: "a", now: time(4))
        let second = try await store.removeInvitation(of: "ben", author: "a", now: time(4))
        return first == nil && second == .unknownInvitation
    }
    _ = try await invite("ben", "b@d.e")
    try await promise("with the person it goes") {
        _ = try await store.removePerson("ben", expected: .any, author: "a", now: time(5))
        return try await store.invitations(PageRequest()).items.isEmpty
    }
}

/// What a person's right lets in: a part of a device, the person's from the beginning; never a device.
package func storeContractAccountEnrollment(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    _ = try await store.putPeople([Person(userName: "anna")], dryRun: false, author: "a", now: time(0))
    let invited = invitation("anna", "a@d.e")
    _ = try await store.putInvitation(invited)
    _ = try await store.addAccountRight(accountRight("code-1", "anna", "a@d.e"), digest: digest(11), of: invited)
    _ = try accepted(
        try await store.redeem(digest: digest(11), transactionID: "t", publicKeyDigest: digest(1), now: time(1)))
    _ = try await store.recordIssued(store.certificate(1))
    func authenticate(_ kind: EnrollmentKind) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: "E1", kind: kind, fingerprint: digest(1), facts: DeviceFacts(), now: time(2)))
    }
    try await promise("a device does not get in by a person's right") {
        guard case .mismatch = try await authenticate(.device).refusal else { return false }
        return true
    }
    _ = try accepted(try await authenticate(.user))
    try await promise("a part of one does, and is the person's") {
        let device = try await store.device("E1")
        return device?.kind == .user && device?.person == "anna" && device?.ownership == .personal
            && device?.arrival == Arrival(kind: .account, account: "a@d.e")
    }
    try await promise("another person's sign-in does not count for it") {
        let ben = invitation("ben", "b@d.e")
        _ = try await store.putPeople([Person(userName: "ben")], dryRun: false, author: "a", now: time(0))
        _ = try await store.putInvitation(ben)
        _ = try await store.addAccountRight(accountRight("code-2", "ben", "b@d.e"), digest: digest(12), of: ben)
        return try await !store.renewAccess(of: "E1", digest: digest(12), now: time(2))
    }
    _ = try await store.putInvitation(invited)
    _ = try await store.addAccountRight(accountRight("code-3", "anna", "a@d.e"), digest: digest(13), of: invited)
    try await promise("the person's own does once, and ends the invitation") {
        _ = try await store.endAccess(of: "E1", author: "a", now: time(2))
        let ended = try await store.device("E1")?.access?.isEnded
        let first = try await store.renewAccess(of: "E1", digest: digest(13), now: time(3))
        let second = try await store.renewAccess(of: "E1", digest: digest(13), now: time(3))
        let access = try await store.device("E1")?.access
        let left = try await store.invitation(account: "a@d.e")
        return ended == true && first && !second && left == nil
            && access == AccountAccess(digest: digest(13), since: time(3))
    }
    try await promise("the end of it frees the person") {
        try await store.checkOut(key: "E1", now: time(3))
        return try await store.removePerson("anna", expected: .any, author: "a", now: time(4)) == nil
    }
}

/// An expected device comes once, under the serial number by which it is expected, and with its chip if it has one.
package func storeContractExpectedDevices(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    try await promise("all or none are expected") {
        let refusal = try await store.putExpectedDevices([expected("S1"), expected("S2", group: "x")])
        let listed = try await store.expectedDevices(PageRequest()).items
        return refusal == .unknownGroup && listed.isEmpty
    }
    _ = try await store.putExpectedDevices([expected("S1"), expected("S2", chip: digest(7))])
    try await promise("nobody else has a right") {
        try await !store.addExpectedRight(expectedRight("x", "S9"), digest: digest(1))
    }
    for number in 0..<(ExpectedDevice.openRights + 3) {
        try await promise("who asks has a right") {
            try await store.addExpectedRight(expectedRight("code-\(number)", "S1"), digest: digest(100 + number))
        }
    }
    try await promise("of many rights the newest are open") {
        let oldest = try await store.enrollmentCode(digest: digest(102))
        let kept = try await store.enrollmentCode(digest: digest(103))
        return oldest == nil && kept?.state == .unused
    }
    _ = try accepted(
        try await store.redeem(digest: digest(110), transactionID: "t", publicKeyDigest: digest(10), now: time(1)))
    try await promise("the first to be used ends the others") {
        let other = try await store.enrollmentCode(digest: digest(111))
        let device = try await store.expectedDevice(serialNumber: "S1")
        let more = try await store.addExpectedRight(expectedRight("late", "S1"), digest: digest(2))
        return other == nil && device?.used == time(1) && !more
    }
    _ = try await store.recordIssued(store.certificate(10))
    func authenticate(_ serial: String) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(
                key: "D1", fingerprint: digest(10), facts: DeviceFacts(serialNumber: serial), now: time(2)))
    }
    try await promise("another serial number is a mismatch") {
        guard case .mismatch = try await authenticate("S3").refusal else { return false }
        return true
    }
    _ = try accepted(try await authenticate("S1"))
    try await promise("it is in its group, supervised") {
        let device = try await store.device("D1")
        return device?.supervised == true && device?.groups == ["g"] && device?.arrival.kind == .expected
    }
    try await promise("an import expects all or none") {
        let refusal = try await store.importExpectedDevices(
            ExpectedDevicesImport([expected("S4"), expected("S5", group: "x")])
        ).refusal
        let kept = try await store.expectedDevice(serialNumber: "S4")
        return refusal == .unknownGroup && kept == nil
    }
    try await promise("and leaves alone whom it changes nothing of, and who came") {
        let change = try await store.importExpectedDevices(
            ExpectedDevicesImport([
                expected("S1"), expected("S2", chip: digest(7)), expected("S4"), expected("S6", awaits: true),
            ])
        ).value
        let again = try await store.importExpectedDevices(
            ExpectedDevicesImport([expected("S6")], awaitsConfiguration: false, replaces: true)
        ).value
        return change == ExpectedDevicesChange(added: 2, unchanged: 1, came: 1)
            && again == ExpectedDevicesChange(changed: 1)
    }
    try await promise("who came is not let in again by it") {
        try await !store.addExpectedRight(expectedRight("again", "S1"), digest: digest(4))
    }
    _ = try await store.addExpectedRight(expectedRight("chip", "S2", chip: digest(7)), digest: digest(3))
    try await promise("without its chip a device that is known by it is not let in") {
        try await store.redeem(digest: digest(3), transactionID: "t", publicKeyDigest: digest(9), now: time(3)).refusal
            == .wrongKey
    }
    try await store.prove(digest(8), underCode: 3, at: time(3))
    try await promise("nor with another one") {
        try await store.redeem(digest: digest(3), transactionID: "t", publicKeyDigest: digest(9), now: time(3)).refusal
            == .wrongKey
    }
    try await store.prove(digest(7), underCode: 3, at: time(4))
    try await promise("with it, it is") {
        try await store.redeem(digest: digest(3), transactionID: "t", publicKeyDigest: digest(9), now: time(5)).value
            != nil
    }
    try await promise("it is forgotten once") {
        let first = try await store.removeExpectedDevice(serialNumber: "S2", author: "a", now: time(6))
        let second = try await store.removeExpectedDevice(serialNumber: "S2", author: "a", now: time(6))
        return first == nil && second == .unknownExpectedDevice
    }
    let rule = try GroupRule(parsing: "kind = device")
    try await promise("where one is still expected no rule is set") {
        try await store.setGroupRule(rule, of: "g", expected: .any, author: "a", now: time(4_000)).refusal
            == .inUse("expected devices")
    }
    for serial in ["S4", "S6"] {
        _ = try await store.removeExpectedDevice(serialNumber: serial, author: "a", now: time(4_000))
    }
    try await promise("who came stands in its way no more") {
        try await store.setGroupRule(rule, of: "g", expected: .any, author: "a", now: time(4_000)).value?.rule == rule
    }
    try await promise("and a table is refused for others alone") {
        let again = try await store.importExpectedDevices(ExpectedDevicesImport([expected("S1")])).value
        let other = try await store.importExpectedDevices(
            ExpectedDevicesImport([expected("S1"), expected("S7")])
        ).refusal
        return again == ExpectedDevicesChange(came: 1) && other == .groupHasRule
    }
}

extension Store {
    /// Has a chip prove itself under a code.
    fileprivate func prove(_ chip: Data, underCode code: Int, at moment: Date) async throws {
        let pending = PendingAttestation(
            device: "d", endorsementKey: chip, isVouchedFor: false, attestationKey: Data([1]),
            secretDigest: digest(20), expires: moment + 60)
        // A chip is proven once; another answer begins again.
        _ = try await beginAttestation(pending, underCode: digest(code), now: moment)
        _ = try await finishAttestation(underCode: digest(code), secretDigest: digest(20), now: moment)
    }
}

private func invitation(
    _ person: String, _ account: String, group: String = "g", hash: String = "h"
) -> Invitation {
    Invitation(
        account: account, person: person, group: group, passwordHash: hash, author: "a", created: time(0),
        expires: time(100))
}

private func accountRight(_ id: String, _ person: String, _ account: String) -> EnrollmentCode {
    EnrollmentCode(
        id: id, group: "g", ownership: .personal, supervised: false, allowLegacyCryptography: false, author: "a",
        created: time(1), expires: time(50), state: .unused, holder: .person(person, account: account))
}

private func expected(
    _ serial: String, group: String = "g", chip: Data? = nil, awaits: Bool = false
) -> ExpectedDevice {
    ExpectedDevice(
        serialNumber: serial, group: group, chip: chip, awaitsConfiguration: awaits, author: "a", created: time(0))
}

private func expectedRight(_ id: String, _ serial: String, chip: Data? = nil) -> EnrollmentCode {
    EnrollmentCode(
        id: id, group: "g", ownership: .organization, supervised: true, allowLegacyCryptography: false, author: "a",
        created: time(0), expires: time(50), state: .unused, holder: .device(serialNumber: serial, chip: chip))
}
