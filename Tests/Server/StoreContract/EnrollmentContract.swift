import Foundation
import Management

/// A code lets in one request, and the same one again; whoever else has it is refused with the reason.
package func storeContractCodes(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    let code = EnrollmentCode(
        id: "c", group: "g", ownership: .personal, supervised: false, allowLegacyCryptography: true, author: "admin",
        created: time(0), expires: time(10), state: .unused)
    _ = try await store.addEnrollmentCode(code, digest: digest(1))
    func redeem(_ transaction: String, _ key: Int, _ seconds: TimeInterval) async throws -> CodeRefusal? {
        try await store.redeem(
            digest: digest(1), transactionID: transaction, publicKeyDigest: digest(key), now: time(seconds)
        ).refusal
    }
    try await promise("an unknown code is refused") {
        try await store.redeem(digest: digest(9), transactionID: "t", publicKeyDigest: digest(5), now: time(0)).refusal
            == .unknown
    }
    try await promise("an expired one is refused") { try await redeem("t", 5, 10) == .expired }
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for key in 5..<13 {
            group.addTask {
                try await store.redeem(
                    digest: digest(1), transactionID: "t\(key)", publicKeyDigest: digest(key), now: time(9)
                ).value != nil
            }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    try await promise("of many at once one is let in") { wins == 1 }
}

/// A lost answer costs nothing, a second key does not get in, and Authenticate ends it.
package func storeContractRedemption(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    try await store.issue(1, group: "g")
    let again = try accepted(
        try await store.redeem(
            digest: digest(1_001), transactionID: "t", publicKeyDigest: digest(1), now: time(5)))
    try await promise("the same request gets the same certificate") { again.issued == store.certificate(1) }
    try await promise("another key is refused") {
        try await store.redeem(digest: digest(1_001), transactionID: "t", publicKeyDigest: digest(2), now: time(5))
            .refusal == .wrongKey
    }
    try await promise("another transaction of the same key gets the same certificate") {
        try await store.redeem(digest: digest(1_001), transactionID: "u", publicKeyDigest: digest(1), now: time(5))
            .value?.issued == store.certificate(1)
    }
    let draft = EnrollmentDraft(key: "D1", fingerprint: digest(1), facts: DeviceFacts(), now: time(6))
    _ = try accepted(try await store.authenticate(draft))
    try await promise("after Authenticate nothing is let in") {
        try await store.redeem(digest: digest(1_001), transactionID: "t", publicKeyDigest: digest(1), now: time(7))
            .refusal == .used
    }
    try await promise("nor written down") { try await store.recordIssued(store.certificate(1)) == .used }
    try await promise("the certificate names its enrollment") {
        try await store.deviceKey(fingerprint: digest(1)) == "D1"
    }
}

/// What a code allows, its enrollment may through all renewals, and no other.
package func storeContractLegacyEnrollments(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    try await store.enrol("D1", allowsLegacy: true, certificate: 1)
    try await store.enrol("D2", allowsLegacy: false, certificate: 2)
    for (number, key) in [(3, "D1"), (4, "D2")] {
        let right = EnrollmentCode(renewing: key, id: "code-\(number)", created: time(0), expires: time(3_600))
        try await store.addRenewalRight(right, digest: digest(1_000 + number))
        _ = try accepted(
            try await store.redeem(
                digest: digest(1_000 + number), transactionID: "t", publicKeyDigest: digest(number), now: time(1)))
        _ = try await store.recordIssued(store.certificate(number))
    }
    for (number, allows) in [(1, true), (2, false), (3, true), (4, false), (9, false)] {
        try await promise("the certificate \(number) allows what its enrollment's code did") {
            try await store.allowsLegacyCryptography(fingerprint: digest(number)) == allows
        }
    }
    for (number, allows) in [(3, true), (4, false)] {
        try await promise("so does the right \(number) to renew it") {
            try await store.enrollmentCode(digest: digest(1_000 + number))?.allowLegacyCryptography == allows
        }
    }
}

extension Store {
    fileprivate func enrol(_ key: String, allowsLegacy: Bool, certificate: Int) async throws {
        let code = EnrollmentCode(
            id: "code-\(certificate)", group: "g", ownership: .organization, supervised: true,
            allowLegacyCryptography: allowsLegacy, author: "admin", created: time(0), expires: time(3_600),
            state: .unused)
        _ = try await addEnrollmentCode(code, digest: digest(1_000 + certificate))
        _ = try accepted(
            try await redeem(
                digest: digest(1_000 + certificate), transactionID: "t", publicKeyDigest: digest(certificate),
                now: time(0)))
        _ = try await recordIssued(self.certificate(certificate))
        _ = try accepted(
            try await authenticate(
                EnrollmentDraft(
                    key: key, fingerprint: digest(certificate), facts: DeviceFacts(deviceName: "d"), now: time(1))))
    }
}

/// Who may authenticate, and what a new life of a device forgets.
package func storeContractEnrollment(_ make: MakeStore) async throws {
    let store = try await make()
    func authenticate(_ key: String, _ certificate: Int) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: key, fingerprint: digest(certificate), facts: DeviceFacts(), now: time(2)))
    }
    let first = try await store.enrolDevice("D1", certificate: 1)
    try await promise("it is enrolled in the code's group") { first.state == .enrolled && first.groups == ["all"] }
    try await promise("an unknown certificate is not a reason to unenrol") {
        guard case .unknownDevice = try await authenticate("D2", 77).refusal else { return false }
        return true
    }
    try await promise("a certificate of another enrollment is a mismatch") {
        guard case .mismatch = try await authenticate("D2", 1).refusal else { return false }
        return true
    }
    _ = try accepted(try await store.enqueue(command("kept"), for: "D1"))
    let repeated = try accepted(try await authenticate("D1", 1))
    try await promise("the same certificate again begins a new epoch, keeps the commands and leaves it enrolled (A7)") {
        repeated.epoch == first.epoch + 1 && repeated.hasOpenCommands && repeated.state == .enrolled
    }
    _ = try await store.addGroup(named: "new", now: time(0))
    try await store.issue(2, group: "new", ownership: .personal, replaces: "D1")
    let renewed = try accepted(try await authenticate("D1", 2))
    try await promise("a new code that replaces it begins a new life") {
        renewed.fingerprint == digest(2) && renewed.groups == ["new"] && !renewed.hasOpenCommands
            && renewed.told.token == nil
    }
    try await promise("the old commands are dropped, not lost") {
        try await store.command("kept", of: "D1")?.state == .dropped
    }
    try await promise("the code's ownership counts") { try await store.device("D1")?.ownership == .personal }
    try await promise("the old certificate does not take it back") {
        guard case .mismatch = try await authenticate("D1", 1).refusal else { return false }
        return true
    }
    try await promise("a withdrawn one stays out") {
        let refusal = try await store.withdraw("D1", now: time(3))
        let outcome = try await authenticate("D1", 2)
        return refusal == nil && outcome.refusal == .withdrawn
    }
    try await promise("and loses its groups and what wakes it") {
        let context = try await store.deviceContext(key: "D1")
        return context?.state == .withdrawn && context?.groups == [] && context?.pushMagic == nil
    }
    try await store.issue(3, group: "new")
    try await promise("until a new code lets it in") { try await authenticate("D1", 3).value?.state == .pending }
    try await store.issue(4, group: "new")
    let person = EnrollmentDraft(key: "E1", kind: .user, fingerprint: digest(4), facts: DeviceFacts(), now: time(9))
    _ = try accepted(try await store.authenticate(person))
    try await promise("a person's part of a device is recorded as that") {
        let device = try await store.device("E1")
        return device?.kind == .user && device?.supervised == true
    }
}

