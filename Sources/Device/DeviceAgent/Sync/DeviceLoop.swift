import CryptographicMessages
import DeviceMessages
package import Foundation
package import Logging
import SwiftASN1
package import TPMKeys
import X509

/// Keeps an enrolled device in touch with its server until it is canceled.
///
/// The device connects when the server wakes it, when something is to be reported, when a failed attempt is due, and now
/// and then of its own accord.
package struct DeviceLoop: Sendable {
    /// How patient the loop is.
    package struct Pace: Sendable {
        /// After a failed conversation or sync.
        package var retry = Backoff(first: .seconds(1), longest: .seconds(300))
        /// After a wake stream that ended.
        package var reconnect = Backoff(first: .milliseconds(250), longest: .seconds(30))
        /// A wake stream that was open for so long was a good one.
        package var lasting = Duration.seconds(1)
        /// How often the device looks by itself if nobody can wake it, and if somebody can; a quarter more or less is drawn.
        package var poll = Duration.seconds(60)
        package var pollWithWakeStream = Duration.seconds(3_600)
        /// The wake stream says something every minute; silent for this long, it is dead.
        package var heartbeat = Duration.seconds(150)
        /// How often apps are asked for their feedback where nobody asks for it sooner.
        package var feedback = Duration.seconds(3_600)
        /// Reports that come together are told together.
        package var gathering = Duration.milliseconds(20)

        package init() {}
    }

    private let device: Device
    private let doorbell: Doorbell
    private let pace: Pace
    private let attempt: ConfigurationAttempt
    private let publish: @Sendable () -> Void
    private let now: @Sendable () -> Date
    private let log: Logger

    /// Prepares a loop; `attempt` has a running app try a configuration.
    package init(
        device: Device, doorbell: Doorbell, pace: Pace = Pace(),
        attempt: @escaping ConfigurationAttempt = { _ in .untried(.notRunning) },
        publish: @escaping @Sendable () -> Void,
        now: @escaping @Sendable () -> Date = { Date() }, log: Logger
    ) {
        self.device = device
        self.doorbell = doorbell
        self.pace = pace
        self.attempt = attempt
        self.publish = publish
        self.now = now
        self.log = log
    }

    /// Runs until canceled, or until the server lets the device go; by then everything of the enrollment is gone (D14).
    package func run() async throws {
        if device.known.enrollment?.stage != .isComplete { device.contact.begin(with: nil) }
        var served: Data??
        // Again, when the server has given this device another identity.
        while !Task.isCancelled, let enrollment = device.known.enrollment, enrollment.stage == .isComplete {
            guard served == nil || served != .some(enrollment.certificate) else { return }
            served = .some(enrollment.certificate)
            try await keepInTouch(enrollment)
        }
    }

    private func keepInTouch(_ enrollment: Enrollment) async throws {
        let state = device.known
        if let expires = enrollment.identityExpires, expires <= now() {
            log.error("this device's identity has expired: it can do nothing but ask the server for a new one")
        }
        let profile = try EnrollmentProfile(parsing: enrollment.profile)
        device.contact.begin(with: (try? ServerOrigin(of: profile.mdm.serverURL))?.text ?? enrollment.origin)
        let identity = try enrollment.identity(tpm: device.tpm)
        let roots = enrollment.roots(with: profile)
        let token = enrollment.accessToken(with: profile)
        let connection = try ServerConnection(
            roots: roots, identity: identity, signs: profile.mdm.signMessage, accessToken: token,
            answered: device.pulse.goOn)
        let stream = try ServerConnection(
            roots: roots, identity: identity, signs: profile.mdm.signMessage, accessToken: token,
            silence: pace.heartbeat)
        let anonymous = try ServerConnection(
            roots: enrollment.kind == .profile ? profile.authorityRoots(given: enrollment.roots) : [], identity: nil,
            trustsSystem: true, answered: device.pulse.goOn)
        let requests = MDMRequests(connection: connection, profile: profile, identifier: state.identifier)
        let home = HomeServer(url: profile.mdm.serverURL, roots: roots)
        let session = Session(
            device: device, requests: requests, anonymous: anonymous,
            provisioner: SecretProvisioner(issuers: [
                .scep: SCEPIssuer(home: home, defaultName: state.identifier.id, log: log),
                .acme: acmeIssuer(home, connection, profile),
            ]), attempt: attempt, publish: publish, now: now, log: log)
        defer { for one in [connection, stream, anonymous] { one.close() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let url = profile.wakeURL {
                group.addTask { try await listen(url, on: stream, pushMagic: enrollment.pushMagic) }
            }
            group.addTask { try await poll(every: profile.wakeURL == nil ? pace.poll : pace.pollWithWakeStream) }
            group.addTask { try await converse(session) }
            defer { group.cancelAll() }
            // The first to end is the conversation: the others only ever end by being canceled.
            try await group.next()
        }
    }

    private func acmeIssuer(
        _ home: HomeServer, _ connection: ServerConnection, _ profile: EnrollmentProfile
    ) -> ACMEIssuer {
        guard let tpm = device.tpm else { return ACMEIssuer(home: home) }
        // What vouches for a key names the chip, and so the device.
        guard device.known.enrollment?.separatesData != true else { return ACMEIssuer(home: home, chip: ChipKeys(tpm)) }
        let attestation = ChipAttestation(
            tpm, device: device, connection: connection, server: profile.mdm.serverURL, now: now)
        return ACMEIssuer(home: home, chip: ChipKeys(tpm), attestation: attestation)
    }

    /// Answers the doorbell.
    private func converse(_ session: Session) async throws {
        var session = session
        var backoff = pace.retry
        // Of what could not be had although the server was heard: nothing else waits for it.
        var lacking = pace.retry
        let clock = ContinuousClock()
        var renewal: Date?
        doorbell.ring([.commands, .look, .status])
        try await withThrowingDiscardingTaskGroup { timers in
            for await _ in doorbell.listen() {
                try Task.checkCancellation()
                var reasons = doorbell.take()
                if reasons == .status {
                    try await Task.sleep(for: pace.gathering)
                    reasons.formUnion(doorbell.take())
                }
                guard !reasons.isEmpty else { continue }
                guard backoff.mayTry(at: clock.now, called: reasons.contains(.called)) else {
                    doorbell.owe(reasons.subtracting(.called))
                    continue
                }
                let end = await attend(reasons, &session)
                if session.contact == .made { device.contact.answered(.conversation, at: now(), log: log) }
                switch end {
                case .rested:
                    // A conversation that asked nothing says nothing about the server.
                    if session.contact == .made { backoff.succeeded() }
                    if device.known.applied.isComplete { lacking.succeeded() }
                case .lacking:
                    backoff.succeeded()
                    let due = lacking.failed(at: clock.now)
                    timers.addTask {
                        if (try? await clock.sleep(until: due)) != nil { doorbell.ring(.retry) }
                    }
                case .tryLater(let rest, let busy):
                    try Task.checkCancellation()
                    doorbell.owe(rest)
                    let due = backoff.failed(at: clock.now, busy: busy)
                    if case .failed(let reason)? = session.contact { lost(.conversation, reason, until: due) }
                    timers.addTask {
                        // A stop cancels the wait; that is no failure of the conversation.
                        if (try? await clock.sleep(until: due)) != nil { doorbell.ringOwed() }
                    }
                case .unrecognized:
                    timers.cancelAll()
                    try await leave()
                    return
                case .replaced:
                    timers.cancelAll()
                    return
                }
                if let due = device.known.nextRenewal, due != renewal {
                    renewal = due
                    let wait = Duration.seconds(max(0, due.timeIntervalSince(now())))
                    timers.addTask {
                        if (try? await clock.sleep(for: wait)) != nil { doorbell.ring(.renew) }
                    }
                }
            }
            timers.cancelAll()
        }
    }

    /// Takes everything of the enrollment from the apps at once, and from the disk as soon as that allows it.
    private func leave() async throws {
        let before = device.known
        device.serveNothing()
        publish()
        var backoff = pace.retry
        let clock = ContinuousClock()
        while true {
            do {
                try device.change(forgetting: true) { $0.unenroll() }
                break
            } catch {
                log.error(
                    "the server has ended this device's enrollment, and the disk does not take that yet; apps get nothing",
                    metadata: ["why": "\(error)"])
                try await clock.sleep(until: backoff.failed(at: clock.now))
            }
        }
        device.serve(within: nil)
        device.contact.begin(with: nil)
        publish()
        log.notice(
            "the server has ended this device's enrollment; what it gave is removed",
            metadata: Departure(from: before, to: device.known).metadata)
    }

    /// Deals with the reasons, and with an identity that is to be replaced: first of all if only the new one may still serve.
    private func attend(_ reasons: Reasons, _ session: inout Session) async -> Session.End {
        device.pulse.begin()
        defer { device.pulse.rest() }
        let succession = Succession(device: device, log: log)
        if device.known.enrollment?.successor?.isAuthenticated == true {
            session.contact = nil
            switch await succession.run() {
            case .succeeded: return .replaced
            case .tryLater(let busy): return .tryLater(reasons.subtracting(.called), busy)
            case .abandoned: break
            }
        }
        let end = await session.attend(reasons)
        guard end != .unrecognized, device.known.enrollment?.successor != nil else { return end }
        switch (await succession.run(), end) {
        case (.succeeded, _): return .replaced
        case (.abandoned, _): return end
        case (.tryLater(let busy), .tryLater(let rest, let word)): return .tryLater(rest.union(.renew), busy ?? word)
        case (.tryLater(let busy), .lacking): return .tryLater([.renew, .retry], busy)
        case (.tryLater(let busy), _): return .tryLater(.renew, busy)
        }
    }

    /// The contact failed on a road, which is tried again at a moment.
    private func lost(_ road: ContactRoad, _ reason: String, until due: ContinuousClock.Instant) {
        let moment = now()
        let wait: Duration = due - ContinuousClock.now
        let next = moment.addingTimeInterval(max(0, wait / .seconds(1)))
        device.contact.failed(road, reason, at: moment, next: next, log: log)
    }

    private func poll(every interval: Duration) async throws {
        while true {
            try await Task.sleep(for: interval * Double.random(in: 0.75...1.25))
            doorbell.ring([.commands, .look, .status])
        }
    }

    /// Holds the wake stream open, and opens it again whenever it ends.
    private func listen(_ url: String, on stream: ServerConnection, pushMagic: String) async throws {
        var backoff = pace.reconnect
        // What the server refuses once it refuses again: as patient as the conversation, which is refused as well.
        var refusals = pace.retry
        let clock = ContinuousClock()
        while true {
            let ear = WakeEar(pushMagic: pushMagic, doorbell: doorbell)
            let begun = clock.now
            var busy: Busy?
            var isRefused = false
            var absence: String?
            do {
                let reply = try await stream.listen(
                    url,
                    onOpen: {
                        device.contact.answered(.wakeStream, at: now(), log: log)
                        ear.opened()
                    }, onPart: { try ear.take($0) })
                log.info("the wake stream has ended", metadata: ["status": "\(reply.status)"])
                busy = Busy(reply)
                isRefused = reply.status == 400
                if let refusal = MDMRequests.refusal(reply, isByAccount: false) {
                    absence = ServerContact.reason(of: refusal)
                    if absence == nil { device.contact.answered(.wakeStream, at: now(), log: log) }
                }
                // What the status means for the enrollment is judged where commands are asked for.
                if reply.status == 401 || reply.status == 403 { doorbell.ring(.commands) }
            } catch {
                log.debug("the wake stream failed", metadata: ["why": "\(error.explanation)"])
                // One that was open and broke off is opened again first: that shows whether the server is there.
                if !ear.heardAnything { absence = error.explanation }
            }
            try Task.checkCancellation()
            // One that is opened only to be closed is no success.
            if ear.heardAnything, clock.now - begun > pace.lasting { backoff.succeeded() }
            if !isRefused { refusals.succeeded() }
            let due = isRefused ? refusals.failed(at: clock.now) : backoff.failed(at: clock.now, busy: busy)
            if let absence { lost(.wakeStream, absence, until: due) }
            try await clock.sleep(until: due)
        }
    }
}

extension Enrollment {
    /// By what the server is known: by the system's authorities if it was so from the beginning.
    func roots(with profile: EnrollmentProfile) -> [Data] {
        if kind == .profile { return profile.serverRoots(given: roots) }
        return roots.isEmpty ? [] : roots + profile.roots
    }

    /// What is shown with each request to the server of the profile.
    func accessToken(with profile: EnrollmentProfile) -> AccessToken? {
        accessToken.map { AccessToken($0, for: [profile.mdm.serverURL, profile.mdm.checkInURL].compactMap { $0 }) }
    }

    /// When the identity ends.
    package var identityExpires: Date? {
        certificate.flatMap { try? Certificate(derEncoded: Array($0)).notValidAfter }
    }

    /// The identity, once the certificate is here.
    package func identity(tpm: TPM?) throws -> DeviceIdentity? {
        try certificate.map { DeviceIdentity(certificateDER: $0, key: try DeviceKey(key, tpm: tpm)) }
    }
}
