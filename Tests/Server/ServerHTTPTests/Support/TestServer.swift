import ApplePush
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import EmptyStore
import Foundation
import Logging
import Management
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import ServerHTTP
import ServiceLifecycle
import StoreSQLite
import Synchronization
import TestLog

/// The real server on a free port of the loopback, with a store in a directory that goes away.
final class TestServer: Sendable {
    let port: Int
    let baseURL: String
    let authority: Authority
    let identityAuthority: Authority
    let store: SQLiteStore
    let management: Management
    let log: LogLines
    let server: MartletServer
    let oneTimePassword: String
    let group: ServiceGroup

    /// Runs `test` against a server and stops it, however the test ends; a store that is `kept` stays for another one.
    static func run<Result: Sendable>(
        limits: ServerLimits = .patient, clock: TestClock = TestClock(),
        endorsement: EndorsementTrust = EndorsementTrust(), appleRoots: [Data] = [],
        means: EnrollmentOffer.Means = .scep, packages: PackageDirectory.Limits = .init(),
        changes: ChangeHub.Bounds = .init(), handed: ListeningSocket? = nil, kept: KeptStore? = nil,
        signIn: (@Sendable (String) throws -> MartletServer.SignIn)? = nil, webhooks: AddressPolicy = AddressPolicy(),
        readTime: Duration = .seconds(3_600), push: PushService? = nil,
        _ test: (TestServer) async throws -> Result
    ) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-http-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var attempt = 0
        while true {
            attempt += 1
            let new = directory.appending(path: "\(attempt).sqlite").path
            let store = try kept?.open(readTime: readTime) ?? EmptyStore.open(path: new, readTime: readTime)
            defer { try? store.close() }
            let server = try await TestServer(
                store: store, port: try await freePort(), handed: handed, masterKey: kept?.masterKey, limits: limits,
                clock: clock, signIn: signIn, endorsement: endorsement, appleRoots: appleRoots, means: means,
                packages: try PackageDirectory(path: directory.appending(path: "packages").path, limits: packages),
                changes: changes, webhooks: webhooks, push: push)
            do {
                return try await server.serve(test)
            } catch is PortTaken where attempt < 5 {
                continue
            }
        }
    }

    /// Addresses name the port, so it must be known before the server listens; another test may take it meanwhile.
    private static func freePort() async throws -> Int {
        let probe = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = probe.localAddress?.port ?? 0
        try await probe.close()
        return port
    }

    /// The server ended before it listened.
    private struct PortTaken: Error {}

    private let ready: AsyncStream<Int>
    private let listens: AsyncStream<Int>.Continuation

    private init(
        store: SQLiteStore, port: Int, handed: ListeningSocket?, masterKey: String?, limits: ServerLimits,
        clock: TestClock, signIn: (@Sendable (String) throws -> MartletServer.SignIn)?, endorsement: EndorsementTrust,
        appleRoots: [Data], means: EnrollmentOffer.Means, packages: PackageDirectory,
        changes: ChangeHub.Bounds, webhooks: AddressPolicy, push: PushService?
    ) async throws {
        let port = handed?.port ?? port
        self.port = port
        self.store = store
        baseURL = "https://localhost:\(port)"
        authority = try SharedAuthority.authority()
        identityAuthority = try SharedAuthority.identityAuthority()
        var settings = Management.Settings(baseURL: baseURL, organization: "Test")
        settings.identityAuthorityFingerprint = identityAuthority.fingerprint
        settings.endorsement = endorsement
        settings.webhookPolicy = webhooks
        settings.enrollmentOffer = EnrollmentOffer(
            authority: authority.certificateDER, baseURL: baseURL, organization: "Test", means: means)
        settings.passwordCost = .init(memoryKiB: 8, passes: 1, lanes: 1)
        let key = masterKey ?? MasterKeys.newKeyText()
        management = Management(
            store: store, settings: settings, masterKeys: try MasterKeyRing { try MasterKeys(parsing: key) },
            now: { clock.now }, uptime: { clock.boot }, changes: changes, packages: packages)
        oneTimePassword = try await management.createFirstAdministrator()?.oneTimePassword ?? ""
        log = LogLines()
        let identity = try authority.issueServer(hostnames: ["localhost", "127.0.0.1"], now: Date())
        var parts = MartletServer.Parts(
            management: management, authority: authority, identityAuthority: identityAuthority,
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatePEM.utf8)),
            key: try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem), baseURL: baseURL,
            host: "127.0.0.1", port: port, limits: limits, now: { clock.now })
        parts.appleAttestationRoots = appleRoots
        parts.handed = handed?.copy()
        // Nobody listens there: no test reaches a push service that it did not start.
        parts.pushService = push ?? PushService(url: "https://localhost:1", roots: [])
        parts.signIn = try signIn?(baseURL)
        server = try MartletServer(parts, logger: log.logger())
        let (ready, source) = AsyncStream<Int>.makeStream()
        (self.ready, listens) = (ready, source)
        group = ServiceGroup(
            configuration: .init(
                services: try server.services { source.yield($0) }.map { .init(service: $0) }, logger: log.logger()))
    }

    private func serve<Result: Sendable>(_ test: (TestServer) async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { self.listens.finish() }
                try await self.group.run()
            }
            var listening = ready.makeAsyncIterator()
            guard await listening.next() != nil else { throw PortTaken() }
            let result: Result
            do {
                result = try await test(self)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }

    /// A client that trusts the server, and shows a certificate if it has one.
    func client(
        identity: PlayedDevice.Identity? = nil, maximum: TLSVersion? = nil, ciphers: [NIOTLSCipher] = [],
        followsRedirects: Bool = true
    ) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.certificateDER), format: .der)])
        tls.maximumTLSVersion = maximum
        if maximum == .tlsv11 { tls.minimumTLSVersion = .tlsv1 }
        if !ciphers.isEmpty { tls.cipherSuiteValues = ciphers }
        if let identity {
            tls.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificate), format: .der))
            ]
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.key.pem.utf8), format: .pem))
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        // Many servers and clients are tried at once: on a busy machine a handshake waits for its turn.
        configuration.timeout.connect = .minutes(10)
        // Who is refused would else be tried again for as long.
        if maximum != nil { configuration.connectionPool.retryConnectionEstablishment = false }
        configuration.decompression = .disabled
        if !followsRedirects { configuration.redirectConfiguration = .disallow }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

