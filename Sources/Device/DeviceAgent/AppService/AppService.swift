import CLinux
package import DeviceMessages
package import Foundation
package import Logging
import Synchronization

/// Serves the apps on this device: launches them, knows them again, tells each its state.
///
/// One thread with one epoll does everything. Before the first `update` nobody is told anything, so that an agent
/// that is still reading its store never tells an app that it is unmanaged.
package final class AppService: Sendable {
    private let inbox: AppServiceInbox
    private let launcher: AppLauncher
    private let files: AppFiles
    private let reports: ReportWriter
    private let handOvers: HandOverWriter
    private let context: AppServiceLoop.Context
    private let thread = Mutex<DispatchSemaphore?>(nil)

    /// Prepares a service; nothing happens before `start`.
    ///
    /// All closures but `report` and `left` run on the service's thread and must not block for long, nor stop the service. `find` says
    /// which app an `open` command means, `program` whose program lies at a path, `teams` whose signatures count. `report`
    /// writes down what decoders say, the newest of each app, and throws if it cannot. `enrollment` takes what is asked at the control socket, to be answered whenever it is
    /// done, `isEnrolled` answers whether there is a server, `absence` since when that gives no answer. `secret` unseals a value by its digest. `apps` answers what people at the device ask about apps. `left`
    /// hears that a launched process has ended, `appeared` looks again for an app that is opened and not known yet, and returns
    /// the new states if it is declared, `visited` where the apps lie that others started and that are answered. `handedOver`
    /// writes down, on a thread of its own, which configurations apps fetched over HTTP and which were written to files for
    /// them; if it throws it is called again.
    ///
    /// `developed` is an app that its developer tries: each process of this user that connects is taken for it, and it ends
    /// with this process. Such a service has no `accounts` and serves nothing of a device's.
    ///
    /// With `accounts` each app runs as a user of its own, which only root can have it do. Where the agent cannot mount
    /// memory, apps' files lie in `runtimeDirectory`. `handed` are sockets that listen at their paths already. `roots` is the
    /// file of certificates that managed apps trust.
    package init(
        socketPath: String, controlPath: String, records: any LaunchRecords, log: Logger,
        find: @escaping @Sendable (_ bundleIdentifier: String) -> AppBundle?,
        program: @escaping @Sendable (_ path: String) -> AppBundle? = { _ in nil },
        teams: @escaping @Sendable () -> KnownTeams = { KnownTeams() },
        report: @escaping @Sendable ([ConfigurationReport]) throws -> Void,
        enrollment: @escaping @Sendable (EnrollmentCall) -> Void = { $0.answer(.refused("this agent cannot enroll")) },
        secret: @escaping @Sendable (_ digest: String) throws -> SecretContent = { _ in throw StoreRefusal.blobMissing
        },
        signingRoom: SigningRoom = SigningRoom(), accounts: AppAccounts? = nil, runtimeDirectory: String? = nil,
        handed: [String: Int32] = [:], developed: AppBundle? = nil,
        isEnrolled: @escaping @Sendable () -> Bool = { false },
        absence: @escaping @Sendable () -> ServerContact.Absence? = { nil },
        apps: @escaping @Sendable (AppRequest) -> AppAnswer = { _ in .refused("this agent installs no apps") },
        appeared: @escaping @Sendable (_ app: String) -> AppStates? = { _ in nil },
        feedback: FeedbackRoom? = nil, roots: String? = nil, left: @escaping @Sendable () -> Void = {},
        visited: @escaping @Sendable (_ directories: Set<String>) -> Void = { _ in },
        handedOver: @escaping @Sendable (ConfigurationHandOver) throws -> Void = { _ in },
        now: @escaping @Sendable () -> Date = { Date() },
        uptime: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds },
        reportsEvery reportPause: DispatchTimeInterval = .seconds(1)
    ) {
        precondition(developed == nil || accounts == nil, "a developer's app has no user of its own")
        let closer = DescriptorCloser()
        inbox = AppServiceInbox(closer: closer)
        reports = ReportWriter(every: reportPause, log: log, write: report)
        handOvers = HandOverWriter(retryingAfter: .seconds(10), log: log, write: handedOver)
        let note: @Sendable (ConfigurationHandOver) -> Void = { [handOvers] handOver in handOvers.take(handOver) }
        files = AppFiles(
            directory: (socketPath as NSString).deletingLastPathComponent, runtime: runtimeDirectory, log: log,
            secret: secret, written: note)
        launcher = AppLauncher(
            socketPath: socketPath, store: records, accounts: accounts, files: files, seals: AppSeals(teams: teams),
            isForDevelopment: developed != nil, closer: closer)
        context = AppServiceLoop.Context(
            socketPath: socketPath, controlPath: controlPath, handed: handed, log: log, find: find, program: program,
            developed: developed, enrollment: enrollment, secret: secret, signingRoom: signingRoom,
            isEnrolled: isEnrolled, absence: absence, apps: apps, appeared: appeared,
            feedback: feedback, roots: roots, left: left, visited: visited,
            now: now, uptime: uptime,
            closer: closer,
            reports: reports, handedOver: note)
    }

    /// Listens, takes back the processes on record and begins to answer.
    package func start() throws {
        try thread.withLock { thread in
            precondition(thread == nil, "an app service starts once")
            let known = try launcher.takeBack()
            let loop = try AppServiceLoop(context: context, launcher: launcher, inbox: inbox, known: known)
            let ended = DispatchSemaphore(value: 0)
            context.feedback?.hear(asked: { [inbox] in inbox.feedbackAsked() })
            let box = ThreadConfined(loop)
            let runner = Thread {
                box.value.run()
                ended.signal()
            }
            runner.name = "app-service"
            runner.start()
            thread = ended
        }
    }

    /// Returns true when the service's thread has come round.
    package func answers() async -> Bool {
        await withCheckedContinuation { done in inbox.ask { done.resume(returning: true) } }
    }

    /// Stops answering; the apps live on and come back to the next service on the same path.
    package func stop() {
        thread.withLock { thread in
            guard let ended = thread else { return }
            inbox.stop()
            ended.wait()
            reports.finish()
            files.stop()
            handOvers.finish()
            thread = nil
        }
    }

    /// Replaces the states of the apps; an app whose state changed gets the new one at once.
    ///
    /// Apps that are not named get `others`. Of two updates in quick succession, an app may get the last one only.
    package func update(_ apps: [String: AppState], others: AppState = .unmanaged) {
        update(AppStates(apps: apps, others: others))
    }

    /// The same for apps and their extensions.
    package func update(_ states: AppStates) {
        inbox.update(states)
        files.update(states)
    }

    /// Has everything that runs of an app, or of one of its extensions, decode a configuration; answers in time.
    package func attempt(_ trial: TryConfiguration, within seconds: Int = TrialTime.seconds) async -> TrialVerdict {
        let waiting = TrialWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { done in
                waiting.begin(done)
                inbox.attempt(AppServiceLoop.TrialOrder(trial: trial, seconds: seconds) { waiting.end($0) })
            }
        } onCancel: {
            waiting.end(.untried(.ended))
        }
    }

    /// Counts what was refused elsewhere on this device, and written down there.
    package func count(_ refusal: AppRefusal) { inbox.count(refusal) }

    /// Kills what was launched of an app; with accounts what it started goes with its cgroup.
    package func end(_ bundleIdentifier: String) { inbox.end(bundleIdentifier) }

    /// Starts an app with the given descriptors as its input and outputs, and records it before it runs.
    package func launch(
        _ bundle: AppBundle, openedBy opener: UInt32 = geteuid(), arguments: [String] = [],
        environment: [String: String] = [:], wantsFiles: Bool = false,
        standardInput: Int32 = 0, standardOutput: Int32 = 1, standardError: Int32 = 2
    ) throws -> Int32 {
        let order = LaunchOrder { [launcher] in
            try launcher.launch(
                bundle, sealed: launcher.seals.check(bundle), openedBy: opener, arguments: arguments,
                environment: environment, wantsFiles: wantsFiles,
                standard: (standardInput, standardOutput, standardError))
        }
        if thread.withLock({ $0 != nil }) {
            inbox.launch(order)
        } else if let launched = order.run() {
            // Nobody listens yet.
            inbox.adopt(launched)
        }
        return try order.wait()
    }
}

// Hands a value to the one thread that will use it from then on.
private struct ThreadConfined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
