import Crypto
import DeviceMessages
import EmptyStore
import Foundation
import InputBounds
import Management
import StoreSQLite
import Synchronization
import Testing
import Waiting

/// The rules on a real store in a directory of its own, with a clock that stands still.
final class Fixture: Sendable {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let signer = Data(repeating: 7, count: 32)

    private let directory: URL
    let surroundings = Surroundings()
    private let opened: Mutex<(store: SQLiteStore, management: Management)?>

    private let signInLifetime: TimeInterval?
    private let means: EnrollmentOffer.Means

    init(signInLifetime: TimeInterval? = nil, means: EnrollmentOffer.Means = .scep) throws {
        self.signInLifetime = signInLifetime
        self.means = means
        directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        opened = Mutex(nil)
        try open()
    }

    /// What the rules look at; they do not hold the fixture, which goes with its directory when its test is done.
    final class Surroundings: Sendable {
        let clock = Mutex(start)
        /// By how many seconds the wall clock is ahead of the boot clock.
        let leap = Mutex<TimeInterval>(0)
        /// The master keys as an operator keeps them.
        let keys = Mutex(MasterKeys.newKeyText())
        /// What webhooks may reach; a restart takes it over.
        let webhookPolicy = Mutex(AddressPolicy())
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var management: Management {
        get throws { try #require(opened.withLock { $0?.management }) }
    }

    var store: SQLiteStore {
        get throws { try #require(opened.withLock { $0?.store }) }
    }

    func advance(_ seconds: TimeInterval) { surroundings.clock.withLock { $0 += seconds } }

    /// Sets the wall clock, while no time passes.
    func leap(_ seconds: TimeInterval) { surroundings.leap.withLock { $0 += seconds } }

    /// Closes the store under the rules: what they answer now costs no reading and no writing.
    func closeStore() throws { try #require(opened.withLock { $0?.store }).close() }

    /// A new server on what the old one left.
    func restart() throws {
        try closeStore()
        try open()
    }

    /// A new server on what is there; the old one has been closed.
    func reopen() throws { try open() }

    var databasePath: String { directory.appending(path: "store.sqlite").path }

    /// The bytes of every file the store has, as they are on the disk now.
    func files() throws -> [Data] {
        try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .map { try Data(contentsOf: $0) }
    }

    /// Another process's view: the same store with rules and master keys of its own.
    func besideServer() throws -> (store: SQLiteStore, management: Management) {
        let store = try SQLiteStore(path: databasePath, ownership: .besideServer)
        return (store, try management(of: store))
    }

    private func open() throws {
        let isNew = !FileManager.default.fileExists(atPath: databasePath)
        let store = try isNew ? EmptyStore.open(path: databasePath) : SQLiteStore(path: databasePath)
        let management = try management(of: store)
        opened.withLock { $0 = (store, management) }
    }

    private func management(of store: SQLiteStore) throws -> Management {
        var settings = Management.Settings(baseURL: "https://mdm.example.com", organization: "Example")
        settings.passwordCost = Argon2id.Cost(memoryKiB: 8, passes: 1, lanes: 1)
        settings.lifetimes.grace = 3_600
        settings.signInLifetime = signInLifetime
        settings.webhookPolicy = surroundings.webhookPolicy.withLock { $0 }
        settings.enrollmentOffer = EnrollmentOffer(
            authority: Data([1]), baseURL: settings.baseURL, organization: settings.organization, means: means)
        return Management(
            store: store, settings: settings,
            masterKeys: try MasterKeyRing { [surroundings] in
                try MasterKeys(parsing: surroundings.keys.withLock { $0 })
            },
            now: { [surroundings] in surroundings.clock.withLock { $0 } + surroundings.leap.withLock { $0 } },
            uptime: { [surroundings] in surroundings.clock.withLock { $0.timeIntervalSince1970 } })
    }

    // MARK: Steps that many tests begin with

    static func identifier(_ device: String) -> EnrollmentIdentifier { EnrollmentIdentifier(kind: .device, id: device) }

    /// Enrolls a device by a code of the group, with the certificate whose digest is `signer`.
    func enrol(
        _ device: String = "D1", group: String = "all", signer: Data = signer, serial: String? = nil
    ) async throws {
        let management = try management
        _ = try await management.createGroup(named: group, author: "admin")
        try await issue(signer, group: group)
        let identifier = Self.identifier(device)
        let authenticate = Authenticate(
            identifier: identifier, topic: "t", deviceName: "n", modelName: "m", model: "m", serialNumber: serial)
        try #expect(await management.checkIn(.authenticate(authenticate), signer: signer) == .done)
        let update = TokenUpdate(
            identifier: identifier, topic: "t", token: Data([1]), pushMagic: "magic-\(device)", unlockToken: nil,
            awaitingConfiguration: false)
        try #expect(await management.checkIn(.tokenUpdate(update), signer: signer) == .done)
    }

    func issue(_ signer: Data, group: String, replaces: String? = nil) async throws {
        let management = try management
        let code = try #require(
            await management.createEnrollmentCode(
                EnrollmentCodeRequest(group: group, replaces: replaces), author: "admin"
            ).value)
        _ = try #require(
            await management.redeem(code: code.text, transactionID: "t", publicKeyDigest: signer).value)
        let certificate = IssuedCertificate(
            serial: signer.map { String($0) }.joined(), fingerprint: signer, certificateDER: Data(),
            codeID: code.code.id,
            publicKeyDigest: signer, issued: Self.start, notAfter: Self.start.addingTimeInterval(86_400))
        try #expect(await management.recordIssued(certificate) == nil)
    }

    /// Gives a group's devices an app with a configuration.
    func assign(_ app: String = "com.example.app", value: String = "1", group: String = "all") async throws {
        let management = try management
        _ = try await management.putApp(App(bundleIdentifier: app, name: app, teamIdentifier: "TEAM"), author: "admin")
        try await configure(app, value: value)
        _ = try #require(await management.assign(app: app, configuration: "main", to: group, author: "admin").value)
    }

    @discardableResult
    func configure(_ app: String = "com.example.app", value: String) async throws -> StoredConfiguration {
        try #require(
            await management.putConfiguration(
                app: app, name: "main", bytes: Self.configuration(value), expected: .any, author: "admin"
            ).value)
    }

