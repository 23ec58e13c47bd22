import DeviceMessages
import Foundation
import Logging

/// One enrolled device's dealings with its server, one after the other.
///
/// Owned by the loop alone: no rule of it spans a wait that somebody else could use.
struct Session {
    /// How it went.
    enum End: Equatable {
        /// Nothing more to do for now.
        case rested
        /// These reasons remain; a server may have said that it is asked too much.
        case tryLater(Reasons, Busy?)
        /// The server was heard and everything is in place that can be had; something is missing that may be had later.
        case lacking
        /// The server has let this device go.
        case unrecognized
        /// The device has another identity, by which everything goes on.
        case replaced
    }

    /// What these dealings have found out about the contact with the server.
    enum Contact: Equatable {
        case made
        /// For a person who reads the log.
        case failed(String)
    }

    let device: Device
    let provisioner: SecretProvisioner
    let publish: @Sendable () -> Void
    let now: @Sendable () -> Date
    let jitter: @Sendable () -> Double
    let log: Logger
    let requests: MDMRequests
    let anonymous: ServerConnection
    let commands: DeviceCommands
    let attempt: ConfigurationAttempt
    let isReady: @Sendable (_ requestType: String) -> Bool
    /// The contact as the last dealings found it; nothing if the server answered no request and failed none.
    var contact: Contact?

    var machine: SyncMachine
    private var syncIsDue = false
    private var busy: Busy?
    var statusIsDue = true
    /// Whether a report may have reached the server of which this device does not know it.
    ///
    /// One whose answer was lost, or one of a process before this. What it said may have been taken back since, and then
    /// only a full report mends it.
    var isDoubtful = true
    /// Whether the server has the report of a damaged generation, which must go out before the generation is replaced.
    var saidDamage = false
    /// Whether what the server means the device to hold was found or put in place in these dealings.
    private var isInPlace = false
    /// Secrets that could not be had for now, by their assets: they are asked for again when a retry is due, and hold
    /// nothing else up until then.
    private var refusedSecrets: [String: (token: String, refusal: AssetRefusal)] = [:]
    /// Whether a step of the synchronization failed in these dealings.
    private var stepFailed = false
    /// A command to synchronize has taken effect, but its answer was not delivered: the server will not say it again.
    var owesSynchronization = false
    /// The apps that a command has asked for their feedback; nothing stands for all.
    var feedbackAsked: [String?] = []

    init(
        device: Device, requests: MDMRequests, anonymous: ServerConnection, provisioner: SecretProvisioner,
        attempt: @escaping ConfigurationAttempt,
        isReady: @escaping @Sendable (String) -> Bool = { _ in true }, publish: @escaping @Sendable () -> Void,
        now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        log: Logger
    ) {
        self.device = device
        self.requests = requests
        self.anonymous = anonymous
        self.provisioner = provisioner
        self.attempt = attempt
        self.jitter = jitter
        self.isReady = isReady
        self.publish = publish
        self.now = now
        self.log = log
        commands = DeviceCommands(
            facts: device.facts, profile: requests.profile, tpm: device.tpm, apps: { device.listedApps($0) },
            feedback: { device.feedback.known(of: $0) }, content: { device.content($0) })
        let state = device.known
        machine = SyncMachine(
            enabled: state.declarations.enabled,
            held: SyncMachine.DeclarationSet(token: state.declarations.token, declarations: state.declarations.all),
            complete: state.applied.isComplete && state.applied.knowsAllTypes)
    }

