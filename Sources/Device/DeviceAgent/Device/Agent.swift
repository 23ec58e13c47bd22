import DeviceMessages
package import Foundation
package import Logging
import ServiceLifecycle

/// The agent at work: serves the apps at once, and keeps in touch with the server.
///
/// Apps are answered before any network is touched: what the device holds serves, whether the server is there or not.
package struct Agent: Service {
    private let device: Device
    private let apps: AppService
    private let doorbell: Doorbell
    private let bell: InstallBell
    private let effects: EffectsAtWork
    /// Rings when systems may hold something else than is in effect.
    private let effectsBell: InstallBell
    private let actions: ActionsAtWork
    /// Rings when the server may have the answer to a command that has the machine do something.
    private let actionsBell: InstallBell
    private let trust: TrustBundle
    private let accounts: AppAccounts?
    private let desktop: DesktopEntries?
    private let calls: AsyncStream<EnrollmentCall>
    private let news: AsyncStream<Void>
    private let pace: DeviceLoop.Pace
    private let now: @Sendable () -> Date
    private let ready: @Sendable (String) -> Void
    private let log: Logger

    /// Prepares an agent on `device`; `ready` is called with the device's name once apps are served.
    package init(
        device: Device, sockets: AgentPaths, accounts: AppAccounts? = nil, desktop: DesktopEntries? = nil,
        pace: DeviceLoop.Pace = DeviceLoop.Pace(),
        now: @escaping @Sendable () -> Date = { Date() }, ready: @escaping @Sendable (String) -> Void, log: Logger
    ) {
        self.device = device
        self.pace = pace
        self.now = now
        self.ready = ready
        self.log = log
        let doorbell = Doorbell()
        self.doorbell = doorbell
        let bell = InstallBell()
        self.bell = bell
        trust = TrustBundle(on: device)
        effectsBell = InstallBell()
        effects = EffectsAtWork(
            device: device, effects: DeviceSystems.effects(on: device), bell: effectsBell,
            changed: { doorbell.ring(.status) }, log: log)
        actionsBell = InstallBell()
        actions = ActionsAtWork(
            device: device, bell: actionsBell, changed: { doorbell.ring(.commands) }, now: now, log: log)
        self.accounts = accounts
        self.desktop = desktop
        // Each is a person at a terminal; with more than a few waiting, something is wrong.
        let (calls, callers) = AsyncStream.makeStream(of: EnrollmentCall.self, bufferingPolicy: .bufferingOldest(4))
        self.calls = calls
        let (news, reporters) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.news = news
        apps = AppService(
            socketPath: sockets.appSocket, controlPath: sockets.controlSocket, records: DeviceLaunchRecords(device),
            log: log,
            find: { device.program($0) }, program: { device.app(whoseProgramIs: $0) },
            teams: { device.knownTeams(device.known) },
            report: { reports in
                // On the disk before the apps are answered, so that what they said is never lost.
                try device.change { state in for report in reports { state.heard(report) } }
                doorbell.ring(.status)
            },
            enrollment: { call in
                guard case .enqueued = callers.yield(call) else {
                    return call.answer(.refused("the agent is busy with other commands"))
                }
            }, secret: { try device.secret($0) },
            signingRoom: SigningRoom(keyring: IdentityKeyring([SoftwareKeys()] + device.chipKeys)), accounts: accounts,
            runtimeDirectory: sockets.runtime, handed: sockets.handed,
            isEnrolled: { device.known.enrollment != nil }, absence: { device.contact.absence },
            apps: { request in
                do {
                    let (answer, isChanged) = try device.answer(request)
                    if isChanged {
                        bell.ring(isNews: true)
                        // An installer at work hears of it late, and what is taken back is taken back now.
                        reporters.yield()
                    }
                    guard case .apps(var list) = answer, let accounts else { return answer }
                    for index in list.indices { list[index].users = accounts.users(of: list[index].bundleIdentifier) }
                    return .apps(list)
                } catch {
                    log.error("what was asked about an app could not be kept", metadata: ["why": "\(error)"])
                    return .refused("the agent could not write this down; its log says why")
                }
            },
            appeared: { app in
                guard device.known.managed[app] != nil, let states = try? device.states(now: now()),
                    states.apps[app] != nil
                else { return nil }
                // The server and all who look at the device are to know as well.
                bell.ring(isNews: true)
                return states
            },
            feedback: device.feedback, roots: trust.path,
            left: {
                // An old version may go now that nothing runs of it.
                if !device.known.leaving.isEmpty { bell.ring() }
            },
            visited: { directories in
                device.visit(directories)
                if !device.known.leaving.isEmpty { bell.ring() }
            },
            handedOver: { handOver in
                let isNews = try device.change { state in state.handedOver(handOver) }
                if isNews { doorbell.ring(.status) }
            })
    }

    package func run() async throws {
        device.feedback.hear(handedOver: { [doorbell] in doorbell.ring(.status) })
        if device.setAside > 0 {
            log.error("a torn or changed generation was set aside", metadata: ["count": "\(device.setAside)"])
        }
        if device.wasOlderCopy {
            log.error("an older copy of the state was put back: what it held is not used until the server has answered")
        }
        do {
            try trust.prepare()
        } catch {
            log.error("apps have no file of roots", metadata: ["why": "\(error)"])
        }
        try apps.start()
        defer {
            apps.stop()
            accounts?.tidy()
        }
        publish()
        ready(device.known.identifier.id)
        let installer = AppInstaller(
            device: device, bell: bell,
            effects: AppInstaller.Effects(
                changed: { changed() }, end: { try end($0) }, removePart: { try accounts?.removePart() ?? false },
                quiet: { _ = await apps.answers() },
                refused: { apps.count(.package) }),
            desktop: desktop, now: now, log: log)
        await cancelWhenGracefulShutdown {
            async let _ = installer.run()
            async let _ = heed()
            async let _ = effects.run()
            async let _ = effects.watch()
            async let _ = actions.run()
            async let _ = gatherFeedback()
            async let _ = watchApps()
            while !Task.isCancelled {
                // A command of the person at the device interrupts the conversation with the server.
                let call = await withTaskGroup(of: EnrollmentCall?.self) { group in
                    group.addTask { await keepInTouch() }
                    group.addTask { await calls.first { _ in true } }
                    defer { group.cancelAll() }
                    return await group.next() ?? nil
                }
                if let call { await attend(call) }
            }
        }
    }

    /// Apps stand elsewhere than before: they and the server hear of it.
    private func changed() {
        publish()
        doorbell.ring(.status)
    }

    /// Asks apps for their feedback now and then.
    private func gatherFeedback() async {
        while (try? await Task.sleep(for: pace.feedback)) != nil { device.feedback.ask() }
    }

    /// Has apps and server hear of an app that was copied in, replaced or taken out, without waiting for the next look.
    private func watchApps() async {
        for directory in device.appDirectories where !FileManager.default.fileExists(atPath: directory) {
            log.notice(
                "a directory of apps does not exist: it is watched until it appears",
                metadata: ["directory": "\(UnusableApp.readable(directory))"])
        }
        let unusable = UnusableAppLog(log)
        await AppDirectoryNews(of: device.appDirectories)
            .follow(unusable: { unusable.note($0) }, changed: { bell.ring(isNews: true) })
    }

    /// Tells apps and server of what a person at the device has changed.
    private func heed() async {
        for await _ in news { changed() }
    }

    private func end(_ bundle: String) throws {
        apps.end(bundle)
        try accounts?.end(bundle)
    }

    /// Returns once the thread that answers apps has answered and the device's state can be changed: whether the
    /// conversation with the server gets on, too.
    package func answers() async -> Bool {
        guard await apps.answers(), await device.answers() else { return false }
        return !device.pulse.hangs()
    }

    /// Keeps in touch with the server for as long as there is an enrollment; the apps are served in any case.
    private func keepInTouch() async -> EnrollmentCall? {
        let clock = ContinuousClock()
        var backoff = pace.retry
        while !Task.isCancelled {
            let begun = clock.now
            do {
                let loop = DeviceLoop(
                    device: device, doorbell: doorbell, pace: pace, attempt: { await apps.attempt($0) },
                    publish: {
                        publish()
                        bell.ring()
                        effectsBell.ring()
                        actionsBell.ring()
                    }, now: now, log: log)
                try await loop.run()
                // Not enrolled, or not any more: until a command changes it.
                while true { try await Task.sleep(for: .seconds(3_600)) }
            } catch {
                guard !Task.isCancelled else { break }
                // Whatever it was, a full disk or a chip that did not answer, may pass.
                log.error(
                    "the management of this device was interrupted and is begun again", metadata: ["why": "\(error)"])
                if clock.now - begun > pace.lasting { backoff.succeeded() }
                try? await clock.sleep(until: backoff.failed(at: clock.now))
            }
        }
        return nil
    }

    private func attend(_ call: EnrollmentCall) async {
        do {
            switch call.request {
            case .enroll(let wish, let trust):
                try await Enroll(device: device, log: log).run(wish, trust: trust)
                call.answer(.enrolled(name: device.known.identifier.id))
            case .unenroll:
                guard device.known.enrollment != nil else {
                    return call.answer(.refused("this device is not enrolled"))
                }
                let before = device.known
                let farewell: Unenroll.Farewell
                do {
                    farewell = try await Unenroll.run(device)
                } catch {
                    // The server may have been told already: then nothing is served, whatever the disk says.
                    publish()
                    effectsBell.ring()
                    throw error
                }
                device.contact.begin(with: nil)
                publish()
                bell.ring()
                // What was in effect is taken back before anybody is told that the device has left.
                await effects.pass()
                var removed = Departure(from: before, to: device.known).metadata
                removed["toldServer"] = "\(farewell.logged)"
                log.notice(
                    "this device has left its server, as a person at the device asked; what the server gave is removed",
                    metadata: removed)
                call.answer(.left(farewell))
            }
        } catch EnrollmentRefusal.signInDemanded {
            call.answer(.signInDemanded)
        } catch {
            let server: String? = if case .enroll(let wish, _) = call.request { wish.server } else { nil }
            call.answer(.refused(Enroll.explanation(of: error, at: server)))
        }
    }

    private func publish() {
        device.feedback.keep(only: device.servedApps)
        do {
            apps.update(try device.states(now: now()))
        } catch {
            log.error("the apps' configurations could not be read", metadata: ["why": "\(error)"])
        }
    }
}