    static func configuration(_ value: String) -> Data { PropertyListValue.dictionary(["value": .string(value)]).xml() }

    static func sha256(_ data: Data) -> String { SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined() }

    /// Whether a change calls whoever does behind it what is left to be done.
    func callsWhoJudges(_ change: () async throws -> Void) async throws -> Bool {
        let calls = try management.judging.calls
        var begun = calls.makeAsyncIterator()
        #expect(await begun.next() != nil, "when a server begins")
        try await change()
        let called = Task {
            for await _ in calls { return true }
            return false
        }
        let alarm = Task {
            try await Task.sleep(for: patience)
            called.cancel()
        }
        defer { alarm.cancel() }
        return await called.value
    }

    // MARK: A device's side

    func report(
        _ status: CommandStatus, _ uuid: String? = nil, device: String = "D1", signer: Data = signer
    ) async throws -> CommandAnswer {
        try await management.exchange(
            CommandReport(identifier: Self.identifier(device), status: status, commandUUID: uuid), signer: signer)
    }

    /// The command in the answer to a report.
    func command(
        _ status: CommandStatus, _ uuid: String? = nil, device: String = "D1", signer: Data = signer
    ) async throws -> Command? {
        guard case .command(let document) = try await report(status, uuid, device: device, signer: signer) else {
            return nil
        }
        return try Command(parsing: document)
    }

    func ask(
        _ endpoint: DeclarativeEndpoint, data: Data? = nil, device: String = "D1", signer: Data = signer
    ) async throws -> CheckInAnswer {
        try await management.checkIn(
            .declarativeManagement(
                DeclarativeManagementRequest(identifier: Self.identifier(device), endpoint: endpoint, data: data)),
            signer: signer)
    }

    func document(
        _ endpoint: DeclarativeEndpoint, device: String = "D1", signer: Data = signer
    ) async throws -> JSONValue? {
        guard case .document(let data) = try await ask(endpoint, device: device, signer: signer) else { return nil }
        return try JSONValue(parsing: data, limits: .statusReport)
    }

    func context(_ device: String = "D1", signer: Data = signer) async throws -> DeviceContext {
        try #require(await management.judge(Self.identifier(device), signer: signer).value)
    }
}
