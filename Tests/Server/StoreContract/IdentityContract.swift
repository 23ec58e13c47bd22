import CertificateAuthority
import Foundation
import Management

/// Challenges: one certificate each, for a device to which the secret is assigned, until the enrollment ends.
package func storeContractIdentities(_ make: MakeStore) async throws {
    let store = try await make()
    try await store.identityIsAssigned("s", to: "d")
    func challenge(_ number: Int, version: Int = 1) -> SCEPChallenge {
        SCEPChallenge(
            digest: digest(number), holder: IdentityHolder(secret: "s", version: version, device: "d"),
            profile: IdentityProfile(subject: [.init("CN", "one")]), created: time(TimeInterval(number)))
    }
    @Sendable func issue(
        _ number: Int, by challenge: Int, transaction: String = "t", key: Int = 7, now: Date = time(100)
    ) async throws -> Outcome<IdentityCertificate, ChallengeRefusal> {
        try await store.issueIdentity(
            issuedIdentity(number), challenge: digest(challenge), transactionID: transaction,
            publicKeyDigest: digest(key), now: now)
    }
    try await store.addSCEPChallenge(challenge(1))
    try await promise("a challenge is kept as it was made") {
        try await store.scepChallenge(digest: digest(1)) == challenge(1)
    }
    try await promise("without one nothing is issued") { try await issue(1, by: 9).refusal == .unknown }
    try await promise("nor after its time") {
        try await issue(1, by: 1, now: time(1 + SCEPChallenge.lifetime)).refusal == .expired
    }
    let first = try accepted(try await issue(1, by: 1))
    try await promise("the certificate is kept, with whose it is and where") {
        let kept = try await store.identityCertificate(serial: first.serial)
        return kept == first && first.places == ["com.example.app/client"] && first.account == nil
    }
    try await promise("the same request gets the same certificate") {
        try accepted(try await issue(2, by: 1)) == first
    }
    try await promise("another transaction of the same key gets the same certificate") {
        try accepted(try await issue(2, by: 1, transaction: "u")) == first
    }
    try await promise("another key gets nothing") { try await issue(2, by: 1, key: 8).refusal == .used }

    for number in 2...(SCEPChallenge.unused + 2) { try await store.addSCEPChallenge(challenge(number)) }
    try await promise("of the unused ones the newest stay, of the used ones all") {
        let oldest = try await store.scepChallenge(digest: digest(2))
        let next = try await store.scepChallenge(digest: digest(3))
        let used = try await store.scepChallenge(digest: digest(1))
        return oldest == nil && next != nil && used?.use != nil
    }
    try await storeContractOneUse(store, issue: { try await issue($0, by: 3, key: $0).value != nil })
    _ = try await store.putSecret(secretDraft("s", 2, kind: .acme), expected: .any, keeping: 3)
    try await promise("a newer version ends it") { try await issue(20, by: 4).refusal == .withdrawn }
    try await store.addSCEPChallenge(challenge(60, version: 2))
    try await promise("and its challenge takes their place") {
        try await store.scepChallenge(digest: digest(4)) == nil
    }
    let refusal = try await store.withdraw("d", now: time(50))
    try await promise("with the enrollment challenges and certificates end") {
        let revoked = try await store.revokedIdentities(now: time(50))
        let left = try await store.scepChallenge(digest: digest(60))
        return refusal == nil && left == nil && revoked.count == 2 && revoked.allSatisfy { $0.reason == 9 }
    }
}

private func storeContractOneUse(
    _ store: any Store, issue: @escaping @Sendable (Int) async throws -> Bool
) async throws {
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 10..<18 { group.addTask { try await issue(number) } }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    try await promise("of many requests at once one gets a certificate") { wins == 1 }
}

/// Chips: one for a device and one device for each, proven by the secret that was asked for.
package func storeContractChips(_ make: MakeStore) async throws {
    let store = try await make()
    _ = try await store.enrolDevice("d", certificate: 1)
    _ = try await store.enrolDevice("e", certificate: 2)
    func pending(_ device: String, chip: Int, secret: Int = 1) -> PendingAttestation {
        PendingAttestation(
            device: device, endorsementKey: digest(chip), isVouchedFor: true, attestationKey: Data([9]),
            secretDigest: digest(secret), expires: time(600))
    }
    func finish(_ device: String, _ secret: Int = 1, now: Date = time(1)) async throws
        -> Outcome<PendingAttestation, AttestationKeyRefusal>
    {
        try await store.finishAttestation(of: device, secretDigest: digest(secret), now: now)
    }
    try await promise("what was not asked is not answered") { try await finish("d").refusal == .noChallenge }
    _ = try await store.beginAttestation(pending("d", chip: 1))
    try await promise("the wrong secret ends it") { try await finish("d", 2).refusal == .wrongSecret }
    try await promise("for the right one as well") { try await finish("d").refusal == .noChallenge }
    _ = try await store.beginAttestation(pending("d", chip: 1))
    try await promise("so does its time") { try await finish("d", now: time(600)).refusal == .noChallenge }
    // Both ask before either has answered.
    _ = try await store.beginAttestation(pending("d", chip: 1))
    _ = try await store.beginAttestation(pending("e", chip: 1))
    try await promise("the chip that answers is the device's") {
        try accepted(try await finish("d")) == pending("d", chip: 1)
    }
    try await promise("and no other's, however early that one asked") {
        try await finish("e").refusal == .chipOfAnotherDevice
    }
    try await promise("nor does another chip take its place") {
        try await store.beginAttestation(pending("d", chip: 2)) == .otherChip
    }
    _ = try await store.checkOut(key: "d", now: time(2))
    try await promise("until the enrollment ends") { try await store.beginAttestation(pending("e", chip: 1)) == nil }
    try await store.prune(Retention(), now: time(601))
    try await promise("what nobody answered is forgotten") { try await finish("e").refusal == .noChallenge }
}
