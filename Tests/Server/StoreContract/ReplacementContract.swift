import Foundation
import Management

/// An enrolled device is replaced by an administrator's word or its own chip alone, and whoever else asks is told of.
package func storeContractReplacement(_ make: MakeStore) async throws {
    let store = try await make()
    let first = try await store.enrolDevice("D1", certificate: 1)
    func authenticate(
        _ key: String, _ certificate: Int, kind: EnrollmentKind = .device
    ) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: key, kind: kind, fingerprint: digest(certificate), facts: DeviceFacts(), now: time(2)))
    }
    func told(_ action: AuditEntry.Action) async throws -> [AuditEntry] {
        let filter = AuditFilter(action: action, subject: "D1")
        let page: Page<AuditEntry> = try await store.auditEntries(filter, PageRequest())
        return page.items
    }
    try await store.issue(2, group: "all")
    try await promise("another code of its group does not take its place") {
        try await authenticate("D1", 2).refusal == .identifierTaken
    }
    try await promise("nor for a person's part of a device") {
        try await authenticate("D1", 2, kind: .user).refusal == .identifierTaken
    }
    try await promise("the device goes on as it was") { try await store.deviceContext(key: "D1") == first }
    try await promise("administrators hear of it once, however often it is tried") {
        for _ in 0..<3 { _ = try await authenticate("D1", 2) }
        let history = try await store.deviceHistory(of: "D1", PageRequest())?.items ?? []
        return try await told(.refuseEnrollment).map(\.actor) == ["server"]
            && history.map(\.kind) == [.refuseEnrollment]
    }
    try await promise("a code replaces a device that is there") {
        let code = EnrollmentCode(
            id: "none", group: "all", ownership: .organization, supervised: false, allowLegacyCryptography: false,
            author: "admin", created: time(0), expires: time(10), state: .unused, replaces: "D9")
        return try await store.addEnrollmentCode(code, digest: digest(9)) == .unknownDevice
    }
    try await store.issue(3, group: "all", replaces: "D1")
    try await promise("a code that replaces one device lets no other in") {
        guard case .mismatch = try await authenticate("D9", 3).refusal else { return false }
        return true
    }
    try await promise("nor a person's part of one") {
        try await authenticate("D1", 3, kind: .user).refusal == .identifierTaken
    }
    try await promise("it replaces its device") { try await authenticate("D1", 3).value?.fingerprint == digest(3) }
    try await promise("and it is said which certificate lost the device") {
        let entries = try await told(.replaceDevice)
        return entries.count == 1
            && entries.allSatisfy { entry in
                entry.details.contains(#""certificate":"01""#) && Change(entry).name == "01"
                    && Change(entry).device == "D1"
            }
    }
    try await promise("who was refused comes in once the device is withdrawn") {
        _ = try await store.withdraw("D1", now: time(3))
        return try await authenticate("D1", 2).value?.state == .pending
    }
    try await promise("and is then refused to others, before its first TokenUpdate, too") {
        try await store.issue(4, group: "all")
        return try await authenticate("D1", 4).refusal == .identifierTaken
    }
    try await promise("a device that left comes again by any code, and is what it says then") {
        try await store.checkOut(key: "D1", now: time(4))
        return try await authenticate("D1", 4, kind: .user).value?.kind == .user
    }
    try await promise("nor does a device take the place of a person's part of one") {
        try await store.issue(5, group: "all")
        return try await authenticate("D1", 5).refusal == .identifierTaken
    }
}

/// Who may not give secrets lets no device into a group that gives one, now or later (roles).
package func storeContractReach(_ make: MakeStore) async throws {
    let store = try await make()
    let app = "com.example.app"
    _ = try await store.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), now: time(0))
    _ = try await store.putSecret(secretDraft("s", 1), expected: .any, keeping: 3)
    _ = try await store.putPeople([Person(userName: "anna")], dryRun: false, author: "a", now: time(0))
    func give(to group: String) async throws {
        _ = try accepted(try await store.assign(app: app, configuration: nil, to: group, now: time(1)))
        let slot = SecretSlot(group: group, app: app, extension: nil, kind: .password, identifier: "wifi")
        _ = try accepted(try await store.assignSecret("s", to: slot, author: "a", now: time(1)))
    }
    func refusals(_ group: String, reachesSecrets: Bool, _ number: Int) async throws -> [AdminRefusal?] {
        let code = EnrollmentCode(
            id: "c\(number)", group: group, ownership: .organization, supervised: false,
            allowLegacyCryptography: false, author: "a", created: time(0), expires: time(10), state: .unused,
            reachesSecrets: reachesSecrets)
        let invitation = Invitation(
            account: "a@d.e", person: "anna", group: group, passwordHash: "h", author: "a", created: time(0),
            expires: time(10), reachesSecrets: reachesSecrets)
        let device = ExpectedDevice(
            serialNumber: "SN", group: group, chip: nil, author: "a", created: time(0), reachesSecrets: reachesSecrets)
        return [
            try await store.addEnrollmentCode(code, digest: digest(500 + number)),
            try await store.putInvitation(invitation), try await store.putExpectedDevices([device]),
            try await store.importExpectedDevices(ExpectedDevicesImport([device])).refusal,
        ]
    }
    func all(_ refusal: AdminRefusal?) -> [AdminRefusal?] { Array(repeating: refusal, count: 4) }
    for group in ["plain", "staff"] { _ = try await store.addGroup(named: group, now: time(0)) }
    try await give(to: "staff")
    try await promise("a group that gives a secret is out of reach") {
        try await refusals("staff", reachesSecrets: false, 1) == all(.groupGivesSecrets)
    }
    try await promise("but for who may give secrets") {
        try await refusals("staff", reachesSecrets: true, 2) == all(nil)
    }
    try await promise("one that gives none is not") {
        try await refusals("plain", reachesSecrets: false, 3) == all(nil)
    }
    try await promise("what is kept says how far it reaches") {
        let kept = try await store.enrollmentCode(digest: digest(503))
        let invitation = try await store.invitation(account: "a@d.e")
        let device = try await store.expectedDevice(serialNumber: "SN")
        return kept?.reachesSecrets == false && invitation?.reachesSecrets == false && device?.reachesSecrets == false
    }
    try await store.issue(1, group: "plain", reachesSecrets: false)
    try await store.issue(2, group: "plain")
    try await give(to: "plain")
    func authenticate(_ key: String, _ certificate: Int) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await store.authenticate(
            EnrollmentDraft(key: key, fingerprint: digest(certificate), facts: DeviceFacts(), now: time(2)))
    }
    try await promise("a code that is open lets nobody in once the group gives a secret") {
        try await authenticate("D1", 1).refusal == .secretsOutOfReach
    }
    try await promise("an administrator's does") { try await authenticate("D1", 2).value != nil }
    _ = try await store.addGroup(named: "bare", now: time(3))
    _ = try accepted(
        try await store.addGroup(named: "ruled", rule: GroupRule(parsing: "os = linux"), author: "a", now: time(3)))
    try await promise("a rule that gives nothing changes nothing") {
        try await refusals("bare", reachesSecrets: false, 4) == all(nil)
    }
    try await give(to: "ruled")
    try await promise("a rule may take any device in: where it leads to a secret, no group is in reach") {
        try await refusals("bare", reachesSecrets: false, 5) == all(.groupGivesSecrets)
    }
}
