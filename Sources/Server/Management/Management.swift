package import Foundation
import Glibc

/// The server's rules: what administrators and devices may do, and what follows from it.
///
/// Operations stand in extensions by topic. It knows no HTTP and no SQL: a store remembers, a clock and a source of
/// random bytes come in as parameters, and what the rules keep in memory is only a copy of what the store holds.
package struct Management: Sendable {
    let store: any Store
    let settings: Settings
    /// What the keys of secrets are wrapped under.
    let masterKeys: MasterKeyRing
    let now: @Sendable () -> Date
    /// Seconds on a clock that nobody sets: for waits.
    let uptime: @Sendable () -> TimeInterval
    /// Whether the wall clock goes on as time does.
    package let clock: ClockWatch
    let belief = ClockBelief()
    let random: @Sendable (Int) -> Data
    /// Whom a change wakes.
    package let wakeHub: WakeHub
    let throttle: LogInGuard
    let refusedSignIns = RefusedSignInTally()
    /// Of people who signed in while the disk was full.
    let interimSessions = InterimSessions()
    /// The same for people who sign in to enroll; who guesses there keeps no administrator out.
    let signIns: LogInGuard
    let contexts: DeviceContexts
    let eras: KnownEras
    let manifests: ManifestCache
    let files: FileCache
    let specifications: SpecificationCache
    let places: ConfigurationPlaceCache
    let seen: LastSeen
    /// How often devices may report.
    let reports: ReportAllowance
    package let oddReports = OddReports()
    /// Keys that were refused as content of defaults dictionaries.
    package let secretRefusals = SecretRefusals()
    /// When API tokens were last used.
    let tokenUses: LastSeen
    /// Where packages lie, if this server hosts any.
    package let packages: PackageDirectory?
    let pruning: PruneClock
    /// This life of the server: what an earlier one was doing is done by nobody any more.
    let life = Management.systemRandom(16)
    /// Wakes the task that judges devices by the rules of groups.
    package let judging: GroupJudging
    /// Publishes changes to listeners.
    package let changes: ChangeHub
    /// Wakes the task that sends to webhooks.
    package let webhookBell: Bell
    /// Wakes the task that works on jobs.
    package let jobBell: Bell
    let jobPace = JobPace()
    /// How Apple devices are woken.
    package let push = PushState()

    /// What the operator decides.
    package struct Settings: Sendable {
        /// Where devices reach the server, without a slash at the end: `https://host:port`.
        package var baseURL: String
        /// The organization that devices show.
        package var organization: String
        package var sessionSeconds: TimeInterval = 12 * 3_600
        package var retention = Retention()
        /// SHA-256 of the certificate of the authority that issues apps' identities.
        package var identityAuthorityFingerprint: Data?
        package var endorsement = EndorsementTrust()
        package var lifetimes = CertificateLifetimes()
        /// For how long a person who enrolled by account stays signed in; without it until an administrator ends it.
        package var signInLifetime: TimeInterval?
        /// The settings of enrollments; without them no device enrolls and none is sent a command to renew.
        package var enrollmentOffer: EnrollmentOffer?
        /// The work of one password check; tests use less.
        package var passwordCost: Argon2id.Cost = .standard
        /// How often one device may report its status, beside a first few at once; without it as often as it likes.
        package var statusReportsPerMinute: Int? = 60
        /// What webhooks may reach beside the public network.
        package var webhookPolicy = AddressPolicy()

        package init(baseURL: String, organization: String) {
            self.baseURL = baseURL
            self.organization = organization
        }
    }

    package init(
        store: any Store, settings: Settings, masterKeys: MasterKeyRing,
        now: @escaping @Sendable () -> Date = { Date() },
        uptime: @escaping @Sendable () -> TimeInterval = Management.systemUptime,
        random: @escaping @Sendable (Int) -> Data = Management.systemRandom,
        changes: ChangeHub.Bounds = ChangeHub.Bounds(), packages: PackageDirectory? = nil
    ) {
        self.store = store
        self.settings = settings
        self.masterKeys = masterKeys
        self.now = now
        self.uptime = uptime
        clock = ClockWatch(now: now, uptime: uptime)
        self.random = random
        wakeHub = WakeHub(others: [push.queue])
        self.packages = packages
        throttle = LogInGuard()
        signIns = LogInGuard()
        contexts = DeviceContexts()
        eras = KnownEras()
        manifests = ManifestCache()
        files = FileCache()
        specifications = SpecificationCache()
        places = ConfigurationPlaceCache(capacity: 1_024)
        seen = LastSeen()
        reports = ReportAllowance(perMinute: settings.statusReportsPerMinute)
        tokenUses = LastSeen()
        pruning = PruneClock()
        judging = GroupJudging()
        self.changes = ChangeHub(run: Base32.text(random(10)), bounds: changes)
        webhookBell = Bell()
        jobBell = Bell()
        store.whenAuditGrows { [webhookBell] in webhookBell.ring() }
    }

    /// The system's source of random bytes: one call of the system for as many as a secret has, not one for each.
    package static let systemRandom: @Sendable (Int) -> Data = { count in
        // The system gives no more at once.
        let most = 256
        var bytes = [UInt8](repeating: 0, count: count)
        for start in stride(from: 0, to: count, by: most) {
            let result = unsafe bytes.withUnsafeMutableBytes { all in
                unsafe getentropy(all.baseAddress?.advanced(by: start), min(most, count - start))
            }
            precondition(result == 0, "the system has random bytes")
        }
        return Data(bytes)
    }

    /// The time since the server started, which goes on whatever the system's clock is set to.
    package static let systemUptime: @Sendable () -> TimeInterval = {
        let start = ContinuousClock.now
        return { (ContinuousClock.now - start) / .seconds(1) }
    }()

    /// The present moment in whole seconds, as stores keep it and peers see it.
    var moment: Date { Date(timeIntervalSince1970: now().timeIntervalSince1970.rounded(.down)) }
}
