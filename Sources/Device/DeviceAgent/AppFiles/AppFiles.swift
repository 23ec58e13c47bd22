import DeviceMessages
import Foundation
import Logging
import Synchronization

/// Configuration and secrets as files, for apps that read nothing else.
///
/// Each launched app that wants it has a directory of its own in memory, from before it begins until it has ended.
final class AppFiles: Sendable {
    private struct Folder {
        let app: AppIdentity
        /// How sure it is that the app reads there.
        let trust: AppTrust
        var files: AppFolder
        var shown: AppState?
    }

    private struct Content {
        var place: MemoryPlace?
        var states: AppStates?
        var folders: [String: Folder] = [:]
    }

    private let directory: String
    private let runtime: String?
    private let log: Logger
    private let secret: @Sendable (String) throws -> SecretContent
    private let written: @Sendable (ConfigurationHandOver) -> Void
    private let content = Mutex(Content())
    private let newest = Mutex<AppStates?>(nil)
    // What is told to apps on their sockets does not wait for files.
    private let writer = DispatchQueue(label: "app-files")

    /// Prepares files for the agent that works in `directory`; nothing is made before an app wants some.
    ///
    /// `written` hears of each configuration that lies there for an app, and must not block.
    init(
        directory: String, runtime: String?, log: Logger, secret: @escaping @Sendable (String) throws -> SecretContent,
        written: @escaping @Sendable (ConfigurationHandOver) -> Void = { _ in }
    ) {
        self.directory = directory
        self.runtime = runtime
        self.log = log
        self.secret = secret
        self.written = written
    }

    /// Replaces what apps have; of two in quick succession the newer counts.
    func update(_ states: AppStates) {
        newest.withLock { $0 = states }
        writer.async { [self] in
            content.withLock { content in
                // Taken in here, so that an app that begins meanwhile finds the states in one place or the other.
                guard let states = newest.withLock({ $0.take() }) else { return }
                content.states = states
                for path in content.folders.keys { refresh(path, &content) }
            }
        }
    }

    /// Makes the directory of an app that is about to begin, with everything in it.
    func open(_ app: AppIdentity, user: UInt32?) throws -> String {
        try content.withLock { content in
            if content.place == nil {
                let place = try MemoryPlace(of: directory, runtime: runtime)
                if !place.isSwapFree { log.notice("apps' files lie in memory that the system may write to its swap") }
                content.place = place
            }
            guard let place = content.place else { throw LinuxFailure(step: "find memory", number: ENOENT) }
            let path = place.path + "/" + UUID().uuidString.lowercased()
            content.folders[path] = Folder(
                app: app, trust: user == nil ? .shared : .launched, files: try AppFolder(making: path, group: user))
            if let states = newest.withLock({ $0 }) { content.states = states }
            refresh(path, &content)
            return path
        }
    }

    /// Removes the directory of an app that has ended.
    func close(_ path: String) {
        writer.async { [self] in
            content.withLock { content in
                content.folders.removeValue(forKey: path)?.files.remove()
            }
        }
    }

    /// Takes up the directories of apps that an earlier start launched, and removes all others.
    func takeBack(_ records: [LaunchRecord]) {
        let known = records.compactMap { record in record.files.map { ($0, record) } }
        content.withLock { content in
            guard let place = MemoryPlace(leftBy: directory, runtime: runtime) else { return }
            content.place = place
            for (path, record) in known where path.hasPrefix(place.path + "/") {
                content.folders[path] = Folder(
                    app: record.identity, trust: record.trust, files: AppFolder(existing: path, group: record.user))
            }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
                let path = place.path + "/" + name
                if content.folders[path] == nil { try? FileManager.default.removeItem(atPath: path) }
            }
        }
    }

    /// Gives the memory up unless apps still run that read there.
    func stop() {
        writer.sync {}
        content.withLock { content in
            content.place?.removeIfEmpty()
            content.place = nil
        }
    }

    private func refresh(_ path: String, _ content: inout Content) {
        // Before the agent knows the states, it must not remove files.
        guard let states = content.states, var folder = content.folders[path] else { return }
        let state = states[folder.app]
        guard state != folder.shown else { return }
        let secrets = state.withholds(from: folder.trust) ? [] : state.secrets.entries
        let failures = folder.files.show(state, secrets: secrets, unseal: secret)
        // What failed is tried again with the next change.
        folder.shown = failures.isEmpty ? state : nil
        content.folders[path] = folder
        if failures.isEmpty, state.configuration != nil, folder.app.extensionName == nil {
            written(ConfigurationHandOver(bundleIdentifier: folder.app.app, version: state.version, way: .files))
        }
        for failure in failures {
            log.error(
                "an app's file could not be put in place",
                metadata: ["app": "\(folder.app.identifier)", "why": "\(failure)"])
        }
    }
}
