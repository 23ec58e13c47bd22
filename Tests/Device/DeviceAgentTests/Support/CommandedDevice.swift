import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds

/// Executes commands about apps on a state alone; what lies on the device and what apps counted a test says.
struct CommandedDevice {
    static let app = "com.example.app"
    static let url = "https://host/manifest"

    var state = AgentState(udid: "U")
    /// Apps that somebody else has put there.
    var others: Set<String> = []
    var feedback: [String: KnownFeedback] = [:]
    var contents: [String: Data] = [:]
    var rights = AccessRights.all
    private var count = 0

    init() {}

    static func manifest(_ bundle: String = app, token: String = "1") -> KnownManifest {
        KnownManifest(
            AppManifest(
                bundleIdentifier: bundle, bundleVersion: "2", title: "App", url: "https://host/package", check: .none),
            serverToken: token)
    }

    /// Executes one more command; a manifest that it names is had unless `manifest` says otherwise.
    mutating func run(_ request: PropertyListValue, manifest: ManifestResult? = nil) throws -> CommandReport {
        count += 1
        let command = try Command(uuid: "\(count)", request: request)
        let profile = EnrollmentProfile(
            identifier: "enrollment", uuid: UUID(), displayName: "E", organization: "O", roots: [],
            scep: SCEPPayload(url: "https://h/scep"),
            mdm: MDMPayload(serverURL: "https://h/mdm", topic: "t", accessRights: rights))
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        let (others, feedback, contents) = (self.others, self.feedback, self.contents)
        var commands = DeviceCommands(
            facts: facts, profile: profile, apps: { Self.listed($0, others) },
            feedback: { feedback[$0] ?? KnownFeedback() }, content: { contents[$0] })
        commands.manifest = manifest ?? .here(Self.manifest(token: command.uuid))
        switch commands.execute(command, on: &state) {
        case .report(let report), .synchronize(let report, _), .takeFeedback(let report, _): return report
        }
    }

    /// Has the app installed by command, as the installer would, with this configuration.
    mutating func install(_ configuration: PropertyListValue? = nil, flags: Int = 0) throws {
        let request = InstallApplication(manifestURL: Self.url, managementFlags: flags, configuration: configuration)
        _ = try run(request.request)
        if let bytes = configuration?.xml() { contents[bytes.digest] = bytes }
        state.install(
            InstalledApp(
                directory: "d", version: "2", shortVersion: "2", team: "TEAM123456", manifestURL: Self.url,
                serverToken: "\(count)"), as: Self.app)
    }

    /// Has a declaration manage the app from now on.
    mutating func declare(by manifest: String? = CommandedDevice.url) {
        var app = AppliedApp(composedIdentifier: Self.app, declarationIdentifier: "cfg", configuration: "c")
        app.manifest = manifest.map {
            ManifestSource(url: $0, known: Self.manifest(token: "declared"), updates: .asUsual)
        }
        state.applied.apps[Self.app] = app
        state.settle()
    }

    /// Where the apps stand.
    var standings: [String: AppStanding] { Self.standings(state, others) }

    /// The elements of the status item of apps managed by command.
    func told() -> [CommandedAppStatus] {
        var state = state
        state.applied.subscriptions = [AppStatus.name, CommandedAppStatus.name]
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        let items = StatusItems(
            state, apps: Self.present(state, others), standings: standings, facts: facts, appUsers: .own,
            withFeedback: Set(feedback.keys))
        return (items.values[CommandedAppStatus.name]?.array ?? []).compactMap { try? CommandedAppStatus($0) }
    }

    private static func present(_ state: AgentState, _ others: Set<String>) -> [AppBundle] {
        others.union(state.installed.keys).sorted().map { bundle in
            AppBundle(
                directory: "/" + bundle, identifier: bundle, name: "Name", version: "2", shortVersion: "2",
                executable: "/" + bundle + "/a")
        }
    }

    private static func standings(_ state: AgentState, _ others: Set<String>) -> [String: AppStanding] {
        let present = present(state, others)
        return state.managed.reduce(into: [:]) { standings, one in
            standings[one.key] = AppStanding(
                one.value, of: one.key, in: state, present: present.first { $0.identifier == one.key }, progress: nil,
                separatesData: false)
        }
    }

    private static func listed(_ state: AgentState, _ others: Set<String>) -> [ListedApp] {
        let present = present(state, others)
        let standings = standings(state, others)
        return Set(present.map(\.identifier)).union(standings.keys).sorted().map { bundle in
            let version = present.first { $0.identifier == bundle }?.version
            return ListedApp(
                bundleIdentifier: bundle, name: bundle, version: version, shortVersion: version,
                isManaged: standings[bundle]?.isManaged ?? false, state: standings[bundle]?.state.rawValue,
                updateState: standings[bundle]?.update?.rawValue)
        }
    }
}
