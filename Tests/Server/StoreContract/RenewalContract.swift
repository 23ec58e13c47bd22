import Foundation
import Management

/// When identities are due, what is done then, and what is left of them.
package func storeContractRenewals(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try await store.enrolDevice("D2", certificate: 2)
    let due = time(86_400 * 2 / 3)
    try await promise("nothing is due before") { try await store.dueRenewals(now: time(86_400 / 2), limit: 9).isEmpty }
    let found = try await store.dueRenewals(now: due, limit: 9)
    let first = try await store.dueRenewals(now: due, limit: 1)
    try await promise("every device is due in its time, and not all at once if that is asked") {
        Set(found) == ["D1", "D2"] && first.count == 1
    }
    func step(_ device: String, _ uuid: String, _ now: Date) async throws -> IdentityRenewal.Step {
        try await store.stepRenewal(of: device, command: command(uuid), grace: 10, now: now)
    }
    let steps = try await withThrowingTaskGroup(of: IdentityRenewal.Step.self) { group in
        for number in 0..<8 { group.addTask { try await step("D1", "renew-\(number)", due) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
    try await promise("of many who order at once one does") { steps.count { $0 != .wait } == 1 }
    try await promise("the command is queued") { try await store.deviceContext(key: "D1")?.hasOpenCommands == true }
    try await promise("the next look is later") { try await store.dueRenewals(now: due, limit: 9) == ["D2"] }
    try await promise("one that was not fetched is not queued again") {
        let step = try await step("D1", "again", time(86_400))
        let queued = try await store.command("again", of: "D1")
        return step == .wake(again: time(86_402)) && queued == nil
    }
    try await promise("after the grace it is given up, once") {
        let given = try await step("D2", "late", time(86_411))
        let again = try await step("D2", "late", time(86_412))
        let device = try await store.device("D2")
        return given == .lapse && again == .wait && device?.state == .enrolled && device?.renewal == nil
    }
    try await promise("a device that is not there is due for nothing") { try await step("D9", "x", due) == .wait }
    // It was red while the answer to the command was enough for another one, whose right ended the one before.
    _ = try await store.enrolDevice("D3", certificate: 3)
    func late(_ uuid: String, _ seconds: TimeInterval) async throws -> IdentityRenewal.Step {
        try await store.stepRenewal(of: "D3", command: command(uuid), grace: 1_000, now: time(seconds))
    }
    try await promise("a certificate that was fetched is not made worthless before its first use") {
        let ordered = try await late("first", 86_401)
        let right = EnrollmentCode(renewing: "D3", id: "first", created: time(86_401), expires: time(90_000))
        try await store.addRenewalRight(right, digest: digest(1_004))
        _ = try await store.redeem(
            digest: digest(1_004), transactionID: "t", publicKeyDigest: digest(3), now: time(86_402))
        _ = try await store.exchangeRenewal(
            result: result("first", .acknowledged), device: "D3", now: time(86_402))
        let soon = try await late("second", 86_404)
        return ordered == .order(again: time(86_403)) && soon == .wake(again: time(86_406))
    }
    try await promise("and another is ordered when it was not used") {
        guard case .order = try await late("third", 86_462) else { return false }
        return true
    }
}

/// Rights to renew, and the two identities between the first use of the new one and the last of the old.
package func storeContractSuccession(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try accepted(try await store.enqueue(command("kept"), for: "D1"))
    func right(_ number: Int, of device: String = "D1") async throws {
        let right = EnrollmentCode(renewing: device, id: "code-\(number)", created: time(0), expires: time(3_600))
        try await store.addRenewalRight(right, digest: digest(1_000 + number))
    }
    func redeem(_ number: Int) async throws -> CodeRefusal? {
        try await store.redeem(
            digest: digest(1_000 + number), transactionID: "t", publicKeyDigest: digest(number), now: time(1)
        ).refusal
    }
    try await right(2)
    try await right(3)
    try await promise("only the newest right is good") {
        let older = try await redeem(2)
        let newest = try await redeem(3)
        return older == .revoked && newest == nil
    }
    try await promise("rights are not among the codes that administrators made") {
        try await store.enrollmentCodes(PageRequest()).items.map(\.id) == ["code-1"]
    }
    try await promise("the certificate is written down") { try await store.recordIssued(store.certificate(3)) == nil }
    try await promise("it names the enrollment that it renews before its first use") {
        try await store.deviceKey(fingerprint: digest(3)) == "D1"
    }
    func authenticate(_ key: String, _ certificate: Int) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: key, fingerprint: digest(certificate), facts: DeviceFacts(), now: time(2)))
    }
    try await promise("a new device does not get in by it") {
        guard case .mismatch = try await authenticate("D9", 3).refusal else { return false }
        return true
    }
    let both = try accepted(try await authenticate("D1", 3))
    try await promise("both identities serve, and what was meant for the device still is") {
        both.fingerprint == digest(3) && both.previousFingerprint == digest(1) && both.hasOpenCommands
            && both.groups == ["all"] && both.state == .enrolled && both.pushMagic == "magic"
    }
    try await promise("the old one does not take it back") {
        guard case .mismatch = try await authenticate("D1", 1).refusal else { return false }
        return true
    }
    try await store.retireIdentity(of: "D1", now: time(3))
    try await store.retireIdentity(of: "D1", now: time(4))
    let one = try await store.deviceContext(key: "D1")
    try await promise("then the new one alone") { one?.fingerprint == digest(3) && one?.previousFingerprint == nil }
    try await promise("which is in the log once") {
        try await store.auditEntries(AuditFilter(action: .renewDevice), PageRequest()).items.count == 1
    }
    try await promise("the certificate that is pinned is kept beyond its end, the one before is not") {
        try await store.prune(Retention(), now: time(86_401))
        let old = try await store.issuedCertificate(fingerprint: digest(1))
        let new = try await store.issuedCertificate(fingerprint: digest(3))
        return old == nil && new != nil
    }
    try await right(4)
    try await promise("a withdrawal ends every right") {
        _ = try await store.withdraw("D1", now: time(5))
        let refused = try await redeem(4)
        let due = try await store.dueRenewals(now: time(1_000_000), limit: 9)
        return refused == .revoked && due.isEmpty
    }
}

