import ACME
import Foundation
import Management

/// One account for each key, one account for each right, and changes as the rules say, whoever comes at once.
package func storeContractACME(_ make: MakeStore) async throws {
    let store = try await make()
    let key = try AccountKey.generate().publicKey()
    func account(_ id: String, _ key: JSONWebKey) -> ACMEAccount {
        ACMEAccount(id: id, key: key, contacts: ["mailto:a@example.com"], created: time(0))
    }
    let opened = try await store.openACMEAccount(account("a", key))
    try await promise("a new account is new") { opened.isNew && opened.account == account("a", key) }
    let again = try await store.openACMEAccount(account("b", key))
    try await promise("a key has one account") { !again.isNew && again.account.id == "a" }
    _ = try await store.openACMEAccount(account("c", try AccountKey.generate().publicKey()))
    try await promise("a key of another account is refused") {
        try await store.changeACMEAccount(id: "c", .key(key)).refusal == .keyIsTaken
    }
    try await promise("and so is its own") {
        try await store.changeACMEAccount(id: "a", .key(key)).refusal == .keyIsTaken
    }

    try await storeContractOrders(store)
    try await storeContractForgetting(store)
}

/// Orders, for a device to which the secret is assigned.
private func storeContractOrders(_ store: any Store) async throws {
    try await store.identityIsAssigned("s", to: "d")
    let terms = ACMEGrant.Terms(attest: false, profile: Data([1]))
    func grant(_ number: Int, version: Int = 1) -> ACMEGrant {
        ACMEGrant(
            digest: digest(number), secret: "s", version: version, device: "d", terms: terms,
            created: time(TimeInterval(number)))
    }
    func draft(_ id: String, _ account: String, _ number: Int, at seconds: TimeInterval = 0) -> ACMEOrderDraft {
        ACMEOrderDraft(
            id: id, account: account, identifier: ACMEIdentifier(.permanentIdentifier, "i\(number)"),
            grant: digest(number), token: "t", now: time(seconds))
    }
    try await store.addACMEGrant(grant(1))
    try await promise("without a right there is no order") {
        try await store.addACMEOrder(draft("o0", "a", 9)).refusal == .unknownIdentifier
    }
    let order = try accepted(try await store.addACMEOrder(draft("o1", "a", 1)))
    try await promise("an order is kept as it was made") { try await store.acmeOrder(id: "o1") == order }
    func listed(
        _ account: String, for purpose: ACMEOrder.Purpose = .identity, after cursor: String = "", limit: Int = 9,
        at seconds: TimeInterval = 0
    ) async throws -> [String] {
        try await store.acmeOrders(
            account: account, for: purpose, after: cursor, limit: limit, now: time(seconds))
    }
    try await promise("it is listed for its account") { try await listed("a") == ["o1"] }
    try await promise("and for no other") { try await listed("c").isEmpty }
    try await promise("nor for another purpose") { try await listed("a", for: .enrollment).isEmpty }
    try await promise("a list goes on after an order") { try await listed("a", after: "o1").isEmpty }
    try await promise("and is as long as it is asked to be") { try await listed("a", limit: 0).isEmpty }
    try await promise("what was not finished in time is not listed") {
        try await listed("a", at: ACMEOrder.lifetime).isEmpty
    }
    try await promise("it is known whose right it was placed by") {
        try await store.device(ofACMEOrder: "o1")?.id == "d"
    }
    try await promise("the right is the first account's") {
        try await store.addACMEOrder(draft("o2", "c", 1)).refusal == .unknownIdentifier
    }
    let ready = try accepted(
        try await store.changeACMEOrder(
            id: "o1", .answer(.attested(publicKeyInfo: Data([1]))), certificate: nil, now: time(1)))
    try await promise("a change is kept") { try await store.acmeOrder(id: "o1") == ready }
    try await promise("an account has so many orders under way, and it is said when the first of them ends") {
        let more = (1..<ACMEOrderDraft.open).map { "p\($0)" }
        for id in more { _ = try accepted(try await store.addACMEOrder(draft(id, "a", 1, at: 10))) }
        let refusal = try await store.addACMEOrder(draft("p", "a", 1, at: 100)).refusal
        for id in more {
            _ = try accepted(
                try await store.changeACMEOrder(id: id, .deactivation, certificate: nil, now: time(100)))
        }
        return refusal?.code == .rateLimited && refusal?.retryAfter == Int(ACMEOrder.lifetime) - 100
    }
    try await storeContractIssuing(store)
    try await promise("an order with a certificate stays listed") {
        try await listed("a", at: ACMEOrder.lifetime) == ["o1"]
    }

    for number in 2...ACMEGrant.live { try await store.addACMEGrant(grant(number)) }
    _ = try accepted(try await store.addACMEOrder(draft("o3", "a", 1)))
    try await store.addACMEGrant(grant(ACMEGrant.live + 1))
    try await promise("of the rights to one version the newest stay") {
        try await store.addACMEOrder(draft("o4", "a", 1)).refusal == .unknownIdentifier
    }
    _ = try accepted(try await store.addACMEOrder(draft("o5", "a", 2)))
    _ = try await store.putSecret(secretDraft("s", 2, kind: .acme), expected: .any, keeping: 3)
    try await promise("a newer version ends what is under way") {
        try await store.changeACMEOrder(id: "o5", .answer(.unattested), certificate: nil, now: time(1)).refusal?.code
            == .unauthorized
    }
    try await store.addACMEGrant(grant(50, version: 2))
    _ = try accepted(try await store.addACMEOrder(draft("o6", "a", 50)))
    try await promise("withdrawing the device ends it as well") {
        let refusal = try await store.withdraw("d", now: time(3))
        let order = try await store.changeACMEOrder(id: "o6", .answer(.unattested), certificate: nil, now: time(4))
        return refusal == nil && order.refusal?.code == .unauthorized
    }
}

