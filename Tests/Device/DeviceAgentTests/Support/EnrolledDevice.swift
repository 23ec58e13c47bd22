import AppMessages
import CertificateAuthority
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Synchronization
import TPMKeys
import TestLog
import Testing
import Waiting

/// A device that is enrolled with a scripted server and keeps in touch with it, its disk in memory.
struct EnrolledDevice: Sendable {
    let server: ScriptedServer
    let management: PlayedManagement
    let device: Device
    let doorbell: Doorbell
    let log: LogLines
    let steps: MemorySteps

    /// The device's clock.
    let clock = TestClock()

    /// What apps were last told.
    let told = LastTold()

    /// Of each device that signs: making an RSA key takes long in a debug build.
    private static let signingKey = Result { try SigningKey.generate(.rsa2048) }

    /// Impatient, so that nobody waits for the patience of a device in the field.
    static var pace: DeviceLoop.Pace {
        var pace = DeviceLoop.Pace()
        pace.retry = Backoff(first: .milliseconds(20), longest: .milliseconds(40))
        pace.reconnect = Backoff(first: .milliseconds(20), longest: .milliseconds(40))
        return pace
    }

    /// Enrolls a device, lets it keep in touch and hands it to the test; the server meets it with `fault` from its first word.
    static func run(
        wake: Bool = false, signs: Bool = false, tpm: TPM? = nil, machine: (any MachineControl)? = nil,
        pace: DeviceLoop.Pace = pace, rights: Int = AccessRights.all,
        apps: [String] = [], attempt: @escaping ConfigurationAttempt = { _ in .untried(.notRunning) },
        fault: PlayedManagement.Fault? = nil, _ test: (EnrolledDevice) async throws -> Void
    ) async throws {
        let management = PlayedManagement()
        try await ScriptedServer.run({ management.answer($0) }) { server in
            management.listens(at: server.url)
            management.publish(1, fault: fault)
            let fixture = try EnrolledDevice(
                server, management, wake: wake, signs: signs, tpm: tpm, apps: apps, machine: machine, rights: rights)
            let loop = DeviceLoop(
                device: fixture.device, doorbell: fixture.doorbell, pace: pace, attempt: attempt,
                publish: { [device = fixture.device, told = fixture.told, log = fixture.log] in
                    told.take(device, log)
                },
                now: { [clock = fixture.clock] in clock.now }, log: fixture.log.logger())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await loop.run() } catch is CancellationError {}
                }
                defer { group.cancelAll() }
                try await test(fixture)
            }
        }
    }

    init(
        _ server: ScriptedServer, _ management: PlayedManagement, wake: Bool, signs: Bool, tpm: TPM?,
        apps: [String], machine: (any MachineControl)? = nil, rights: Int = AccessRights.all
    ) throws {
        self.server = server
        self.management = management
        (doorbell, log, steps) = (Doorbell(), LogLines(), MemorySteps())
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        device = try Device(
            directory: "/d", appDirectories: apps, facts: facts, namesMachine: false, tpm: tpm, machine: machine,
            steps: steps)
        let profile = Self.profile(server, wake: wake, signs: signs, rights: rights)
        let key = signs ? try Self.signingKey.get() : nil
        var enrollment = Enrollment(
            origin: server.url, codeDigest: "", roots: [try ScriptedServer.root()], profile: profile.encoded(),
            key: KeptKey(pem: key?.pem ?? ""), token: Data(), pushMagic: "magic")
        enrollment.certificate = try key.map {
            try ScriptedServer.authority.get().issueDevice(
                publicKeyDER: $0.publicKeyInfo, commonName: "device", notBefore: Date(), notAfter: Date() + 86_400)
        }
        enrollment.stage = .isComplete
        try device.change { [enrollment] state in
            state.enrollment = enrollment
            state.declarations.enabled = true
        }
    }

    /// The profile that enrolls with a played server.
    static func profile(
        _ server: ScriptedServer, wake: Bool = false, signs: Bool = true, challenge: String? = nil,
        rights: Int = AccessRights.all
    ) -> EnrollmentProfile {
        EnrollmentProfile(
            identifier: "profile", uuid: UUID(), displayName: "", organization: "", roots: [],
            scep: SCEPPayload(url: server.url + "/scep", challenge: challenge, retries: 0, retryDelay: 0),
            mdm: MDMPayload(
                serverURL: server.url + "/command", checkInURL: server.url + "/checkin", topic: "topic",
                accessRights: rights, signMessage: signs),
            wakeURL: wake ? server.url + "/wake" : nil)
    }

    /// The digest of the configuration that serves.
    var configuration: String? { device.known.applied.apps[PlayedManagement.app]?.configuration }

    /// Its bytes, as a device that was just started reads them.
    func content() throws -> Data {
        let store = try GenerationStore<AgentState>(directory: "/d", steps: steps, readOnly: true)
        return try store.content(try #require(configuration))
    }

    /// The secrets that serve.
    var secrets: AppSecrets { AppSecrets(device.known.applied.apps[PlayedManagement.app]?.secrets ?? []) }

    /// The value of a secret that serves, unsealed.
    func secret(_ kind: SecretKind, _ identifier: String) throws -> SecretContent {
        try device.secret(try #require(secrets.digest(kind, identifier)))
    }

    /// Waits until the device has its only identity, and answers with that.
    func identity() async throws -> StoredIdentity {
        try await eventually("the identity is here") { secrets.of(.identity).count == 1 }
        guard case .identity(let identity) = try secret(.identity, "mtls") else {
            throw DidNotHappen(description: "the secret is no identity")
        }
        return identity
    }

    func serves(_ version: Int) async throws {
        try await eventually("version \(version) serves") {
            configuration == PlayedManagement.configuration(version).digest
        }
    }

    /// Waits until something holds; the failure shows the device's messages and requests.
    func eventually(_ what: String, _ holds: () throws -> Bool) async throws {
        try await Waiting.eventually(
            "\(log.all.suffix(20).joined(separator: "\n"))\nasked: \(management.asked.suffix(20))\n\(what)"
        ) { try holds() }
    }
}

/// What the device's apps were last told.
final class LastTold: Sendable {
    private let states = Mutex<[String: AppState]>([:])
    private let said = Mutex<[String: [String]]>([:])

    /// The state that one app got; nil if it is not managed.
    var app: AppState? { states.withLock { $0[PlayedManagement.app] } }

    /// What the log had said when a configuration first served, by its digest.
    func said(before configuration: String) -> [String]? { said.withLock { $0[configuration] } }

    func take(_ device: Device, _ log: LogLines) {
        if let configuration = device.known.applied.apps[PlayedManagement.app]?.configuration {
            said.withLock { if $0[configuration] == nil { $0[configuration] = log.all } }
        }
        guard let new = try? device.appStates(now: Date()) else { return }
        states.withLock { $0 = new }
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let ahead = Mutex<TimeInterval>(0)

    var now: Date { Date() + ahead.withLock { $0 } }

    func advance(days: Double) { ahead.withLock { $0 += days * 86_400 } }
}
