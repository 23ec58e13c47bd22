import ACME
package import ApplePush
import Attestation
package import CertificateAuthority
import Console
import DeviceMessages
package import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
package import Management
import NIOCore
package import NIOSSL
package import OpenIDConnect
package import ServiceLifecycle
import Webhooks

/// The whole server: every route over one TLS listener, and the services that live as long as it does.
///
/// `martlet-server` and the tests build it in the same way.
package struct MartletServer: Sendable {
    /// What it is built from.
    package struct Parts: Sendable {
        package var management: Management
        /// Certifies devices, the server, and the keys of devices' chips.
        package var authority: Authority
        /// Certifies the identities of apps, and nothing that opens a device's channel.
        package var identityAuthority: Authority
        package var certificateChain: [NIOSSLCertificate]
        package var key: NIOSSLPrivateKey
        /// Where devices and administrators reach it, without a slash at the end.
        package var baseURL: String
        package var host: String
        package var port: Int
        /// A socket that listens already, in the place of one at host and port.
        package var handed: Int32?
        package var limits: ServerLimits
        package var now: @Sendable () -> Date
        /// Certificates in DER under which Apple's attestations are believed.
        package var appleAttestationRoots: [Data] = []
        /// Where operators read measurements, over plain HTTP; nowhere without it.
        package var measures: (host: String, port: Int)?
        /// Where administrators may sign in beside here, if anywhere.
        package var signIn: SignIn?
        /// Trusted for webhooks beside the system's authorities.
        package var webhookRoots: [NIOSSLCertificate] = []
        /// Where pushes to Apple devices go.
        package var pushService = PushService.apple
        /// Gives freed memory back to the system.
        package var returnMemory: @Sendable () -> Void = {}

        package init(
            management: Management, authority: Authority, identityAuthority: Authority,
            certificateChain: [NIOSSLCertificate], key: NIOSSLPrivateKey, baseURL: String, host: String, port: Int,
            limits: ServerLimits = ServerLimits(),
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.management = management
            self.authority = authority
            self.identityAuthority = identityAuthority
            self.identityAuthority.revocationList = "\(baseURL)/pki/crl"
            self.identityAuthority.statusService = "\(baseURL)/pki/ocsp"
            self.certificateChain = certificateChain
            self.key = key
            self.baseURL = baseURL
            self.host = host
            self.port = port
            self.limits = limits
            self.now = now
        }
    }

    /// The organization's sign-in.
    package struct SignIn: Sendable {
        /// Where the provider sends people back to, under this server's address.
        package static let callback = OpenIDRoutes.callback

        let provider: OpenIDProvider
        let rules: SignInRules

        package init(provider: OpenIDProvider, rules: SignInRules) {
            self.provider = provider
            self.rules = rules
        }
    }

    private let parts: Parts
    private let openID: OpenIDClient?
    private let logger: Logger
    private let streams: WakeStreams
    private let listeners: WakeStreams
    /// What became of who listens to changes.
    package let listenerTally = ListenerTally()
    private let webhooks: WebhookSender
    private let pushes: PushSender
    private let operations: OperationsRoutes
    private let responder: RouterResponder<MartletContext>
    private let methods: AllowedMethods
    /// Every route that is served, as method and path.
    package let routes: [String]
    let traffic = Traffic()
    let strangers: StrangerBudget
    /// The certificate that the server shows to clients.
    package let certificate: ShownCertificate

    package init(_ parts: Parts, logger: Logger) throws {
        self.parts = parts
        self.logger = logger
        certificate = try ShownCertificate(chain: parts.certificateChain, key: parts.key, limits: parts.limits)
        let readiness = Readiness(
            patience: parts.limits.storeAnswer, refusal: { [management = parts.management] in management.diskRefusal },
            facts: { [management = parts.management] in try await management.storeFacts() })
        operations = OperationsRoutes(readiness: readiness)
        streams = WakeStreams(heartbeat: parts.limits.heartbeat)
        listeners = WakeStreams(heartbeat: parts.limits.eventHeartbeat)
        webhooks = WebhookSender(
            management: parts.management,
            post: WebhookPost(
                parts.management.webhookPolicy, roots: parts.webhookRoots, patience: parts.limits.webhookAnswer),
            logger: logger)
        pushes = PushSender(
            management: parts.management, service: parts.pushService, logger: logger, now: parts.now)
        let authentication = DeviceAuthentication(
            authority: parts.authority, grace: parts.management.lifetimes.grace, now: parts.now,
            allowsLegacy: { try await parts.management.allowsLegacyCryptography(signer: $0) },
            readmit: { try await parts.management.readmit($0, as: $1) })
        strangers = StrangerBudget(limits: parts.limits, isOurs: authentication.isOurs)
        let router = Router(context: MartletContext.self)
        try Self.addRoutes(
            to: router, parts, authentication, streams: streams, traffic: traffic, strangers: strangers)
        let api = Self.adminAPI(
            parts, traffic,
            health: HealthRoutes(
                management: parts.management, readiness: readiness, streams: streams,
                certificates: try Self.certificates(parts, certificate), now: parts.now),
            events: EventRoutes(management: parts.management, streams: listeners, tally: listenerTally),
            certificate)
        api.add(to: router)
        methods = AllowedMethods(api.routes)
        Self.addConsole(to: router, over: api, parts)
        openID = parts.signIn.map { OpenIDClient($0.provider, patience: parts.limits.providerAnswer, now: parts.now) }
        if let openID, let rules = parts.signIn?.rules {
            OpenIDRoutes(
                management: parts.management, client: openID, rules: rules, limits: parts.limits, traffic: traffic,
                now: parts.now
            ).add(to: router)
        }
        operations.add(to: router)
        routes = router.routes.map(\.description)
        responder = router.buildResponder()
    }

    /// How many wake streams are open.
    package var openStreams: Int { streams.count }

    /// How many listen to what changes.
    package var openListeners: Int { parts.management.changes.listenerCount }

    /// How often somebody was refused as an administrator for a reason.
    package func refusals(_ reason: AccessRefusal) -> Int { traffic.refusals(reason) }

    /// Listens, serves and looks after the store until it is asked to stop; `ready` hears the port it got.
    ///
    /// The order is the order of stopping, from the end: streams, then the listener, then the last write.
    package func services(ready: @escaping @Sendable (Int) -> Void) throws -> [any Service] {
        let limits = parts.limits
        let edge = Edge(inner: responder, limits: limits, traffic: traffic, strangers: strangers, methods: methods)
        let listener: any Service =
            if let handed = parts.handed {
                HandedListener(
                    descriptor: handed, responder: edge, certificate: certificate, limits: limits,
                    strangers: strangers, ready: ready, logger: logger)
            } else {
                Application(
                    responder: edge,
                    server: HTTPServerBuilder { [certificate, strangers] responder in
                        TLSListener(
                            certificate: certificate, limits: limits, strangers: strangers, responder: responder)
                    },
                    configuration: ApplicationConfiguration(
                        address: .hostname(parts.host, port: parts.port), serverName: nil, backlog: 4_096,
                        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
                    onServerRunning: { channel in ready(channel.localAddress?.port ?? 0) },
                    logger: logger)
            }
        return [
            Upkeep(management: parts.management, traffic: traffic, returnMemory: parts.returnMemory, logger: logger),
            Renewals(management: parts.management, logger: logger),
            GroupJudge(management: parts.management, logger: logger),
            ChangeFollower(management: parts.management, logger: logger),
            JobRunner(management: parts.management, logger: logger), webhooks, pushes,
        ] + (openID.map { [OpenIDClientLife($0)] } ?? []) + (try measuresListener()) + [listener, listeners, streams]
    }

    /// The measurements, in Prometheus' text format.
    package func measurements() async throws -> String { try await measures().text() }

    private func measures() throws -> ServerMeasures {
        ServerMeasures(
            management: parts.management, traffic: traffic, streams: streams, process: ProcessFacts(),
            webhooks: webhooks.tally, pushes: pushes.tally, listeners: listenerTally,
            certificates: try Self.certificates(parts, certificate), now: parts.now)
    }

    /// Serves the measurements on an address of their own, which few machines can reach.
    private func measuresListener() throws -> [any Service] {
        guard let address = parts.measures else { return [] }
        let measured = try measures()
        let router = Router()
        operations.add(to: router)
        operations.addMeasures(measured, to: router)
        return [
            Application(
                router: router, server: .http1(configuration: .init(idleTimeout: parts.limits.idle)),
                configuration: ApplicationConfiguration(
                    address: .hostname(address.host, port: address.port), serverName: nil,
                    availableConnectionsDelegate: MaximumAvailableConnections(Self.measuresConnections)),
                logger: logger)
        ]
    }

    /// When the certificates end on which everything depends, by what they are for.
    ///
    /// That of the server itself may be another while it runs.
    private static func certificates(
        _ parts: Parts, _ shown: ShownCertificate
    ) throws -> @Sendable () -> [(name: String, end: Date)] {
        let all = try [("devices", parts.authority), ("identities", parts.identityAuthority)].map {
            ($0, try NIOSSLCertificate(bytes: Array($1.certificateDER), format: .der))
        }
        let authorities: [(name: String, end: Date)] = all.map {
            ($0, Date(timeIntervalSince1970: TimeInterval($1.notValidAfter)))
        }
        return { [management = parts.management] in
            authorities + (shown.end.map { [("server", $0)] } ?? [])
                + (management.pushCertificateEnd.map { [("push", $0)] } ?? [])
        }
    }

    /// A monitoring system asks every few seconds, over one connection.
    private static let measuresConnections = 32

    private static func addRoutes(
        to router: Router<MartletContext>, _ parts: Parts, _ authentication: DeviceAuthentication,
        streams: WakeStreams, traffic: Traffic, strangers: StrangerBudget
    ) throws {
        DeviceRoutes(
            management: parts.management, authentication: authentication,
            attestationKeys: AttestationKeys(authority: parts.authority, now: parts.now),
            wake: WakeRoute(management: parts.management, authentication: authentication, streams: streams),
            signIn: AccountEnrollmentRoutes.challenge(parts.baseURL), limits: parts.limits, traffic: traffic
        ).add(to: router)
        EnrollmentRoutes(
            management: parts.management, authority: parts.authority,
            attestationKeys: AttestationKeys(authority: parts.authority, now: parts.now), limits: parts.limits,
            traffic: traffic
        ).add(to: router)
        AccountEnrollmentRoutes(
            management: parts.management, baseURL: parts.baseURL, limits: parts.limits, traffic: traffic,
            strangers: strangers, profiles: PeerRate(perNetwork: parts.limits.automatedEnrollments)
        ).add(to: router)
        AutomatedEnrollmentRoute(
            management: parts.management, limits: parts.limits, traffic: traffic, strangers: strangers,
            requests: PeerRate(perNetwork: parts.limits.automatedEnrollments),
            requestsOfDevice: PeerRate(perNetwork: parts.limits.automatedEnrollmentsOfDevice)
        ).add(to: router)
        try SCEPRoutes(
            at: "/scep", authority: parts.authority,
            issuer: EnrollmentIssuer(
                management: parts.management, authority: parts.authority, work: strangers.work, now: parts.now),
            limits: parts.limits, traffic: traffic, strangers: strangers
        ).add(to: router)
        try addIdentityRoutes(to: router, parts, traffic: traffic, strangers: strangers)
        PackageDownloads(management: parts.management).add(to: router)
    }

    /// The pages have a router with the API alone: what they ask for goes the way of everybody's requests.
    private static func addConsole(to router: Router<MartletContext>, over api: AdminAPI, _ parts: Parts) {
        let doors = Router(context: MartletContext.self)
        api.add(to: doors)
        let signIn = parts.signIn.map { signIn in
            ForeignSignIn(
                name: URL(string: signIn.provider.issuer)?.host() ?? signIn.provider.issuer, path: OpenIDRoutes.path)
        }
        ConsoleRoutes(
            pages: ConsolePages(signIn: signIn), api: doors.buildResponder(), limits: parts.limits, now: parts.now,
            knownBrowser: { [management = parts.management] in try await management.knownBrowser(ofSession: $0) }
        ).add(to: router)
    }

    /// Where identities are issued by ACME, and apps' by SCEP and checked.
    private static func addIdentityRoutes(
        to router: Router<MartletContext>, _ parts: Parts, traffic: Traffic, strangers: StrangerBudget
    ) throws {
        let (authority, work) = (parts.identityAuthority, strangers.work)
        try SCEPRoutes(
            at: "/scep/identities", authority: authority,
            issuer: IdentityIssuer(
                management: parts.management, authority: authority, work: work, now: parts.now),
            limits: parts.limits, traffic: traffic, strangers: strangers
        ).add(to: router)
        let judge = AttestationJudge(
            trust: AttestationTrust(
                tpmRoots: [parts.authority.certificateDER], appleRoots: parts.appleAttestationRoots), now: parts.now)
        let identities = IdentityOffice(
            management: parts.management, authority: authority, judge: judge, work: work)
        let enrollments = EnrollmentOffice(
            management: parts.management, authority: parts.authority, judge: judge, work: work)
        let offices: [(String, any ACMEOffice)] = [
            ("/acme", identities), (EnrollmentOffer.acmePath, enrollments),
        ]
        for (path, office) in offices {
            ACMERoutes(
                path: path,
                service: ACMEService(
                    management: parts.management, office: office,
                    addresses: ACMEAddresses(base: parts.baseURL + path),
                    limits: parts.limits, strangers: strangers, now: parts.now),
                baseURL: parts.baseURL, traffic: traffic
            ).add(to: router)
        }
        RevocationListRoute(
            lists: RevocationLists(authority: authority, work: work, now: parts.now) {
                try await parts.management.revokedIdentities().map {
                    RevokedCertificate(
                        serial: Hexadecimal.bytes($0.serial), revoked: $0.revoked, reason: $0.reason)
                }
            },
            certificate: authority.certificatePEM,
            fetches: PeerRate(perNetwork: parts.limits.revocationListFetches)
        ).add(to: router)
        OCSPRoute(
            management: parts.management, authority: authority,
            answers: OCSPAnswers(authority: authority, perSecond: parts.limits.statusSignaturesPerSecond),
            now: parts.now
        ).add(to: router)
    }

    private static func adminAPI(
        _ parts: Parts, _ traffic: Traffic, health: HealthRoutes, events: EventRoutes, _ shown: ShownCertificate
    ) -> AdminAPI {
        AdminAPI(
            management: parts.management, limits: parts.limits, traffic: traffic,
            enrollment: EnrollmentLinks(
                baseURL: parts.baseURL, authorityFingerprint: Hexadecimal.text(parts.authority.fingerprint)),
            health: health, events: events,
            showsOwnCertificate: { [authority = parts.authority] in
                shown.certificateDER.map { authority.hasSigned($0) } ?? false
            },
            now: parts.now)
    }
}

/// Once a minute writes down what was batched, forgets what has had its time, and gives back freed memory; at the end
/// writes once more.
struct Upkeep: Service {
    /// Beyond so many requests under way memory is left where it is: it will be needed again at once.
    private static let quiet = 16

    let management: Management
    let traffic: Traffic
    let returnMemory: @Sendable () -> Void
    let logger: Logger
    var pause: Duration = .seconds(60)

    func run() async throws {
        let (logLength, clockNotes) = (LogLength(logger), ClockNotes(logger))
        await cancelWhenGracefulShutdown {
            // What had its time while no server ran goes now.
            await attempt { try await management.expireCommands() }
            while (try? await Task.sleep(for: pause)) != nil {
                await attempt { try await management.maintain() }
                clockNotes.look(at: management)
                await attempt { logLength.look(at: try await management.storeFacts()) }
                if traffic.underWay <= Self.quiet { returnMemory() }
            }
        }
        do {
            try await management.flush()
        } catch is StoreDiskRefusal {
            // The store has said it to the log. The server stops as usual: devices say again what is not kept.
        }
    }

    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is StoreDiskRefusal {
            // The store says it to the log, once a minute.
        } catch {
            let reason = Self.reason(error)
            logger.error("what the server does once a minute was not done", metadata: ["reason": "\(reason)"])
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let damage as StoreDamage: "\(damage)"
        case let overload as StoreOverload: "\(overload)"
        case is ReadTooLong: "reading the database took too long"
        // The type is named, not the value: it may hold what a peer sent.
        default: "\(type(of: error))"
        }
    }
}

/// Lowercase hexadecimal.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