/// Of many finalizations at once one is kept, and a certificate is revoked once.
private func storeContractIssuing(_ store: any Store) async throws {
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 1...8 {
            group.addTask {
                let certificate = issuedIdentity(number)
                return try await store.changeACMEOrder(
                    id: "o1", .certificate(serial: certificate.serial), certificate: certificate, now: time(2)
                ).value != nil
            }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    try await promise("of many finalizations one is kept") { wins == 1 }
    guard let serial = try await store.acmeOrder(id: "o1")?.certificate,
        let certificate = try await store.identityCertificate(serial: serial)
    else { throw BrokenPromise(promise: "the certificate is kept", file: #fileID, line: #line) }
    try await promise("with whose it is, and where") {
        certificate.holder == IdentityHolder(secret: "s", version: 1, device: "d")
            && certificate.places == ["com.example.app/client"] && certificate.account == "a"
    }
    try await promise("nothing is revoked at first") { try await store.revokedIdentities(now: time(3)).isEmpty }
    try await promise("it is revoked") {
        try await store.revokeIdentity(fingerprint: certificate.issued.fingerprint, reason: 1, now: time(3)) == nil
    }
    try await promise("once") {
        try await store.revokeIdentity(fingerprint: certificate.issued.fingerprint, reason: 1, now: time(4))?.code
            == .alreadyRevoked
    }
    try await promise("and listed until it ends") {
        try await store.revokedIdentities(now: time(5)).map(\.serial) == [serial]
    }
    try await promise("and no longer") { try await store.revokedIdentities(now: time(100)).isEmpty }
}

/// What ended is forgotten, what is still of use is not.
private func storeContractForgetting(_ store: any Store) async throws {
    let retention = Retention()
    try await store.prune(retention, now: time(50))
    try await promise("nothing goes before its time") {
        let order = try await store.acmeOrder(id: "o1")
        let account = try await store.acmeAccount(id: "c")
        return order != nil && account != nil
    }
    try await store.prune(retention, now: time(ACMEOrder.lifetime + retention.endedOrderSeconds + 1))
    try await promise("ended orders and idle accounts go") {
        let order = try await store.acmeOrder(id: "o1")
        let account = try await store.acmeAccount(id: "c")
        return order == nil && account == nil
    }
}

func issuedIdentity(_ number: Int) -> IssuedIdentity {
    IssuedIdentity(
        serial: "0\(number)", fingerprint: digest(number), der: Data([UInt8(number)]), issued: time(2),
        notAfter: time(62))
}

extension Store {
    /// Enrolls a device whose app finds a secret under an identifier.
    func identityIsAssigned(_ secret: String, to device: String) async throws {
        _ = try await enrolDevice(device, group: "g", certificate: 1)
        try await addApp("com.example.app", configuration: "main", bytes: "1")
        _ = try accepted(try await assign(app: "com.example.app", configuration: nil, to: "g", now: time(1)))
        _ = try await putSecret(secretDraft(secret, 1, kind: .acme), expected: .any, keeping: 3)
        let slot = SecretSlot(group: "g", app: "com.example.app", kind: .identity, identifier: "client")
        _ = try accepted(try await assignSecret(secret, to: slot, author: "a", now: time(1)))
    }
}
