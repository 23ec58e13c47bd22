import DeviceMessages
import Foundation
package import Management

/// Makes an empty store.
package struct MakeStore: Sendable {
    private let make: @Sendable () async throws -> any Store

    package init(_ make: @escaping @Sendable () async throws -> any Store) {
        self.make = make
    }

    func callAsFunction() async throws -> any Store { try await make() }
}

/// A broken promise of a store: what was expected, and where.
package struct BrokenPromise: Error, CustomStringConvertible {
    let promise: String
    let file: String
    let line: Int

    package var description: String { "\(file):\(line): \(promise)" }
}

/// Ends the check with the promise that was broken.
func promise(
    _ text: String, file: String = #fileID, line: Int = #line, _ holds: () async throws -> Bool
) async throws {
    guard try await holds() else { throw BrokenPromise(promise: text, file: file, line: line) }
}

/// The value of an outcome that must have been accepted.
func accepted<Value, Refusal>(
    _ outcome: Outcome<Value, Refusal>, file: String = #fileID, line: Int = #line
) throws -> Value {
    switch outcome {
    case .accepted(let value): return value
    case .refused(let refusal): throw BrokenPromise(promise: "refused: \(refusal)", file: file, line: line)
    }
}

/// Times of the checks, in seconds after their beginning.
func time(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + seconds) }

/// Thirty-two bytes that differ by number.
func digest(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: 31) + [UInt8(number >> 8)]
}

extension Store {
    /// Adds a group, and a device in it that has sent its TokenUpdate.
    func enrolDevice(
        _ key: String, group: String = "all", certificate: Int, serial: String? = nil
    ) async throws -> DeviceContext {
        _ = try await addGroup(named: group, now: time(0))
        try await issue(certificate, group: group)
        let draft = EnrollmentDraft(
            key: key, fingerprint: digest(certificate),
            facts: DeviceFacts(deviceName: "tester", serialNumber: serial), now: time(1))
        _ = try accepted(try await authenticate(draft))
        let push = PushDetails(token: Data([1]), pushMagic: "magic", unlockToken: nil, awaitingConfiguration: false)
        return try accepted(try await updateToken(key: key, userOf: nil, push: push, now: time(1)))
    }

    /// Makes a code, redeems it and writes its certificate down.
    func issue(
        _ certificate: Int, group: String, ownership: Ownership = .organization, replaces: String? = nil,
        reachesSecrets: Bool = true
    ) async throws {
        let code = EnrollmentCode(
            id: "code-\(certificate)", group: group, ownership: ownership, supervised: true,
            allowLegacyCryptography: false, author: "admin", created: time(0), expires: time(3_600), state: .unused,
            replaces: replaces, reachesSecrets: reachesSecrets)
        try await promise("a code for a group that exists is added") {
            try await addEnrollmentCode(code, digest: digest(1_000 + certificate)) == nil
        }
        _ = try accepted(
            try await redeem(
                digest: digest(1_000 + certificate), transactionID: "t", publicKeyDigest: digest(certificate),
                now: time(0)))
        try await promise("a certificate for a redeemed code is written down") {
            try await recordIssued(self.certificate(certificate)) == nil
        }
    }

    func certificate(_ number: Int) -> IssuedCertificate {
        IssuedCertificate(
            serial: "0\(number)", fingerprint: digest(number),
            certificateDER: Data([UInt8(truncatingIfNeeded: number)]),
            codeID: "code-\(number)", publicKeyDigest: digest(number), issued: time(0), notAfter: time(86_400))
    }

    /// Adds an app with a configuration of these bytes.
    func addApp(_ app: String, configuration name: String, bytes: String) async throws {
        _ = try await putApp(App(bundleIdentifier: app, name: app, teamIdentifier: nil), now: time(0))
        _ = try accepted(
            try await putConfiguration(draft(app, name, bytes), expected: .any, keeping: ConfigurationLimits.versions))
    }

