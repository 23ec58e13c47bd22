import Foundation
import Synchronization

/// The apps on the device: what the agent has installed, and what else lies in its app directories.
extension Device {
    /// Where apps are that the agent has installed.
    var managedApps: String { directory + "/managed-apps" }

    /// Where downloads are until they are installed.
    var downloads: String { directory + "/downloads" }

    /// The directory of an app that the agent has installed.
    func directory(of app: InstalledApp) -> String { managedApps + "/" + app.directory }

    /// The apps that lie on the device now; what the agent installed goes before others of the same identifier.
    package func apps() -> [AppBundle] { apps(known) }

    func apps(_ state: AgentState) -> [AppBundle] {
        let installed = state.installed.sorted { $0.key < $1.key }.compactMap { bundle, app in
            installedBundle(bundle, app)
        }
        let ours = installed + state.systemSoftware.compactMap { $0.bundle() }
        let names = Set(ours.map(\.identifier)).union(state.installed.keys)
        return ours + unmanagedApps().filter { !names.contains($0.identifier) }
    }

    /// The apps that the agent has installed.
    func installedApps() -> [AppBundle] { known.installed.compactMap { installedBundle($0.key, $0.value) } }

    /// The app with this identifier, if it lies on the device.
    package func app(_ identifier: String) -> AppBundle? {
        let state = known
        if let app = state.installed[identifier] { return installedBundle(identifier, app) }
        if let software = state.systemSoftware.first(where: { $0.bundleIdentifier == identifier }) {
            return software.bundle()
        }
        return AppCatalog.find(identifier, in: appDirectories)
    }

    /// Where apps are looked for that the agent did not install, and what cannot be used there.
    func searchedDirectories(isListed: Bool) -> AppDirectories {
        AppDirectories(appDirectories, unusable: isListed ? AppCatalog.find(in: appDirectories).unusable : [])
    }

    /// Apps that lie on the device without the agent's having installed them.
    func unmanagedApps() -> [AppBundle] { AppCatalog.scan(appDirectories) }

    private func installedBundle(_ identifier: String, _ app: InstalledApp) -> AppBundle? {
        AppCatalog.bundle(at: directory(of: app)).flatMap { $0.identifier == identifier ? $0 : nil }
    }

    /// Says where the apps lie that run without having been launched.
    func visit(_ directories: Set<String>) { visited.withLock { $0 = directories } }

    /// Versions that others have replaced, while something still runs there.
    func replacedApps() -> [AppBundle] {
        known.leaving.compactMap { app in
            guard app.reason == .replaced, let bundle = AppCatalog.bundle(at: managedApps + "/" + app.directory) else {
                return nil
            }
            return bundle.identifier == app.bundleIdentifier ? bundle : nil
        }
    }

    /// The teams whose signatures this device accepts.
    func knownTeams(_ state: AgentState) -> KnownTeams {
        KnownTeams(installations: managedApps, certificates: state.applied.teams)
    }

    /// The signer of the app with this identifier, as accounts name it; nil if there is no such app here.
    package func signer(of identifier: String) -> String? {
        guard let app = app(identifier) else { return nil }
        return signers.team(of: app.directory, among: knownTeams(known)) ?? AppAccounts.unsigned
    }

    /// Whether what lies here has only the identifier of the app that is meant: it is of another team, or of none.
    private func isBorrowed(_ app: AppliedApp, by bundle: AppBundle?, _ state: AgentState) -> Bool {
        guard let team = app.team, let bundle else { return false }
        return signers.team(of: bundle.directory, among: knownTeams(state)) != team
    }

    /// Where every app stands that is declared or managed by command.
    func standings(_ state: AgentState, present: [AppBundle]) -> [String: AppStanding] {
        let progress = progress.withLock { $0 }
        let bundles = Dictionary(present.map { ($0.identifier, $0) }) { first, _ in first }
        return state.managed.reduce(into: [:]) { standings, declared in
            let (bundle, app) = declared
            standings[bundle] = AppStanding(
                app, of: bundle, in: state, present: bundles[bundle], progress: progress[bundle],
                separatesData: state.separatesData, isBorrowed: isBorrowed(app, by: bundles[bundle], state))
        }
    }

    /// What the plan of installations asks of the device.
    func installFacts(_ state: AgentState, stuck: Set<String>) -> InstallPlan.Facts {
        let installed = state.installed.filter { installedBundle($0.key, $0.value) == nil }
        let prefix = managedApps + "/"
        let directories = visited.withLock { $0 }.union(state.launches.compactMap(\.directory))
        let running = directories.compactMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
        var facts = InstallPlan.Facts()
        facts.others = Set(unmanagedApps().map(\.identifier)).subtracting(state.installed.keys)
        facts.missing = Set(installed.keys)
        facts.running = Set(running)
        facts.stuck = stuck
        facts.separatesData = state.separatesData
        return facts
    }
}

extension AgentState {
    /// Software of the system that declarations name.
    var systemSoftware: [DebianSoftware] {
        applied.apps.sorted { $0.key < $1.key }.compactMap {
            DebianSoftware(composedIdentifier: $0.value.composedIdentifier)
        }
    }

    /// Whether the enrollment leaves alone what the user has put on the device.
    var separatesData: Bool { enrollment?.separatesData == true }
}