extension Device {
    /// The keeper of keys in the chip, if there is one.
    var chipKeys: [any IdentityKeys] { tpm.map { [ChipKeys($0)] } ?? [] }
}

extension Agent: CustomStringConvertible {
    package var description: String { "the agent" }
}

/// Where an agent listens, below its directory.
package struct AgentPaths: Sendable {
    package let directory: String

    /// A directory in memory that the system made for this user, if it did.
    package let runtime: String?

    /// Sockets that the service manager has opened, by their paths.
    package let handed: [String: Int32]

    package init(directory: String, runtime: String? = nil, handed: [String: Int32] = [:]) {
        self.directory = directory
        self.runtime = runtime
        self.handed = handed
    }

    package var appSocket: String { directory + "/app.socket" }
    package var httpSocket: String { directory + "/app-http.socket" }
    package var controlSocket: String { directory + "/control.socket" }
}

extension AgentState {
    /// Keeps what an app said; the same again changes nothing.
    mutating func heard(_ report: ConfigurationReport) {
        if let known = reports[report.key], known.says(report) { return }
        guard applied.apps[report.bundleIdentifier] != nil else { return }
        reports[report.key] = report
    }
}

extension ConfigurationReport {
    /// Whether both say the same, whenever they were made.
    func says(_ other: ConfigurationReport) -> Bool {
        ConfigurationReport(
            bundleIdentifier: bundleIdentifier, extension: `extension`, version: version, valid: valid, code: code,
            message: message, keyPath: keyPath, keyPathSupplied: keyPathSupplied, at: other.at) == other
    }
}