    func draft(_ app: String, _ name: String, _ bytes: String, now: Date = time(0)) -> ConfigurationDraft {
        ConfigurationDraft(
            app: app, name: name, bytes: Data(bytes.utf8), encoding: .xml, sha256: sha256(bytes), author: "admin",
            now: now)
    }

    /// Not a digest, but as good: it differs when the bytes do.
    func sha256(_ bytes: String) -> String { String((bytes + String(repeating: "0", count: 64)).prefix(64)) }
}

func command(_ uuid: String, _ requestType: String = "ProfileList") -> QueuedCommand {
    QueuedCommand(
        uuid: uuid, requestType: requestType, document: Data(uuid.utf8), state: .queued, deferred: false,
        author: "admin", created: time(0), sent: nil, finished: nil, result: nil, resultTooLarge: false)
}

func result(_ uuid: String, _ verdict: CommandResult.Verdict) -> CommandResult {
    CommandResult(uuid: uuid, verdict: verdict, document: verdict == .notNow ? nil : Data("r".utf8), tooLarge: false)
}

/// What administrators do, done by one of them.
extension Store {
    func assign(
        app: String, configuration: String?, extensions: [String: String] = [:], trust: AppTrust = .launched,
        install: AppSource.Install? = nil, priority: Int = 0, delivery: Assignment.Delivery = .framework,
        to group: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await assign(
            AssignmentWish(
                group: group, app: app, configuration: configuration, extensions: extensions, lowestTrust: trust,
                install: install, priority: priority, delivery: delivery),
            author: "admin", now: now)
    }

    func unassign(
        app: String, from group: String, now: Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await unassign(app: app, from: group, expected: .any, author: "admin", now: now)
    }

    func removeConfiguration(app: String, name: String, expected: ExpectedVersion) async throws -> AdminRefusal? {
        try await removeConfiguration(app: app, name: name, expected: expected, author: "admin", now: time(0))
    }

    func revokeEnrollmentCode(id: String) async throws -> AdminRefusal? {
        try await revokeEnrollmentCode(id: id, author: "admin", now: time(0))
    }

    func withdraw(_ id: String, now: Date) async throws -> AdminRefusal? {
        try await withdraw(id, author: "admin", now: now)
    }

    func addDevice(_ id: String, toGroup group: String, now: Date) async throws -> AdminRefusal? {
        try await addDevice(id, toGroup: group, author: "admin", now: now).refusal
    }

    func removeDevice(_ id: String, fromGroup group: String, now: Date) async throws -> AdminRefusal? {
        try await removeDevice(id, fromGroup: group, author: "admin", now: now).refusal
    }

    func addGroup(named name: String, now: Date) async throws -> Outcome<Group, AdminRefusal> {
        try await addGroup(named: name, author: "admin", now: now)
    }

    func removeGroup(named name: String) async throws -> AdminRefusal? {
        try await removeGroup(named: name, limit: 100, author: "admin", now: time(0))
    }

    func putApp(_ app: App, now: Date) async throws -> Changed<App> {
        try await putApp(app, author: "admin", now: now)
    }

    func requestUpdateCheck(of app: String, now: Date) async throws -> Outcome<Changed<App>, AdminRefusal> {
        try await requestUpdateCheck(of: app, author: "admin", now: now)
    }

    func removeApp(_ app: String) async throws -> AdminRefusal? {
        try await removeApp(app, author: "admin", now: time(0))
    }

    func removeCommand(_ uuid: String, of device: String) async throws -> AdminRefusal? {
        try await removeCommand(uuid, of: device, author: "admin", now: time(0))
    }

    func closeSession(tokenDigest: Data) async throws {
        try await closeSession(tokenDigest: tokenDigest, now: time(0))
    }

    func changePassword(
        of name: String, from old: String, to new: String, keeping tokenDigest: Data
    ) async throws -> Bool {
        try await changePassword(
            of: name, from: old, to: new, keeping: tokenDigest, by: .administrator(name), now: time(0))
    }

    func setMasterKey(id: String) async throws {
        try await setMasterKey(id: id, now: time(0))
    }
}
