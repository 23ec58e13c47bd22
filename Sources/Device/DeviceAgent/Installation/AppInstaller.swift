import AppPackages
import DeviceMessages
package import Foundation
package import Logging
import Synchronization

/// Makes what is installed what is declared, one step after the other, whether the server is there or not.
///
/// A version lies in a directory of its own that nothing changes. The switch to it is one change of the agent's state,
/// written and swapped as every other; what no state names is removed. So a stop at any moment leaves the old version
/// or the new one.
package struct AppInstaller: Sendable {
    /// What the installer has others do.
    package struct Effects: Sendable {
        /// What apps are told, and what the server is to know, may be something else now.
        let changed: @Sendable () -> Void
        /// Ends every process of an app and puts away what it kept; returns once they are gone.
        let end: @Sendable (_ bundleIdentifier: String) throws -> Void
        /// Removes a part of what was put away; false once nothing of it is left.
        let removePart: @Sendable () throws -> Bool
        /// Returns when nobody is answered any more as an app that was ended.
        let quiet: @Sendable () async -> Void
        /// A package was refused, and it is in the log.
        let refused: @Sendable () -> Void

        package init(
            changed: @escaping @Sendable () -> Void,
            end: @escaping @Sendable (_ bundleIdentifier: String) throws -> Void,
            removePart: @escaping @Sendable () throws -> Bool,
            quiet: @escaping @Sendable () async -> Void,
            refused: @escaping @Sendable () -> Void
        ) {
            self.changed = changed
            self.end = end
            self.removePart = removePart
            self.quiet = quiet
            self.refused = refused
        }
    }

    // What could not be done for a reason that lies in this device, a full disk, is tried again.
    private static let rest = Duration.seconds(10)

    let device: Device
    let disk = DiskRoom()
    let effects: Effects
    let now: @Sendable () -> Date
    let log: Logger
    private let bell: InstallBell
    private let desktop: DesktopEntries?

    package init(
        device: Device, bell: InstallBell, effects: Effects, desktop: DesktopEntries? = nil,
        now: @escaping @Sendable () -> Date, log: Logger
    ) {
        self.desktop = desktop
        self.device = device
        self.bell = bell
        self.effects = effects
        self.now = now
        self.log = log
    }

    /// Works until the task is canceled.
    package func run() async {
        do {
            try await disk.run { try sweep() }
        } catch {
            log.error("what earlier installations left could not be removed", metadata: ["why": "\(error)"])
        }
        bell.ring()
        await withDiscardingTaskGroup { timers in
            for await _ in bell.listen() {
                if bell.takeNews() { effects.changed() }
                let due = await work()
                guard !Task.isCancelled else { break }
                if let due {
                    timers.addTask {
                        if (try? await Task.sleep(for: due)) != nil { bell.ring() }
                    }
                }
            }
            timers.cancelAll()
        }
    }

    /// Does all that is due; says when to look again without being told.
    private func work() async -> Duration? {
        var stuck: Set<String> = []
        while !Task.isCancelled {
            let state = device.known
            // Before anything is removed: nobody is shown what is not there.
            try? await disk.run { desktop?.settle(device.installedApps()) }
            let facts = device.installFacts(state, stuck: stuck)
            guard let step = InstallPlan.next(state, facts, now: now()) else {
                guard stuck.isEmpty else { return Self.rest }
                return InstallPlan.nextDue(state, facts).map { .seconds(max(1, $0.timeIntervalSince(now()))) }
            }
            do {
                switch step {
                case .clear(let app):
                    stuck.insert(app.directory)
                    try await clear(app)
                    stuck.remove(app.directory)
                case .install(let bundle): try await install(bundle)
                case .check(let bundle): try await install(bundle, isCheck: true)
                }
            } catch is CancellationError {
                return nil
            } catch {
                log.error("a step of an installation could not be taken", metadata: ["why": "\(error)"])
                if case .clear = step { continue }
                return Self.rest
            }
        }
        return nil
    }

    // MARK: - Removal

    private func clear(_ app: LeavingApp) async throws {
        if app.reason == .removed {
            try await disk.run { try effects.end(app.bundleIdentifier) }
            // In parts: an app may have left millions of files, and others wait for the disk.
            while try await disk.run({ try effects.removePart() }) { try Task.checkCancellation() }
            // A process that survives its files would look like a program that somebody exchanged.
            await effects.quiet()
        }
        try await disk.run { try remove(device.managedApps + "/" + app.directory) }
        try device.change { state in state.leaving.removeAll { $0 == app } }
        log.info(
            app.reason == .removed ? "an app was removed" : "an app's old version was removed",
            metadata: ["app": "\(app.bundleIdentifier)"])
        effects.changed()
    }

    /// Removes what no state names: directories that never became an app, and downloads of long ago.
    private func sweep() throws {
        for path in [device.managedApps, device.downloads] {
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw FileRefusal(step: "making a directory for apps", number: errno)
            }
        }
        // Programs have to be where apps' users may come to them; downloads are ours alone.
        let mode: mode_t = device.appUsers == .own ? 0o711 : 0o700
        guard unsafe chmod(device.managedApps, mode) == 0, unsafe chmod(device.downloads, 0o700) == 0 else {
            throw FileRefusal(step: "letting apps through", number: errno)
        }
        let state = device.known
        let named = Set(state.installed.values.map(\.directory) + state.leaving.map(\.directory))
        for name in try FileManager.default.contentsOfDirectory(atPath: device.managedApps) where !named.contains(name)
        {
            try remove(device.managedApps + "/" + name)
        }
        // Where nothing is to be had, nothing is to be gone on with.
        let isWaiting = InstallPlan.nextDue(state, device.installFacts(state, stuck: [])) != nil
        let week = now().addingTimeInterval(-7 * 86_400)
        for name in try FileManager.default.contentsOfDirectory(atPath: device.downloads) {
            let path = device.downloads + "/" + name
            let facts = try? FileManager.default.attributesOfItem(atPath: path)
            if isWaiting, let touched = facts?[.modificationDate] as? Date, touched > week { continue }
            try remove(path)
        }
    }

    func remove(_ path: String) throws {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            // Gone already.
        }
    }

    // MARK: - Progress

    func show(_ progress: InstallProgress, of bundle: String) {
        let isNews = device.progress.withLock { all in
            defer { all[bundle] = progress }
            return all[bundle]?.isDownload != progress.isDownload
        }
        if isNews { effects.changed() }
    }
}

extension InstallProgress {
    /// How far a download is concerns only who asks; that it has begun, or ended, is news.
    fileprivate var isDownload: Bool { if case .downloading = self { true } else { false } }
}
