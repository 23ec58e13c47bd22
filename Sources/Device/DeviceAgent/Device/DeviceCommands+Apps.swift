import DeviceMessages
import Foundation
import InputBounds

/// The commands of the apps system: those that manage apps without declarations, and the one that has an app try a
/// configuration.
///
/// What a declaration manages is out of the reach of the former.
extension DeviceCommands {
    /// Each needs the right over apps.
    static let appCommands: [String: Known] = {
        var commands: [String: Known] = [:]
        commands[InstallApplication.requestType] = Known(needs: AccessRights.apps) {
            .report($0.installApplication($1, &$2))
        }
        .withdrawing().bringing { contents(ofInstallation: $0) }
        .preparing { session, command, commands in commands.manifest = await session.manifest(for: command) }
        commands[RemoveApplication.requestType] = Known(needs: AccessRights.apps) {
            .report($0.removeApplication($1, &$2))
        }
        .withdrawing()
        commands[AppSettings.requestType] = Known(needs: AccessRights.apps) { .report($0.change($1, &$2)) }
            .withdrawing().bringing { contents(ofSettings: $0) }
        for kind in AppQuery.Kind.allCases {
            commands[kind.rawValue] = Known(needs: AccessRights.apps) { .report($0.answer($1, &$2)) }
                .preparing { session, command, _ in await session.takeFeedback(for: command) }
        }
        commands[TryConfiguration.requestType] = Known.acting(needs: AccessRights.apps) { session, command in
            try await session.tryConfiguration(command)
        }
        return commands
    }()

    /// Why a command about an app is refused.
    struct AppRefusal: Error, Sendable {
        let code: Int
        let sentence: String
        /// The protocol's `RejectionReason` of an installation.
        var word = "Other"

        static let declared = AppRefusal(
            code: 12_026, sentence: "The app is managed by a declaration, and no command changes it.")
        static let notManaged = AppRefusal(code: 12_027, sentence: "No app of this identifier is managed by command.")

        static func rejected(_ word: String, _ sentence: String) -> AppRefusal {
            AppRefusal(code: 12_028, sentence: sentence, word: word)
        }
    }

    // MARK: - Installing

    /// The address of the manifest that a command needs, if it may be executed at all.
    func manifestNeeded(by command: Command, _ state: AgentState) -> String? {
        guard command.requestType == InstallApplication.requestType, has(AccessRights.apps),
            let request = try? InstallApplication(command.request)
        else { return nil }
        if let identifier = request.identifier, state.applied.apps[identifier] != nil { return nil }
        return request.manifestURL
    }

    /// Takes an app under management, and has it installed or updated; with it comes what it is to find from the first
    /// launch on.
    ///
    /// What the command does not say of an app that is managed already stays as it is, except for the flags.
    private func installApplication(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let request = try? InstallApplication(command.request) else { return malformed(command, state) }
        do throws(AppRefusal) {
            let (bundle, source) = try named(request, state)
            try check(request, bundle, source, state)
            state.manage(bundle, by: request, source)
            let listed = apps(state).first { $0.bundleIdentifier == bundle }
            return acknowledged(
                command, state,
                ["Identifier": .string(bundle), "State": .string(state.commandWord(for: bundle, listed))])
        } catch {
            var contents: [String: PropertyListValue] = ["RejectionReason": .string(error.word)]
            if let identifier = request.identifier { contents["Identifier"] = .string(identifier) }
            return refused(command, state, error.code, error.sentence, contents)
        }
    }

