import DeviceMessages
package import Foundation

/// The next thing to do so that what is installed becomes what is declared: a value, decided anew after each step.
package enum InstallPlan {
    package enum Step: Equatable {
        /// Remove what has left; for a removed app also end its processes and forget what it kept.
        case clear(LeavingApp)
        /// Fetch the manifest, and the package if it is another than the one installed.
        case install(bundle: String)
        /// Look whether there is a newer version.
        case check(bundle: String)
    }

    /// What is to be known of the device beside the agent's state.
    package struct Facts: Equatable {
        /// Apps that lie on the device without our having installed them.
        package var others: Set<String> = []
        /// Apps that we have installed and whose directory is gone.
        package var missing: Set<String> = []
        /// The directories that launched apps run from.
        package var running: Set<String> = []
        /// Directories that could not be removed just now.
        package var stuck: Set<String> = []
        /// Whether the enrollment leaves alone what the user has.
        package var separatesData = false

        package init() {}
    }

    /// How often a manifest is looked at without a word of the server, where updates are to be looked for.
    package static let checkInterval: TimeInterval = 86_400

    /// The first step that is due, if one is.
    package static func next(_ state: AgentState, _ facts: Facts, now: Date) -> Step? {
        let clearable = state.leaving.first { app in
            !facts.stuck.contains(app.directory)
                && (app.reason == .removed || !facts.running.contains(app.directory))
        }
        if let clearable { return .clear(clearable) }
        for (bundle, app) in state.managed.sorted(by: { $0.key < $1.key }) {
            guard let due = due(app, bundle, state, facts), due <= now, let source = app.manifest else { continue }
            guard let installed = state.installed[bundle], !facts.missing.contains(bundle),
                isNamed(source, by: installed), state.installations[bundle]?.isAsked != true
            else { return .install(bundle: bundle) }
            return .check(bundle: bundle)
        }
        return nil
    }

    /// When a step is due next, if nothing else happens.
    package static func nextDue(_ state: AgentState, _ facts: Facts) -> Date? {
        state.managed.compactMap { bundle, app in due(app, bundle, state, facts) }.min()
    }

    private static func due(_ app: AppliedApp, _ bundle: String, _ state: AgentState, _ facts: Facts) -> Date? {
        let installation = state.installations[bundle]
        guard let source = app.manifest, state.wants(app, bundle),
            // What an app is to be told is here before it can be launched (S4-PLAT-03).
            !app.isDeclared || state.applied.verdicts[app.declarationIdentifier]?.valid == .valid
        else { return nil }
        if let failure = installation?.failure, failure.serverToken == source.serverToken {
            // What cannot heal by itself may be another package tomorrow, where updates are looked for.
            return failure.due ?? (source.updates == .always ? failure.at.addingTimeInterval(checkInterval) : nil)
        }
        guard let installed = state.installed[bundle], !facts.missing.contains(bundle) else {
            return facts.others.contains(bundle) && facts.separatesData ? nil : .distantPast
        }
        if !isNamed(source, by: installed) || installation?.isAsked == true { return .distantPast }
        guard source.updates == .always else { return nil }
        return (installation?.checked ?? .distantPast).addingTimeInterval(checkInterval)
    }

    /// Whether the declaration that brought the installed version is the one that holds now.
    private static func isNamed(_ source: ManifestSource, by installed: InstalledApp) -> Bool {
        source.url == installed.manifestURL && source.serverToken == installed.serverToken
    }

    /// What to do about the version that a manifest names.
    package enum Verdict: Equatable {
        case install
        /// It is the installed one.
        case isHere
        /// It is newer, and to be left until somebody wants it.
        case leaveAvailable
        case olderThanInstalled
    }

    /// Judges a manifest's version: what is installed is never replaced by an older one.
    ///
    /// Another manifest, or another token, is the server's wish; the same one is followed only where updates are to be
    /// made without it. Where they are never to be, only another manifest counts.
    package static func judge(version: String?, installed: InstalledApp?, source: ManifestSource, isAsked: Bool)
        -> Verdict
    {
        guard let installed else { return .install }
        guard let version, version != installed.version else { return .isHere }
        guard BundleVersion.isNewer(version, than: installed.version) else { return .olderThanInstalled }
        if isAsked || source.url != installed.manifestURL || source.updates == .always { return .install }
        return source.updates == .never || source.serverToken == installed.serverToken ? .leaveAvailable : .install
    }
}

extension AgentState {
    /// Whether an app is to be on the device: as the server demands, or as the user has asked.
    func wants(_ app: AppliedApp, _ bundle: String) -> Bool {
        !app.isOptional || installed[bundle] != nil || installations[bundle]?.isRequested == true
    }
}