    /// Deals with everything there is a reason for.
    mutating func attend(_ reasons: Reasons) async -> End {
        (syncIsDue, isInPlace, stepFailed, busy) = (false, false, false, nil)
        contact = nil
        requests.answers.forget()
        defer { if contact == nil, requests.answers.hasAnswered { contact = .made } }
        if reasons.contains(.retry) { refusedSecrets = [:] }
        do {
            if device.known.damagedGeneration != nil, !saidDamage {
                try await reportStatus()
                saidDamage = device.known.declarations.enabled
            }
            forgetAnsweredFeedback()
            let undone = try await dropActions()
            if reasons.contains(.commands) { try await takeFirstCommands(undone) }
            // The server may have got only now an answer that the machine waits for.
            if !device.known.pendingActions.isEmpty { publish() }
            if !feedbackAsked.isEmpty {
                await takeFeedback(of: feedbackAsked)
                (feedbackAsked, statusIsDue) = ([], true)
            }
            // What a predicate asks for may have changed, by a command too, while the server's set is the same.
            let hasChangedPredicateResults = device.known.hasChangedPredicateResults(device.facts)
            if hasChangedPredicateResults {
                log.info("the result of a predicate has changed: the declarations are evaluated again")
                machine.markIncomplete()
            }
            if owesSynchronization {
                owesSynchronization = false
                try await follow(machine.handle(.command(nil)))
            }
            if reasons.contains(.look) || hasChangedPredicateResults { try await follow(machine.handle(.wake)) }
            if reasons.contains(.retry) { try await follow(machine.handle(.timer)) }
            try await renewDue()
            if saidDamage, isInPlace { try forgetDamage() }
            if reasons.contains(.status) { statusIsDue = true }
            if statusIsDue { try await reportStatus() }
            if requests.answers.hasAnswered {
                try device.heard(now: now())
                if device.known.needsSignIn { try device.change { $0.enrollment?.needsSignIn = nil } }
            }
        } catch ServerRefusal.unrecognized {
            return .unrecognized
        } catch {
            if case ServerRefusal.signInNeeded = error {
                noteSignIn()
            } else {
                note(error, "the server could not be reached or did not answer as it should")
            }
            if let reason = ServerContact.reason(of: error) {
                contact = .failed(reason)
            } else if error is ServerRefusal {
                // An answer, whatever an earlier step found.
                contact = .made
            }
            // The other reasons for the failed conversation remain.
            var again = reasons.subtracting(.called)
            if statusIsDue { again.insert(.status) }
            if syncIsDue { again.insert(.retry) }
            return .tryLater(again, busy)
        }
        guard syncIsDue else { return .rested }
        return stepFailed || busy != nil ? .tryLater(.retry, busy) : .lacking
    }

    /// Until the person has signed in the device asks now and then, and keeps all it has.
    private func noteSignIn() {
        guard !device.known.needsSignIn else { return }
        do {
            try device.change { $0.enrollment?.needsSignIn = true }
        } catch {
            log.error("that the person has to sign in could not be kept", metadata: ["why": "\(error)"])
        }
        log.warning(
            "the server wants the person to sign in again, with martlet-agent enroll --account; what this device has stays until then"
        )
    }

    // MARK: - Declarations

    /// Does what the machine says until it rests.
    mutating func follow(_ actions: [SyncMachine.Action]) async throws {
        var actions = actions
        let shell = self
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .fetchTokens: actions += try await hear { try await .tokens(shell.requests.tokens()) }
            case .fetchItems: actions += try await hear { try await .items(shell.requests.items()) }
            case .fetchDeclaration(let kind, let identifier):
                actions += try await hear { try await .declaration(shell.requests.declaration(kind, identifier)) }
            case .apply(let set):
                var found: Busy?
                var refused = refusedSecrets
                actions += try await hear { try await .applied(complete: shell.apply(set, &found, &refused)) }
                refusedSecrets = refused
                if let found { busy = found }
            case .reportStatus: (statusIsDue, isInPlace) = (true, true)
            case .scheduleRetry: (syncIsDue, isInPlace) = (true, false)
            }
        }
    }

    private mutating func hear(_ event: () async throws -> SyncMachine.Event) async throws -> [SyncMachine.Action] {
        do {
            return machine.handle(try await event())
        } catch let refusal as ServerRefusal where [.unrecognized, .signInNeeded].contains(refusal) {
            _ = machine.handle(.failed)
            throw refusal
        } catch ServerRefusal.notFound {
            return machine.handle(.missing)
        } catch {
            note(error, "a step of the synchronization failed")
            stepFailed = true
            // A refusal of one step says nothing about the others.
            if let silence = error as? ServerSilence, !silence.isAnswer { contact = .failed(silence.explanation) }
            return machine.handle(.failed)
        }
    }

    private mutating func note(_ error: any Error, _ what: Logger.Message) {
        if case ServerRefusal.busy(let word) = error { busy = word }
        let why = (error as? ServerSilence)?.explanation ?? "\(error)"
        log.info(what, metadata: ["why": "\(why)"])
    }
}
