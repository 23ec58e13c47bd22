import CertificateAuthority
import Foundation
package import Management

/// Devices of one group, each with an identity by the one secret of its app.
package func storeContractManyIdentities(_ store: any Store, devices: Int) async throws {
    try await store.identityIsAssigned("s", to: "d1")
    for number in 1...devices {
        let device = "d\(number)"
        if number > 1 { _ = try await store.enrolDevice(device, group: "g", certificate: number) }
        let challenge = Data("challenge".utf8) + digest(number)
        try await store.addSCEPChallenge(
            SCEPChallenge(
                digest: challenge, holder: IdentityHolder(secret: "s", version: 1, device: device),
                profile: IdentityProfile(subject: [.init("CN", "one")]), created: time(2)))
        let identity = IssuedIdentity(
            serial: "s\(number)", fingerprint: digest(number), der: Data(count: 900), issued: time(2),
            notAfter: time(100_000))
        _ = try accepted(
            try await store.issueIdentity(
                identity, challenge: challenge, transactionID: "t\(number)", publicKeyDigest: digest(number),
                now: time(3)))
    }
}

/// Another secret by which devices get identities.
package func storeContractOtherIdentity(_ store: any Store, _ name: String) async throws {
    _ = try await store.putSecret(secretDraft(name, 1, kind: .acme), expected: .any, keeping: 3)
}

/// Gives the secret to another group, so that it stays assigned when the first loses it.
package func storeContractAssignElsewhere(_ store: any Store) async throws {
    _ = try await store.addGroup(named: "h", now: time(1))
    _ = try accepted(try await store.assign(app: "com.example.app", configuration: nil, to: "h", now: time(1)))
    let slot = SecretSlot(group: "h", app: "com.example.app", kind: .identity, identifier: "client")
    _ = try accepted(try await store.assignSecret("s", to: slot, author: "a", now: time(1)))
}

/// Takes the secret from the group of all the devices; answers how many certificates are revoked.
package func storeContractWithdrawAll(_ store: any Store) async throws -> Int {
    let slot = SecretSlot(group: "g", app: "com.example.app", kind: .identity, identifier: "client")
    _ = try accepted(try await store.unassignSecret(from: slot, author: "a", now: time(4)))
    while try await store.revokeLost(of: .anywhere, limit: SecretLimits.revokedPart, now: time(4)) != nil {}
    return try await store.revokedIdentities(now: time(5)).count
}
