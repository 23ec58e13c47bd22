import AppPackages
import DeviceMessages
import Foundation
import Synchronization

/// What a person at the device may ask of its apps.
extension Device {
    /// Answers at once; `isChanged` says whether there is something to be done now.
    func answer(_ request: AppRequest) throws -> (answer: AppAnswer, isChanged: Bool) {
        switch request {
        case .list: return (.apps(listedApps(known)), false)
        case .directories(let isListed): return (.directories(searchedDirectories(isListed: isListed)), false)
        case .install(let bundle): return try change { state in state.request(bundle) }
        case .update(let bundle): return try change { state in state.requestUpdate(bundle) }
        case .remove(let bundle): return try change { state in state.requestRemoval(bundle) }
        case .setFullAccess(let bundle, let isGranted): return try setFullAccess(of: bundle, to: isGranted)
        }
    }

    /// Every app, managed or not: what lies here, and what is declared and does not.
    func listedApps(_ state: AgentState) -> [ListedApp] {
        let present = apps(state)
        let standings = standings(state, present: present)
        let progress = progress.withLock { $0 }
        let managed = state.managed
        let here = Dictionary(present.map { ($0.identifier, $0) }) { first, _ in first }
        return Set(here.keys).union(standings.keys).sorted().map { bundle in
            let standing = standings[bundle]
            let declared = managed[bundle]
            let word = state.applied.apps[bundle].map { app -> String in
                let now = StatusItems.status(of: bundle, app, in: state, present: here[bundle], standing, appUsers)
                return ReportedAppState(now).rawValue
            }
            var percent: Int?
            if case .downloading(let part) = progress[bundle] { percent = part }
            return ListedApp(
                bundleIdentifier: bundle, name: here[bundle]?.name ?? declared?.manifest?.title ?? bundle,
                version: here[bundle]?.version, shortVersion: here[bundle]?.shortVersion,
                isManaged: standing?.isManaged ?? false,
                state: standing?.state.rawValue, updateState: standing?.update?.rawValue, standing: word,
                percent: percent,
                reasons: standing?.reasons.map { $0.description ?? $0.code } ?? [],
                isOptional: declared?.isOptional ?? false,
                isImmutable: state.installed[bundle].map { $0.isImmutable ?? false },
                extensions: here[bundle].map { listedExtensions(of: $0, state) })
        }
    }

    private func listedExtensions(of app: AppBundle, _ state: AgentState) -> [ListedExtension] {
        let verdicts = state.configState(of: app.identifier)?.extensions ?? [:]
        return app.extensions.sorted { $0.identifier < $1.identifier }.map { one in
            let name = ExtensionName(app: app.identifier, identifier: one.identifier)
            return ListedExtension(
                bundleIdentifier: one.identifier, kind: one.kind, configState: verdicts[one.identifier],
                isRestricted: one.isRestricted, hasFullAccess: one.isRestricted && state.fullAccess.contains(name))
        }
    }

    /// Only for extensions that are here and need it: a grant is for what its giver can see.
    private func setFullAccess(of bundle: String, to isGranted: Bool) throws -> (answer: AppAnswer, isChanged: Bool) {
        let found = extensions(bundle)
        guard let one = found.first, let role = one.role else {
            return (.refused("no app on this device has an extension of this identifier"), false)
        }
        guard found.count == 1 else {
            return (.refused("two apps on this device have an extension of this identifier"), false)
        }
        guard role.isRestricted else {
            return (.refused("this extension is not of a restricted kind: it needs no full access"), false)
        }
        let name = ExtensionName(app: role.app, identifier: bundle)
        return try change { state in
            guard state.fullAccess.contains(name) != isGranted else { return (.accepted, false) }
            if isGranted { state.fullAccess.insert(name) } else { state.fullAccess.remove(name) }
            return (.accepted, true)
        }
    }
}

extension AgentState {
    fileprivate mutating func request(_ bundle: String) -> (AppAnswer, Bool) {
        guard let app = managed[bundle] else {
            return (.refused("the server does not offer this app to this device"), false)
        }
        guard app.isOptional else { return (.refused("the server has this app installed without your asking"), false) }
        installations[bundle, default: Installation()].isRequested = true
        installations[bundle]?.failure = nil
        return (.accepted, true)
    }

    fileprivate mutating func requestUpdate(_ bundle: String) -> (AppAnswer, Bool) {
        guard managed[bundle]?.manifest != nil, installed[bundle] != nil else {
            return (.refused("the agent has not installed this app, and so cannot update it"), false)
        }
        installations[bundle, default: Installation()].isAsked = true
        installations[bundle]?.failure = nil
        return (.accepted, true)
    }

    /// The app stays managed, and a server may have it installed anew.
    private mutating func requestRemoval(of app: CommandedApp, _ bundle: String) -> (AppAnswer, Bool) {
        guard app.isRemovable else { return (.refused("the server demands this app: it stays"), false) }
        guard installed[bundle] != nil else {
            return (.refused("the agent has not installed this app, and so cannot remove it"), false)
        }
        leave(bundle)
        installations[bundle] = nil
        commanded[bundle]?.manifest = nil
        return (.accepted, true)
    }

    fileprivate mutating func requestRemoval(_ bundle: String) -> (AppAnswer, Bool) {
        guard let app = managed[bundle] else { return (.refused("the server does not manage this app"), false) }
        if let app = commanded[bundle] { return requestRemoval(of: app, bundle) }
        guard app.isOptional else { return (.refused("the server demands this app: it stays"), false) }
        installations[bundle] = nil
        if app.manifest != nil { leave(bundle) }
        reports = reports.filter { $0.value.bundleIdentifier != bundle }
        return (.accepted, true)
    }
}