/// The authorities of all tests of this process: making an RSA key takes long in a debug build.
enum SharedAuthority {
    private static let made = Result { try Authority.create(commonName: "Test authority", now: Date()) }
    private static let identities = Result { try Authority.create(commonName: "Test identities", now: Date()) }
    private static let other = Result { try Authority.create(commonName: "Test authority", now: Date()) }

    static func authority() throws -> Authority { try made.get() }
    static func identityAuthority() throws -> Authority { try identities.get() }

    /// One that no server has: its name is that of their authority, its key is another.
    static func namesake() throws -> Authority { try other.get() }
}

extension ServerLimits {
    /// As in service, but for the time that peers have: on a busy machine ours are slow.
    static let patient = {
        var limits = ServerLimits()
        limits.handshake = .minutes(5)
        limits.idle = .minutes(10)
        limits.requestRead = .minutes(10)
        limits.stalledWrite = .minutes(10)
        limits.turn = .seconds(600)
        // All tests are at one address, and some ask a thousand things.
        limits.strangerRequests = 1_000_000
        (limits.providerAnswer, limits.webhookAnswer, limits.storeAnswer) = (600, 600, .seconds(600))
        return limits
    }()
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let offset = Mutex<TimeInterval>(0)
    private let leapt = Mutex<TimeInterval>(0)
    private let still: Date?

    /// A clock that `stands` moves by `advance` alone: for rules of seconds, which a busy machine would outlast.
    init(stands: Bool = false) { still = stands ? Date() : nil }

    var now: Date { Date(timeIntervalSince1970: boot + leapt.withLock { $0 }) }

    /// The same in whole seconds, as stores and certificates have times.
    var second: Date { Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)) }

    /// Seconds on a clock that nobody sets.
    var boot: TimeInterval { (still ?? Date()).timeIntervalSince1970 + offset.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        offset.withLock { $0 += seconds }
    }

    /// Sets the wall clock, while no time passes.
    func leap(by seconds: TimeInterval) {
        leapt.withLock { $0 += seconds }
    }
}

/// What a server answered.
struct Answer: Sendable {
    let status: UInt
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPClient {
    /// Uses the client and shuts it down, however the use ends: one that is left open ends the process.
    func with(_ use: (HTTPClient) async throws -> Void) async throws {
        do {
            try await use(self)
        } catch {
            try? await shutdown()
            throw error
        }
        try await shutdown()
    }

    /// Sends a request and takes the whole answer.
    func send(
        _ method: String, _ url: String, headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await execute(request, timeout: .minutes(10))
        let body = try await response.body.collect(upTo: 8 << 20)
        return Answer(
            status: response.status.code,
            headers: Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first },
            body: Data(body.readableBytesView))
    }
}