/// An order to renew whose answer is lost after the device followed it; it was sent again, without a profile.
package func storeContractFollowedRenewal(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    let order = QueuedCommand(
        uuid: "renew", requestType: "InstallProfile", document: Data("<dict/>".utf8), state: .queued, deferred: false,
        author: "martlet-server", created: time(0), sent: nil, finished: nil, result: nil, resultTooLarge: false)
    _ = try await store.stepRenewal(of: "D1", command: order, grace: 10, now: time(60_001))
    func idle(_ now: TimeInterval) async throws -> QueueStep {
        try await store.exchange(.idle, result: nil, device: "D1", now: time(now))
    }
    try await promise("it is sent, and again as long as it is not followed") {
        let (first, second) = (try await idle(60_002), try await idle(60_003))
        return first.next?.uuid == "renew" && first.renews && second.next?.uuid == "renew" && second.renews
    }
    let right = EnrollmentCode(renewing: "D1", id: "code-2", created: time(60_003), expires: time(90_000))
    try await store.addRenewalRight(right, digest: digest(1_002))
    _ = try await store.redeem(
        digest: digest(1_002), transactionID: "t", publicKeyDigest: digest(2), now: time(60_004))
    _ = try await store.recordIssued(store.certificate(2))
    _ = try accepted(
        try await store.authenticate(
            EnrollmentDraft(key: "D1", fingerprint: digest(2), facts: DeviceFacts(), now: time(60_005))))
    _ = try accepted(try await store.enqueue(command("other"), for: "D1"))
    try await promise("then the next command is sent, and the order is acknowledged") {
        let step = try await idle(60_006)
        let order = try await store.command("renew", of: "D1")
        return step.next?.uuid == "other" && order?.state == .acknowledged
    }
    try await promise("an answer that comes late is known") {
        try await store.exchange(
            .finished, result: result("renew", .acknowledged), device: "D1", now: time(60_007)
        ).knownResult
    }
}

/// What a device may say and hear whose identity has ended.
package func storeContractLateRenewal(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("D1", certificate: 1)
    _ = try accepted(try await store.enqueue(command("other"), for: "D1"))
    func exchange(_ result: CommandResult?) async throws -> QueueStep {
        try await store.exchangeRenewal(result: result, device: "D1", now: time(86_401))
    }
    try await promise("nothing is offered before the renewal is ordered") { try await exchange(nil).next == nil }
    _ = try await store.stepRenewal(of: "D1", command: command("renew"), grace: 10, now: time(86_401))
    let offered = try await exchange(nil)
    try await promise("the renewal alone is offered") { offered.next?.uuid == "renew" && offered.renews }
    try await promise("a result of another command is not taken") {
        _ = try await exchange(result("other", .acknowledged))
        return try await store.command("other", of: "D1")?.state == .queued
    }
    try await promise("not now is an answer") { try await exchange(result("renew", .notNow)).next == nil }
    try await promise("and so is done") {
        let step = try await exchange(result("renew", .acknowledged))
        return step.next == nil && step.knownResult
    }
    try await promise("in the queue it is known as what it is") {
        _ = try await store.stepRenewal(of: "D1", command: command("more"), grace: 100, now: time(86_403))
        _ = try await store.removeCommand("other", of: "D1")
        let step = try await store.exchange(.idle, result: nil, device: "D1", now: time(86_403))
        // The contract's command is a ProfileList: only an InstallProfile renews.
        return step.next?.uuid == "more" && !step.renews
    }
}
