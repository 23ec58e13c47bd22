import DeviceMessages
import Foundation
import Synchronization

/// What a person at the device may ask of its apps.
extension Device {
    /// Answers at once; `isChanged` says whether there is something to be done now.
    func answer(_ request: AppRequest) throws -> (answer: AppAnswer, isChanged: Bool) {
        switch request {
        case .list: return (.apps(listedApps(known)), false)
        case .install(let bundle): return try change { state in state.request(bundle) }
        case .update(let bundle): return try change { state in state.requestUpdate(bundle) }
        case .remove(let bundle): return try change { state in state.requestRemoval(bundle) }
        }
    }

    /// Every app, managed or not: what lies here, and what is declared and does not.
    func listedApps(_ state: AgentState) -> [ListedApp] {
        let present = apps(state)
        let standings = standings(state, present: present)
        let progress = progress.withLock { $0 }
        let here = Dictionary(present.map { ($0.identifier, $0) }) { first, _ in first }
        return Set(here.keys).union(standings.keys).sorted().map { bundle in
            let standing = standings[bundle]
            let declared = state.applied.apps[bundle]
            var percent: Int?
            if case .downloading(let part) = progress[bundle] { percent = part }
            return ListedApp(
                bundleIdentifier: bundle, name: here[bundle]?.name ?? declared?.manifest?.title ?? bundle,
                version: here[bundle]?.version, shortVersion: here[bundle]?.shortVersion,
                isManaged: standing?.isManaged ?? false,
                state: standing?.state.rawValue, updateState: standing?.update?.rawValue, percent: percent,
                reasons: standing?.reasons.map { $0.description ?? $0.code } ?? [],
                isOptional: declared?.isOptional ?? false,
                isImmutable: state.installed[bundle].map { $0.isImmutable ?? false })
        }
    }
}

extension AgentState {
    fileprivate mutating func request(_ bundle: String) -> (AppAnswer, Bool) {
        guard let app = applied.apps[bundle] else {
            return (.refused("the server does not offer this app to this device"), false)
        }
        guard app.isOptional else { return (.refused("the server has this app installed without your asking"), false) }
        installations[bundle, default: Installation()].isRequested = true
        installations[bundle]?.failure = nil
        return (.accepted, true)
    }

    fileprivate mutating func requestUpdate(_ bundle: String) -> (AppAnswer, Bool) {
        guard applied.apps[bundle]?.manifest != nil, installed[bundle] != nil else {
            return (.refused("the agent has not installed this app, and so cannot update it"), false)
        }
        installations[bundle, default: Installation()].isAsked = true
        installations[bundle]?.failure = nil
        return (.accepted, true)
    }

    fileprivate mutating func requestRemoval(_ bundle: String) -> (AppAnswer, Bool) {
        guard let app = applied.apps[bundle] else { return (.refused("the server does not manage this app"), false) }
        guard app.isOptional else { return (.refused("the server demands this app: it stays"), false) }
        installations[bundle] = nil
        if app.manifest != nil { leave(bundle) }
        reports[bundle] = nil
        return (.accepted, true)
    }
}
