import AppMessages
import AppSpecification
import DeviceAgent
import DeviceMessages
import Foundation
package import Logging
import Synchronization

/// A device's agent without a device: a directory of files is its administrator, one app is all that it serves.
///
/// What serves the app is what serves it on a device. All else happens on one queue: a look at the directory, what
/// follows from it, and what is said of it, in this order.
package final class DevelopmentAgent: Sendable {
    /// Which app, and where its configurations and secrets are.
    package struct Options: Sendable {
        package let app: String
        /// What runs, where it is an extension of the app.
        package let `extension`: String?
        package let configuration: String
        package let directory: String
        package let secrets: String?
        package let specification: String?
        /// The program that is launched, if one is.
        package let program: String?

        package init(
            app: String, extension: String?, configuration: String, directory: String, secrets: String?,
            specification: String?, program: String?
        ) {
            self.app = app
            self.extension = `extension`
            self.configuration = configuration
            self.directory = directory
            self.secrets = secrets
            self.specification = specification
            self.program = program
        }

        /// Under which identifier the app's program runs.
        package var identifier: String { self.extension ?? app }
        var target: DeploymentTarget { self.extension.map { .extension($0) } ?? .app }
        var rules: DeploymentFiles { DeploymentFiles(app: app, configuration: configuration, target: target) }
    }

    struct State: Sendable {
        var desk: DeploymentDesk
        var specification: AppSpecification?
        var secrets = SecretsFile.none
        /// What was last said of files that could not be used, so that it is said once.
        var said: [String: String] = [:]
        var missing: [String] = []
        var unasked: [UnaskedSecret] = []
        /// What the app was told last, and how often it was told something new.
        var told: Told?
        var generation = 0
        var isLookDue = false
    }

    struct Told: Equatable {
        let deployed: [DeploymentTarget: DeploymentDesk.Deployed]
        let secrets: AppSecrets
    }

    // An editor writes, renames and removes in quick succession.
    private static let settling = DispatchTimeInterval.milliseconds(100)
    private static let absence = DispatchTimeInterval.milliseconds(500)

    let options: Options
    private let place: RuntimePlace
    let say: @Sendable (DevelopmentEvent) -> Void
    private let queue = DispatchQueue(label: "development")
    let state: Mutex<State>
    private let values: SecretValues
    private let heard: Reports
    private let apps: AppService
    private let watch = Mutex<DirectoryWatch?>(nil)

    /// Prepares an agent; nothing is served before `start`.
    package init(
        _ options: Options, in place: RuntimePlace, log: Logger, say: @escaping @Sendable (DevelopmentEvent) -> Void
    ) {
        (self.options, self.place, self.say) = (options, place, say)
        state = Mutex(State(desk: DeploymentDesk(options.rules)))
        let (values, heard) = (SecretValues(), Reports())
        (self.values, self.heard) = (values, heard)
        let bundle = AppBundle(
            directory: FileManager.default.currentDirectoryPath, identifier: options.identifier,
            name: options.identifier, version: "0", shortVersion: "0", executable: options.program ?? "/",
            role: options.extension.map { _ in ExtensionRole(app: options.app, isRestricted: false) })
        apps = AppService(
            socketPath: place.paths.appSocket, controlPath: place.paths.controlSocket, records: NoRecords(), log: log,
            find: { $0 == bundle.identifier && options.program != nil ? bundle : nil },
            report: { reports in for report in reports { heard.hear(report) } }, secret: { try values.secret($0) },
            signingRoom: SigningRoom(keyring: IdentityKeyring([SoftwareKeys()])), developed: bundle)
    }

    /// Reads everything and begins to serve; secrets that others may read, or that cannot be understood, are refused.
    package func start() throws {
        try queue.sync {
            if let path = options.specification {
                let specification = try readSpecification(path)
                state.withLock { $0.specification = specification }
            }
            if let path = options.secrets { _ = try SecretsFile(at: path) }
            noteUnusableDirectory()
            heard.deliver { [weak self] report in
                guard let self else { return }
                queue.async { self.told(report) }
            }
            look()
            if state.withLock({ $0.desk.deployed[options.target] == nil }) {
                var event = DevelopmentEvent(.awaited, at: Date())
                event.message = "there is no configuration yet: \(options.rules.expected(for: options.target))"
                say(event)
            }
            try apps.start()
            var event = DevelopmentEvent(.served, at: Date())
            event.socket = place.paths.appSocket
            event.message = served
            say(event)
        }
    }

    /// Stops serving; what was launched ends.
    package func stop() {
        heard.deliver { _ in }
        apps.stop()
        queue.sync { watch.withLock { $0 = nil } }
    }

    private var served: String {
        guard options.program == nil else { return "\(options.identifier) is served" }
        return "\(options.identifier) is served; start it with MARTLET_AGENT_SOCKET=\(place.paths.appSocket)"
    }

    // MARK: on the queue

    private func look() {
        state.withLock { $0.isLookDue = false }
        // Anew each time, before anything is read: a directory may have been replaced by another of its name.
        let folders = [options.secrets, specificationPath].compactMap { $0 }.map { path in
            let folder = (path as NSString).deletingLastPathComponent
            return folder.isEmpty ? "." : folder
        }
        watch.withLock {
            $0 = DirectoryWatch(Set([options.directory] + folders), on: queue) { [weak self] in
                self?.lookSoon(after: Self.settling)
            }
        }
        takeSpecification()
        takeSecrets()
        if var found = FoundDirectory.read(options.directory, options.rules) {
            // They may lie there, too, under any name.
            let named = [options.secrets, specificationPath].compactMap(\.self)
            found.others.subtract(named.map { ($0 as NSString).lastPathComponent })
            forget(options.directory)
            let now = Date()
            let changes = state.withLock { $0.desk.take(found, $0.specification) }
            for event in changes.flatMap({ DevelopmentEvent.of($0, at: now) }) { say(event) }
            // The configuration may name secrets, too.
            noteUnaskedSecrets()
        } else {
            keep(options.directory, "the directory is not there, or cannot be read: make it")
            lookSoon(after: Self.absence)
        }
        publish()
    }

    private func lookSoon(after delay: DispatchTimeInterval) {
        let isFirst = state.withLock { state in
            defer { state.isLookDue = true }
            return !state.isLookDue
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.look() }
    }

    private func publish() {
        let states = state.withLock { state -> AppStates? in
            let new = Told(deployed: state.desk.deployed, secrets: state.secrets.names)
            guard new != state.told else { return nil }
            state.told = new
            state.generation += 1
            let secrets = [options.target: state.secrets.names]
            func told(_ target: DeploymentTarget) -> AppState {
                AppState(
                    managed: true, synchronised: true, configuration: state.desk.deployed[target]?.bytes,
                    generation: state.generation, secrets: secrets[target] ?? AppSecrets(), lowestTrust: .shared)
            }
            var extensions: [ExtensionName: AppState] = [:]
            for case .extension(let name) in Set(state.desk.deployed.keys).union([options.target]) {
                extensions[ExtensionName(app: options.app, identifier: name)] = told(.extension(name))
            }
            values.replace(state.secrets.contents)
            return AppStates(apps: [options.app: told(.app)], extensions: extensions)
        }
        if let states { apps.update(states) }
    }

    private func told(_ report: ConfigurationReport) {
        let target = report.extension.map { DeploymentTarget.extension($0) } ?? .app
        let event = state.withLock { state -> DevelopmentEvent? in
            guard let deployed = state.desk.deployed[target], AppState.version(of: deployed.bytes) == report.version
            else { return nil }
            return DevelopmentEvent(report, of: deployed.file, state.specification?.of(target))
        }
        if let event { say(event) }
    }
}

/// Hands on what decoders said once somebody listens.
private final class Reports: Sendable {
    private let listener = Mutex<@Sendable (ConfigurationReport) -> Void>({ _ in })

    func deliver(_ listener: @escaping @Sendable (ConfigurationReport) -> Void) {
        self.listener.withLock { $0 = listener }
    }

    func hear(_ report: ConfigurationReport) { listener.withLock { $0 }(report) }
}

/// The values of secrets, in this process's memory alone.
private final class SecretValues: Sendable {
    private let contents = Mutex<[String: SecretContent]>([:])

    func replace(_ new: [String: SecretContent]) { contents.withLock { $0 = new } }

    func secret(_ digest: String) throws -> SecretContent {
        guard let content = contents.withLock({ $0[digest] }) else { throw StoreRefusal.blobMissing }
        return content
    }
}

/// What is launched ends with this process: there is nothing to remember.
private struct NoRecords: LaunchRecords {
    func load() -> [LaunchRecord] { [] }
    func save(_ records: [LaunchRecord]) {}
}
