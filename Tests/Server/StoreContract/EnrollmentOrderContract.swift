import ACME
import Foundation
import Management

/// Enrollment by ACME: a code is good for one key, whoever orders, and its certificate is written down with the order.
package func storeContractEnrollmentOrders(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.addGroup(named: "g", now: time(0))
    let key = try AccountKey.generate().publicKey()
    _ = try await store.openACMEAccount(ACMEAccount(id: "a", key: key, contacts: [], created: time(0)))
    func code(_ number: Int) async throws {
        let code = EnrollmentCode(
            id: "code-\(number)", group: "g", ownership: .organization, supervised: false,
            allowLegacyCryptography: false, author: "admin", created: time(0), expires: time(10), state: .unused)
        _ = try await store.addEnrollmentCode(code, digest: digest(1_000 + number))
    }
    func order(_ id: String, _ number: Int, _ seconds: TimeInterval = 1) async throws -> ACMEProblem? {
        let draft = ACMEOrderDraft(
            id: id, account: "a", identifier: ACMEIdentifier(.permanentIdentifier, "c"), grant: digest(1_000 + number),
            token: "t", now: time(seconds))
        return try await store.addEnrollmentOrder(draft, attest: false).refusal
    }
    func finalize(_ id: String, _ certificate: Int, key: Int? = nil) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        let issued = store.certificate(certificate)
        return try await store.finalizeEnrollmentOrder(
            id: id, publicKeyDigest: digest(key ?? certificate),
            certificate: { codeID in
                IssuedCertificate(
                    serial: issued.serial, fingerprint: issued.fingerprint, certificateDER: issued.certificateDER,
                    codeID: codeID, publicKeyDigest: digest(key ?? certificate), issued: issued.issued,
                    notAfter: issued.notAfter)
            }, now: time(9))
    }
    try await promise("an unknown code orders nothing") { try await order("o0", 9)?.code == .rejectedIdentifier }
    try await code(1)
    try await promise("nor does one whose time is over") { try await order("o0", 1, 10)?.code == .rejectedIdentifier }
    try await promise("a good one does") { try await order("o1", 1) == nil }
    try await promise("the order is listed among those for enrollments alone") {
        let own = try await store.acmeOrders(account: "a", for: .enrollment, after: "", limit: 9, now: time(1))
        let others = try await store.acmeOrders(account: "a", for: .identity, after: "", limit: 9, now: time(1))
        return own == ["o1"] && others.isEmpty
    }
    try await promise("what is not proven is not certified") { try await finalize("o1", 1).value == nil }
    _ = try accepted(try await store.changeEnrollmentOrder(id: "o1", .answer(.unattested), now: time(2)))
    try await promise("the order's certificate is written down with it") {
        let order = try accepted(try await finalize("o1", 1))
        let certificate = try await store.issuedCertificate(serial: "01")
        return order.certificate == "01" && certificate?.codeID == "code-1"
    }
    // The answer was lost, and the account with it.
    try await promise("the same key gets the same certificate by another order") {
        _ = try await order("o2", 1, 30)
        _ = try await store.changeEnrollmentOrder(id: "o2", .answer(.unattested), now: time(31))
        return try accepted(try await finalize("o2", 2, key: 1)).certificate == "01"
    }
    try await promise("another key gets none") {
        _ = try await order("o3", 1, 30)
        _ = try await store.changeEnrollmentOrder(id: "o3", .answer(.unattested), now: time(31))
        let refused = try await finalize("o3", 3)
        let written = try await store.issuedCertificate(serial: "03")
        return refused.value == nil && written == nil
    }
    try await promise("a code that is revoked ends its orders") {
        try await code(4)
        _ = try await order("o4", 4)
        _ = try await store.revokeEnrollmentCode(id: "code-4")
        let change = try await store.changeEnrollmentOrder(id: "o4", .answer(.unattested), now: time(2))
        let found = try await store.enrollmentCode(ofOrder: "o4")
        return change.refusal?.code == .unauthorized && found == nil
    }
    try await promise("and an order for an identity is none of these") {
        try await store.changeACMEOrder(id: "o1", .answer(.unattested), certificate: nil, now: time(2)).value == nil
    }
}

/// Chips that are asked before anybody knows whose they are.
package func storeContractEnrollmentChips(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("d", certificate: 1)
    func pending(_ code: Int, chip: Int) -> PendingAttestation {
        PendingAttestation(
            device: "enrollment:code-\(code)", endorsementKey: digest(chip), isVouchedFor: true,
            attestationKey: Data([9]), secretDigest: digest(1), expires: time(600))
    }
    func begin(_ code: Int, chip: Int) async throws -> AttestationKeyRefusal? {
        try await store.beginAttestation(pending(code, chip: chip), underCode: digest(1_000 + code), now: time(1))
    }
    func finish(_ code: Int, secret: Int = 1) async throws -> Outcome<PendingAttestation, AttestationKeyRefusal> {
        try await store.finishAttestation(underCode: digest(1_000 + code), secretDigest: digest(secret), now: time(2))
    }
    func authenticate(_ key: String, _ certificate: Int) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: key, fingerprint: digest(certificate), facts: DeviceFacts(), now: time(3)))
    }
    try await promise("a spent code asks no chip") { try await begin(1, chip: 1) == .badCode }
    try await store.issue(2, group: "all")
    try await promise("the wrong secret ends it") {
        let begun = try await begin(2, chip: 1)
        let wrong = try await finish(2, secret: 7).refusal
        let right = try await finish(2).refusal
        return begun == nil && wrong == .wrongSecret && right == .noChallenge
    }
    _ = try await begin(2, chip: 1)
    try await promise("the right one proves it") { try accepted(try await finish(2)) == pending(2, chip: 1) }
    _ = try accepted(try await authenticate("e", 2))
    try await promise("the chip is the device's once that checked in") {
        let other = PendingAttestation(
            device: "d", endorsementKey: digest(1), isVouchedFor: true, attestationKey: Data([9]),
            secretDigest: digest(1), expires: time(600))
        return try await store.beginAttestation(other) == .chipOfAnotherDevice
    }
    try await promise("and another device does not get in by it") {
        try await store.issue(3, group: "all")
        _ = try await begin(3, chip: 1)
        _ = try accepted(try await finish(3))
        guard case .mismatch = try await authenticate("f", 3).refusal else { return false }
        return true
    }
    try await promise("the same device does, enrolled anew") { try await authenticate("e", 3).value != nil }
    let right = EnrollmentCode(renewing: "e", id: "code-4", created: time(0), expires: time(3_600))
    try await store.addRenewalRight(right, digest: digest(1_004))
    try await promise("who renews has the chip it had") {
        let other = try await begin(4, chip: 2)
        let own = try await begin(4, chip: 1)
        return other == .otherChip && own == nil
    }
}