    /// Which app is meant, and by which manifest it is installed.
    private func named(
        _ request: InstallApplication, _ state: AgentState
    ) throws(AppRefusal) -> (bundle: String, source: ManifestSource?) {
        if let identifier = request.identifier, state.applied.apps[identifier] != nil { throw .declared }
        guard let url = request.manifestURL else {
            guard let identifier = request.identifier else {
                throw .rejected("NotSupported", "This device has no app store: name the app's manifest.")
            }
            return (identifier, nil)
        }
        switch manifest {
        case .here(let known)?:
            guard request.identifier == nil || request.identifier == known.bundleIdentifier else {
                throw .rejected("CouldNotVerifyAppID", "The manifest is that of another app than the command names.")
            }
            return (known.bundleIdentifier, ManifestSource(url: url, known: known, updates: .asUsual))
        case .refused(let refusal)?:
            throw .rejected("CouldNotVerifyAppID", "The app's manifest cannot be had: \(refusal.sentence).")
        case nil:
            throw .rejected("CouldNotVerifyAppID", "The app's manifest is not here.")
        }
    }

    /// Whether the app may come under management by command.
    private func check(
        _ request: InstallApplication, _ bundle: String, _ source: ManifestSource?, _ state: AgentState
    ) throws(AppRefusal) {
        guard state.applied.apps[bundle] == nil else { throw .declared }
        if let attributes = request.attributes { try Self.check(attributes: attributes) }
        guard state.commanded[bundle] == nil else { return }
        guard state.commanded.count < AppCommandBounds.most else {
            throw AppRefusal(
                code: 12_034,
                sentence: "This device has at most \(AppCommandBounds.most) apps managed by command: remove one.")
        }
        let isHere = apps(state).contains { $0.bundleIdentifier == bundle && $0.version != nil }
        guard isHere else {
            if source == nil {
                throw .rejected(
                    "NotSupported", "The app is not here and this device has no app store: name the app's manifest.")
            }
            return
        }
        guard request.takesOver else {
            throw .rejected(
                "AppAlreadyInstalled",
                "The app is here and not managed: with ChangeManagementState Managed the command takes it over.")
        }
        if state.separatesData {
            throw .rejected(
                "ManagementChangeNotSupported",
                "The app is the person's own, and this enrollment takes over nothing that is theirs.")
        }
    }

    /// Refuses attributes by name that have no effect here: none is acknowledged for nothing.
    private static func check(attributes: PropertyListValue) throws(AppRefusal) {
        let entries = attributes.dictionary ?? [:]
        for (name, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard CommandedApp.knownAttributes.contains(name) else {
                throw AppRefusal(
                    code: 12_029,
                    sentence: "The attribute \(name.prefix(64)) has no effect on this device: leave it out.")
            }
            guard value.bool != nil else {
                throw AppRefusal(code: 12_029, sentence: "The attribute \(name) is true or false.")
            }
        }
    }

    // MARK: - Removing

    private func removeApplication(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let request = try? RemoveApplication(command.request) else { return malformed(command, state) }
        let bundle = request.identifier
        do throws(AppRefusal) {
            _ = try Self.commanded(bundle, state)
            if state.installed[bundle] == nil,
                apps(state).contains(where: { $0.bundleIdentifier == bundle && $0.version != nil })
            {
                throw AppRefusal(
                    code: 12_030,
                    sentence: "The agent has not installed this app and cannot remove it: remove it where it was put.")
            }
            state.removeCommanded(bundle)
            return acknowledged(command, state)
        } catch {
            return refused(command, state, error.code, error.sentence)
        }
    }

    private static func commanded(_ bundle: String, _ state: AgentState) throws(AppRefusal) -> CommandedApp {
        guard state.applied.apps[bundle] == nil else { throw .declared }
        guard let app = state.commanded[bundle] else { throw .notManaged }
        return app
    }

    // MARK: - Settings

    /// Changes what each item says; one that is refused stops no other.
    private func change(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let settings = try? AppSettings(command.request) else { return malformed(command, state) }
        var results: [PropertyListValue] = []
        for item in settings.items {
            var result: [String: PropertyListValue] = [
                "Item": .string(String(item.name.prefix(128))), "Status": .string(CommandStatus.acknowledged.rawValue),
            ]
            if let app = item.app { result["Identifier"] = .string(app) }
            do throws(AppRefusal) {
                try Self.change(item, &state)
            } catch {
                result["Status"] = .string(CommandStatus.error.rawValue)
                result["ErrorChain"] = .array([
                    .dictionary([
                        "ErrorCode": .integer(Int64(error.code)), "ErrorDomain": .string(Self.errorDomain),
                        "LocalizedDescription": .string(error.sentence),
                        "USEnglishDescription": .string(error.sentence),
                    ])
                ])
            }
            results.append(.dictionary(result))
        }
        return acknowledged(command, state, ["Settings": .array(results)])
    }