/// Membership, token updates, users of a device, check-out.
package func storeContractDevices(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    _ = try await store.addGroup(named: "more", now: time(0))
    try await promise("a device may be in several groups") {
        let refusal = try await store.addDevice("D1", toGroup: "more", now: time(1))
        let context = try await store.deviceContext(key: "D1")
        return refusal == nil && context?.groups == ["all", "more"]
    }
    let listed = try await store.devices(DeviceFilter(group: "more"), PageRequest())
    try await promise("a group's devices are listed") { listed.items.map(\.id) == ["D1"] && listed.next == nil }
    let page = try await store.devices(DeviceFilter(), PageRequest(limit: 1))
    try await promise("all are listed in pages") { page.items.map(\.id) == ["D1"] && page.next == "D1" }
    try await promise("a device is found by its ID, or else by its name, which several may have") {
        func found(_ name: String) async throws -> [String] {
            try await store.devices(DeviceFilter(named: name), PageRequest()).items.map(\.id)
        }
        let (byID, byName, none) = (try await found("D2"), try await found("tester"), try await found("Tester"))
        return byID == ["D2"] && byName == ["D1", "D2"] && none.isEmpty
    }
    try await promise("an unknown group is refused") {
        try await store.addDevice("D1", toGroup: "none", now: time(1)) == .unknownGroup
    }
    try await promise("an unknown device is refused") {
        try await store.addDevice("D9", toGroup: "more", now: time(1)) == .unknownDevice
    }
    try await promise("it leaves a group") {
        let refusal = try await store.removeDevice("D1", fromGroup: "more", now: time(2))
        let context = try await store.deviceContext(key: "D1")
        return refusal == nil && context?.groups == ["all"]
    }
    let push = PushDetails(token: Data([2]), pushMagic: "magic2", unlockToken: nil, awaitingConfiguration: false)
    let user = try accepted(try await store.updateToken(key: "D1:U", userOf: "D1", push: push, now: time(3)))
    try await promise("a user's enrollment shares the certificate, not the groups") {
        user.kind == .user && user.fingerprint == digest(1) && user.groups.isEmpty && user.pushMagic == "magic2"
    }
    try await promise("a device has only so many users") {
        for number in 0..<255 {
            _ = try accepted(
                try await store.updateToken(key: "D1:\(number)", userOf: "D1", push: push, now: time(3)))
        }
        let again = try await store.updateToken(key: "D1:U", userOf: "D1", push: push, now: time(4))
        let beyond = try await store.updateToken(key: "D1:beyond", userOf: "D1", push: push, now: time(4))
        return again.value != nil && beyond.value == nil
    }
    try await store.recordSeen(["D1": time(50)])
    try await promise("when it was seen is kept") { try await store.device("D1")?.lastSeen == time(50) }
    try await store.checkOut(key: "D1", now: time(60))
    try await promise("check-out ends it, and its users") {
        let device = try await store.deviceContext(key: "D1")
        let user = try await store.deviceContext(key: "D1:U")
        return device?.state == .checkedOut && user?.state == .checkedOut
    }
    try await promise("devices and users are counted, those too that have gone") {
        try await store.counts().enrollments == 2 + 256
    }
    try await promise("a TokenUpdate does not bring it back") {
        try await store.updateToken(key: "D1", userOf: nil, push: push, now: time(61)).value == nil
    }
}
