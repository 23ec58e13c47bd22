import DeviceMessages
import Foundation
import InputBounds
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

    /// A server that never runs out of commands is left after this many.
    private static let commandLimit = 1_000

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
    private let isReady: @Sendable (_ requestType: String) -> Bool
    /// The contact as the last dealings found it; nothing if they did not come to a request.
    var contact: Contact?

    private var machine: SyncMachine
    private var syncIsDue = false
    private var busy: Busy?
    private var statusIsDue = true
    /// Whether a report may have reached the server of which this device does not know it.
    ///
    /// One whose answer was lost, or one of a process before this. What it said may have been taken back since, and then
    /// only a full report mends it.
    private var isDoubtful = true
    /// Whether the server has the report of a damaged generation, which must go out before the generation is replaced.
    private var saidDamage = false
    /// Whether what the server means the device to hold was found or put in place in these dealings.
    private var isInPlace = false
    /// Secrets that could not be had for now, by their assets: they are asked for again when a retry is due, and hold
    /// nothing else up until then.
    private var refusedSecrets: [String: (token: String, refusal: AssetRefusal)] = [:]
    /// Whether a step of the synchronization failed in these dealings.
    private var stepFailed = false
    /// A command to synchronize has taken effect, but its answer was not delivered: the server will not say it again.
    private var owesSynchronization = false
    /// The apps that a command has asked for their feedback; nothing stands for all.
    private var feedbackAsked: [String?] = []

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
        if reasons.contains(.retry) { refusedSecrets = [:] }
        do {
            if device.known.damagedGeneration != nil, !saidDamage {
                try await reportStatus()
                saidDamage = device.known.declarations.enabled
            }
            forgetAnsweredFeedback()
            let undone = try await dropActions()
            if reasons.contains(.commands) {
                try await takeFirstCommands(undone)
                contact = .made
            }
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
            if !stepFailed { contact = .made }
            try device.heard(now: now())
            if device.known.needsSignIn { try device.change { $0.enrollment?.needsSignIn = nil } }
        } catch ServerRefusal.unrecognized {
            contact = .made
            return .unrecognized
        } catch {
            if case ServerRefusal.signInNeeded = error {
                contact = .made
                noteSignIn()
            } else {
                note(error, "the server could not be reached or did not answer as it should")
                if let reason = ServerContact.reason(of: error) {
                    contact = .failed(reason)
                } else if error is ServerRefusal {
                    contact = .made
                }
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

    // MARK: - Commands

    /// The same, and says so when not even a renewal can be fetched any more.
    private mutating func takeFirstCommands(_ undone: [String: Data]) async throws {
        do {
            try await takeCommands(undone)
        } catch ServerRefusal.identityExpired {
            log.error(
                "this device's identity has expired and the server takes it no longer, not even to renew it: an administrator must give it a new enrollment code that replaces it (enrollment-code create --replaces), for martlet-agent unenroll and then enroll"
            )
            throw ServerRefusal.identityExpired
        }
    }

    /// Takes commands until there are none; a result that could not be delivered before goes first.
    ///
    /// `undone` has answers that the disk did not take: the agent sends each in place of the stored result, and again
    /// later.
    private mutating func takeCommands(_ undone: [String: Data]) async throws {
        let waiting = device.known.commands.undelivered
        var report = waiting?.report ?? CommandReport(identifier: requests.identifier, status: .idle).encoded()
        var reported = waiting?.uuid
        if let waiting, let answer = undone[waiting.uuid] { (report, reported) = (answer, nil) }
        for _ in 0..<Self.commandLimit {
            let answer = try await requests.command(report)
            let delivered = reported
            guard !answer.isEmpty else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                return
            }
            guard let command = try? Command(parsing: answer) else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                let limits = InputLimits.message
                let uuid = (try? PropertyListValue(parsing: answer, limits: limits))?["CommandUUID"]?.string
                report = CommandReport(identifier: requests.identifier, status: .commandFormatError, commandUUID: uuid)
                    .encoded()
                reported = nil
                // Without a UUID the server cannot tell which command is meant, and would only repeat it.
                guard uuid != nil else {
                    _ = try await requests.command(report)
                    return
                }
                continue
            }
            guard isReady(command.requestType) else {
                if let delivered { try device.change { $0.commands.delivered(delivered) } }
                report = CommandReport(identifier: requests.identifier, status: .notNow, commandUUID: command.uuid)
                    .encoded()
                reported = nil
                continue
            }
            let known = DeviceCommands.command(of: command.requestType)
            if case .action(let action)? = known?.execution {
                report = try await act(command, by: action, needs: known?.right, delivered: delivered)
                reported = command.uuid
                continue
            }
            let prepared = try await prepared(for: command)
            let (result, synchronize) = try execute(command, by: prepared, delivered: delivered)
            report = result
            reported = command.uuid
            if isAwaited(command) {
                let next = try await requests.command(report)
                try device.change { $0.commands.delivered(command.uuid) }
                publish()
                guard !next.isEmpty else { return }
                // There is another command: ask for it anew, which a machine that goes down does after that.
                report = CommandReport(identifier: requests.identifier, status: .idle).encoded()
                reported = nil
            }
            if case .some(let tokens) = synchronize {
                // Acknowledged at once; the sync follows in requests of its own.
                owesSynchronization = true
                let next = try await requests.command(report)
                try device.change { $0.commands.delivered(command.uuid) }
                owesSynchronization = false
                try await follow(machine.handle(.command(tokens)))
                guard !next.isEmpty else { return }
                // There is another command: ask for it anew, now that the declarations are in place.
                report = CommandReport(identifier: requests.identifier, status: .idle).encoded()
                reported = nil
            }
        }
    }

    /// Executes a command once: effect, UUID and result are one change; a repeated one gets the same result.
    private mutating func execute(
        _ command: Command, by commands: DeviceCommands, delivered: String?
    ) throws -> (report: Data, synchronize: SyncTokens??) {
        let before = device.known
        defer {
            if device.known.hasOtherCommandedApps(than: before) {
                statusIsDue = true
                publish()
            }
            forgetAnsweredFeedback()
        }
        let wasInSetup = before.isInSetup
        defer {
            if wasInSetup, !device.known.isInSetup {
                log.notice("the server has let this device out of its setup: apps may be opened")
                statusIsDue = true
                publish()
            }
        }
        var taken: [String?] = []
        defer { feedbackAsked += taken }
        let known = DeviceCommands.command(of: command.requestType)
        let isRepeated = before.commands.answer(to: command.uuid) != nil
        return try device.change(
            contents: known?.contents(command) ?? [:], forgetting: known?.withdraws == true && !isRepeated
        ) { state in
            if let delivered { state.commands.delivered(delivered) }
            if let report = state.commands.answer(to: command.uuid), command.requestType != "DeclarativeManagement" {
                return (report, nil)
            }
            let outcome = commands.execute(command, on: &state)
            log.info("a command was executed", metadata: ["type": "\(command.requestType.prefix(64))"])
            switch outcome {
            case .report(let report):
                state.commands.record(command.uuid, report: report.encoded())
                return (report.encoded(), nil)
            case .takeFeedback(let report, let app):
                state.commands.record(command.uuid, report: report.encoded())
                taken.append(app)
                return (report.encoded(), nil)
            case .synchronize(let report, let tokens):
                state.commands.record(command.uuid, report: report.encoded())
                return (report.encoded(), .some(tokens))
            }
        }
    }

    // MARK: - Declarations

    /// Does what the machine says until it rests.
    private mutating func follow(_ actions: [SyncMachine.Action]) async throws {
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

    // MARK: - Status

    /// The server's state has taken the damaged generation's place; a full report says so.
    private mutating func forgetDamage() throws {
        try device.change { $0.damagedGeneration = nil }
        (saidDamage, statusIsDue, isDoubtful) = (false, true, true)
    }

    /// Tells the server what it does not know yet; counted as told only once it has said so.
    private mutating func reportStatus() async throws {
        let state = device.known
        guard state.declarations.enabled else {
            statusIsDue = false
            return
        }
        let apps = device.apps(state)
        let items = StatusItems(
            state, apps: apps, standings: device.standings(state, present: apps), facts: device.facts,
            appUsers: device.appUsers, withFeedback: withFeedback(state))
        let report = state.status.report(
            of: items.values, unavailable: items.unavailable, isDoubtful: isDoubtful, now: now())
        let feedback = feedback(for: state)
        guard report != nil || !feedback.isEmpty else {
            statusIsDue = false
            return
        }
        var message = StatusReport(fullReport: report?.isFull ?? false)
        for (name, value) in report?.items ?? [:] { message.set(value, at: name) }
        // In each report, and no reason for one: the server sees by it whether it was an older copy that began this run.
        message.set(device.atRest.value, at: AtRestStatus.name)
        if !feedback.isEmpty { message.set(.array(feedback.map(\.value)), at: AppFeedbackStatus.name) }
        message.errors = (report?.unavailable ?? []).map { name in
            let reason = StatusReason(code: "Error.NotSupported", description: "This device does not have the item.")
            return StatusReport.Failure(statusItem: name, reasons: [reason])
        }
        let wasDoubtful = isDoubtful
        // What is no state mends itself: what the server has of it twice it keeps once.
        if report != nil { isDoubtful = true }
        do {
            try await requests.status(message)
        } catch let refusal as ServerRefusal {
            // An answer, and no: the server has not taken it.
            isDoubtful = wasDoubtful
            throw refusal
        }
        if let report {
            try device.change { $0.status.accepted(report, now: now()) }
            isDoubtful = false
        }
        if !feedback.isEmpty {
            try device.feedback.reported(Set(feedback.map(\.life)))
            // There may be more than one report holds.
            try await reportStatus()
        }
        statusIsDue = false
    }
}