    private static func change(_ item: AppSettings.Item, _ state: inout AgentState) throws(AppRefusal) {
        switch item {
        case .configuration(let bundle, let configuration):
            var app = try commanded(bundle, state)
            app.configuration = configuration?.xml().digest
            state.keep(app, as: bundle)
        case .attributes(let bundle, let attributes):
            var app = try commanded(bundle, state)
            if let attributes { try check(attributes: attributes) }
            app.attributes = attributes?.xml()
            state.keep(app, as: bundle)
        case .other:
            throw AppRefusal(code: 12_021, sentence: "The setting is unknown to this device.")
        }
    }

    // MARK: - What commands bring

    /// The contents that an installation brings, by their digests: the dictionary for the app's user defaults.
    private static func contents(ofInstallation command: Command) -> [String: Data] {
        contents([(try? InstallApplication(command.request))?.configuration].compactMap(\.self))
    }

    /// The same of settings, which may be of several apps.
    private static func contents(ofSettings command: Command) -> [String: Data] {
        var dictionaries: [PropertyListValue] = []
        for case .configuration(_, let value?) in (try? AppSettings(command.request))?.items ?? [] {
            dictionaries.append(value)
        }
        return contents(dictionaries)
    }

    private static func contents(_ dictionaries: [PropertyListValue]) -> [String: Data] {
        dictionaries.reduce(into: [:]) { contents, value in
            let bytes = value.xml()
            contents[bytes.digest] = bytes
        }
    }
}

extension AgentState {
    /// Keeps what commands have made of an app; those that run hear of it as of something newer.
    fileprivate mutating func keep(_ app: CommandedApp, as bundle: String) {
        guard commanded[bundle] != app else { return }
        commanded[bundle] = app
        applied.generation += 1
    }

    /// Takes an app under management as an installation says.
    fileprivate mutating func manage(_ bundle: String, by request: InstallApplication, _ source: ManifestSource?) {
        var app = commanded[bundle] ?? CommandedApp()
        app.flags = request.managementFlags
        if let source { app.manifest = source }
        if let configuration = request.configuration { app.configuration = configuration.xml().digest }
        if let attributes = request.attributes { app.attributes = attributes.xml() }
        keep(app, as: bundle)
        installations[bundle]?.failure = nil
        // The same manifest as before: the newest version that it names.
        if source == nil, app.manifest != nil { installations[bundle, default: Installation()].isAsked = true }
    }

    /// Where an app that is managed by command stands, in the words of the commands.
    func commandWord(for bundle: String, _ listed: ListedApp?) -> String {
        guard let app = commanded[bundle] else { return "Unknown" }
        switch listed?.state.flatMap(AppStanding.State.init(rawValue:)) {
        case .managed?:
            return listed?.updateState == AppStanding.UpdateState.updating.rawValue || isBehind(app, bundle)
                ? "Updating" : "Managed"
        case .queued?: return "Queued"
        case .downloading?, .installing?: return "Installing"
        case .notPresent?, .managedButUninstalled?: return "ManagedButUninstalled"
        case .failed?: return "Failed"
        case .optional?, nil: return "Unknown"
        }
    }

    /// Whether another installation was ordered than the one that is here, and has not failed.
    private func isBehind(_ app: CommandedApp, _ bundle: String) -> Bool {
        guard let source = app.manifest, let installed = installed[bundle] else { return false }
        let isNamed = installed.serverToken == source.serverToken && installed.manifestURL == source.url
        return !isNamed && installations[bundle]?.failure?.serverToken != source.serverToken
    }
}
