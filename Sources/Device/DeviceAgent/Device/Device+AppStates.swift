import AppPackages
import DeviceMessages
package import Foundation
import Synchronization

/// What apps and their extensions are to be told.
extension Device {
    /// What each app is to be told.
    package func appStates(now: Date) throws -> [String: AppState] { try states(now: now).apps }

    /// What each app and each extension is to be told, all of one generation.
    package func states(now: Date) throws -> AppStates {
        let present = apps()
        return try store.withLock { store in
            guard var state = store.state else { return AppStates(apps: [:]) }
            if let bound = bound.withLock({ $0 }) { state.withdraw(beyond: bound) }
            let standings = standings(state, present: present)
            let isStale = state.lastContact.map { now.timeIntervalSince($0) > Self.staleAfter } ?? true
            func told(
                _ digest: String?, _ secrets: AppSecrets, _ app: AppliedApp, team: String?, defaults: String? = nil
            ) throws -> AppState {
                AppState(
                    managed: true, synchronised: state.hasSynchronised || !app.isDeclared, stale: isStale,
                    configuration: try digest.map(store.content), defaults: try defaults.map(store.content),
                    generation: state.applied.generation,
                    secrets: secrets, lowestTrust: app.lowestTrust ?? .launched, team: team)
            }
            var apps: [String: AppState] = [:]
            var extensions: [ExtensionName: AppState] = [:]
            for (identifier, app) in state.managed where standings[identifier]?.isNamed == true {
                apps[identifier] = try told(
                    app.configuration, AppSecrets(app.secrets, absences: app.absences), app, team: app.team,
                    defaults: app.defaults)
                for (name, key) in app.extensionKeys(signedBy: state.installed[identifier]?.team) {
                    let secrets = AppSecrets(
                        app.extensionSecrets[key.text] ?? [], absences: app.extensionAbsences[key.text] ?? [])
                    extensions[ExtensionName(app: identifier, identifier: name)] = try told(
                        app.extensions[key.text], secrets, app, team: key.team ?? app.team)
                }
            }
            return AppStates(
                apps: apps, extensions: extensions, fullAccess: state.fullAccess,
                others: AppState(managed: false, synchronised: state.hasSynchronised), isInSetup: state.isInSetup)
        }
    }

    /// The app or extension whose program lies at a path, as the kernel names it, also in a version that another has
    /// replaced.
    package func app(whoseProgramIs path: String) -> AppBundle? {
        let name = (path as NSString).lastPathComponent
        return (apps() + replacedApps()).flatMap(\.family).first { app in
            guard (app.executable as NSString).lastPathComponent == name else { return false }
            return URL(fileURLWithPath: app.executable).resolvingSymlinksInPath().path == path
        }
    }

    /// What is opened under this identifier: an app, or else the one extension that has it.
    package func program(_ identifier: String) -> AppBundle? {
        if let app = app(identifier) { return app }
        let found = extensions(identifier)
        return found.count == 1 ? found.first : nil
    }

    /// The extensions of this identifier; two apps may each have one.
    func extensions(_ identifier: String) -> [AppBundle] {
        apps().flatMap { app in app.extensions.filter { $0.identifier == identifier }.map(app.bundle) }
    }
}
