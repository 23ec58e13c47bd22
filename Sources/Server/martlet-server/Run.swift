import ArgumentParser
import CertificateAuthority
import Foundation
import Logging
import Management
import ServerHTTP
import ServiceLifecycle
import ServiceManager
import StoreSQLite
import UnixSignals
import WipedMemory

/// `martlet-server run`: starts, serves, and stops within a second of being asked to.
///
/// Where the database's log is large, a stop moves it into the database for up to five more.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the server (the default).")

    @OptionGroup var place: PlaceOptions

    @OptionGroup var options: SettingOptions

    func run() async throws {
        StandardOutput.keepDescriptors()
        let settings = try await Settings(place, options)
        let level = SharedLogLevel(settings.logLevel)
        let logger = settings.logFormat.logger(level)
        for name in settings.unknownVariables {
            logger.warning(
                "the environment has a variable that is not known: it has no effect", metadata: ["name": "\(name)"])
        }
        if let files = OpenFiles.takeAll() {
            if files.wereRaised {
                logger.info("open files", metadata: ["limit": "\(files.now)", "before": "\(files.before)"])
            }
        } else {
            logger.warning("this process may open no more files than it began with")
        }
        let now = Date()
        // Files that options name come before anything is made: each refusal is the operator's to mend.
        let endorsement = try settings.endorsement()
        let appleRoots = try settings.appleRoots()
        let webhookRoots = try settings.webhookRoots()
        let pushService = try settings.pushServiceParts()
        _ = try settings.signIn?.parts(baseURL: settings.baseURL(port: settings.port))
        // A first start makes nothing where it could not serve. A port that the system chooses is looked for again later:
        // until the server has it, another process could take it.
        let isNew = DataDirectory.isNew(settings.dataDirectory)
        if isNew { try Self.tryCertificate(settings) }
        let tried: (handed: Int32?, port: Int)? = try await isNew ? Self.address(settings) : nil
        let directory = try DataDirectory(path: settings.dataDirectory)
        try directory.requireWhole()
        let store = try await directory.startingStore()
        store.whenDiskRefuses { refusal in
            var metadata: Logger.Metadata = ["path": "\(refusal.path)"]
            if let free = refusal.freeBytes { metadata["freeBytes"] = "\(free)" }
            logger.error("\(refusal)", metadata: metadata)
        }
        store.whenDamaged {
            logger.critical(
                "the database is damaged: stop the server, run martlet-server check, put the last good backup back",
                metadata: ["path": "\(directory.databasePath)"])
        }
        // A disk without room is said now, not a minute later.
        _ = try? await store.facts()
        let authority = try directory.authority(for: .devices, organization: settings.organization, now: now)
        let identityAuthority = try directory.authority(
            for: .identities, organization: settings.organization, now: now)
        let certificateSource = settings.certificateSource(directory, authority)
        let certificate = try certificateSource.load(now)
        let address: (handed: Int32?, port: Int)
        if let tried, tried.handed != nil || settings.port != 0 {
            address = tried
        } else {
            address = try await Self.address(settings)
        }
        let baseURL = settings.baseURL(port: address.port)
        var rules = Management.Settings(baseURL: baseURL, organization: settings.organization)
        rules.identityAuthorityFingerprint = identityAuthority.fingerprint
        rules.retention.auditSeconds = settings.auditDays == 0 ? nil : TimeInterval(settings.auditDays) * 24 * 3_600
        rules.statusReportsPerMinute = settings.statusReportsPerMinute == 0 ? nil : settings.statusReportsPerMinute
        rules.endorsement = endorsement
        rules.lifetimes = settings.lifetimes
        rules.signInLifetime = settings.signInLifetime
        rules.webhookPolicy = settings.webhookPolicy
        rules.enrollmentOffer = EnrollmentOffer(
            authority: authority.certificateDER, baseURL: baseURL, organization: settings.organization,
            means: settings.enrollmentMeans)
        let management = Management(
            store: store, settings: rules,
            masterKeys: try await MasterKeySource(directory).ring(for: store),
            packages: try Self.packages(directory))
        if let refusal = try await management.unlockSecrets() { throw Refusal(rule: refusal.description) }
        try await management.loadPushCredential()
        let ways = FirstSignIn.lines(directory, authority, certificate, of: settings.certificateFiles)
        if let first = try await management.createFirstAdministrator() {
            ways.forEach(StandardOutput.say)
            // Said once, and written nowhere.
            StandardOutput.say("administrator: \(first.name)")
            StandardOutput.say("one-time password: \(first.oneTimePassword)")
            StandardOutput.say("unless it is used, it expires at \(first.passwordEnds.formatted(.iso8601))")
        } else if let waiting = try await management.administratorWithUnusedPassword() {
            ways.forEach(StandardOutput.say)
            // It may have been lost with the start that said it, or never been said.
            let standing = waiting.passwordHasEnded(at: Date()) ? "has expired unused" : "has not been used"
            StandardOutput.say("administrator: \(waiting.name); the one-time password \(standing)")
            StandardOutput.say(
                "if it is lost or has ended, stop the server: martlet-server reset-admin-password gives a new one")
        }
        try directory.endFirstStart()
        var parts = MartletServer.Parts(
            management: management, authority: authority, identityAuthority: identityAuthority,
            certificateChain: certificate.chain, key: certificate.key, baseURL: baseURL,
            host: settings.host, port: address.port)
        parts.handed = address.handed
        parts.appleAttestationRoots = appleRoots
        parts.measures = settings.metrics
        parts.returnMemory = { return_freed_memory() }
        parts.webhookRoots = webhookRoots
        parts.pushService = pushService
        parts.signIn = try settings.signIn?.parts(baseURL: baseURL)
        let server = try MartletServer(parts, logger: logger)
        // The program ends when its terminal is closed, as any other. Trap the signal before the server reports that it
        // is ready: it may come at once.
        let hangUps = isatty(STDIN_FILENO) == 0 ? await UnixSignalsSequence(trapping: .sighup) : nil
        let manager = ServiceManager(ProcessInfo.processInfo.environment)
        let services = try server.services { _ in
            StandardOutput.say("martlet-server ready \(baseURL)")
            manager?.say(.ready)
        }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        let watch = CertificateWatch(
            certificateSource, shown: server.certificate, first: certificate, logger: logger,
            now: { management.clock.ofOwnCertificate })
        configuration.services.append(.init(service: CertificateLooks(watch)))
        let reload = Reload(
            signals: hangUps, place: place, options: options, started: settings, directory: directory,
            authority: authority, certificate: server.certificate, watch: watch, level: level, manager: manager,
            logger: logger)
        configuration.services.append(.init(service: reload))
        if let manager { configuration.services.append(.init(service: ServiceManagerReports(manager))) }
        configuration.maximumGracefulShutdownDuration = .milliseconds(900)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            // So ends what was still under way when the time of a stop was over: a stop like any other.
            logger.notice("stopped; what took longer than a stop may was cut off")
        }
        try store.close { left in
            logger.warning("the database's log stays beside it", metadata: ["reason": "\(left.reason)"])
        }
    }

    /// Refuses a certificate or a name that a first start would otherwise meet only after it has made keys and database.
    ///
    /// What it leaves behind would be no server, and no place for `restore` either.
    private static func tryCertificate(_ settings: Settings) throws {
        if let files = settings.certificateFiles {
            _ = try files.load(hostnames: settings.hostnames)
        } else if !Authority.canNameServer(settings.hostnames) {
            throw Refusal(rule: DataDirectory.hostnameRule)
        }
    }

    /// The port of the socket that the service manager opened for us, or else the one we shall open.
    ///
    /// Refuses the place of the metrics, too, where the server could not listen there beside its port.
    private static func address(_ settings: Settings) async throws -> (handed: Int32?, port: Int) {
        let handed: HandedSockets.Handed?
        do {
            handed = try HandedSockets(ProcessInfo.processInfo.environment, names: ["https"])["https"]
        } catch {
            throw Refusal(rule: error.description)
        }
        // The port is in the URLs that devices are given, so it must be known before the server is built.
        guard let handed else { return (nil, try await ListeningPlace.probeAll(settings)) }
        guard case .port(let port) = handed.place else {
            throw Refusal(rule: HandedSocketRefusal.elsewhere.description)
        }
        _ = try await ListeningPlace.metrics(settings)?.probe()
        return (handed.descriptor, port)
    }

    private static func packages(_ directory: DataDirectory) throws -> PackageDirectory {
        do {
            return try PackageDirectory(path: directory.packagesPath)
        } catch {
            throw Refusal(rule: "the directory of packages cannot be made")
        }
    }
}
