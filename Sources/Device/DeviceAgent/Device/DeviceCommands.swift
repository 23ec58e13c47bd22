package import DeviceMessages
package import Foundation
import InputBounds
import SwiftASN1
package import TPMKeys
import X509

/// Executes the server's commands on a value: what a command does is a change of the agent's state, nothing else.
package struct DeviceCommands: Sendable {
    /// What came of a command.
    package enum Outcome: Equatable, Sendable {
        case report(CommandReport)
        /// The same, and declarations are to be synchronized afterwards.
        case synchronize(CommandReport, SyncTokens?)
        /// The same, and an app, or every one, is to hand its feedback over.
        case takeFeedback(CommandReport, app: String?)
    }

    private let facts: DeviceFacts
    private let profile: EnrollmentProfile
    private let tpm: TPM?
    let apps: @Sendable (AgentState) -> [ListedApp]
    let feedback: @Sendable (_ app: String) -> KnownFeedback
    let content: @Sendable (_ digest: String) -> Data?
    /// The manifest that the command names which is executed next; nothing where none was asked for.
    package var manifest: ManifestResult?
    /// Whether the machine can do what the command asks for that is executed next; nothing where it was not asked.
    package var machine: MachineReadiness?

    /// `apps` lists the apps that are on the device, and those declared; `feedback` says what an app has counted, and
    /// `content` has what the state names by its digest.
    package init(
        facts: DeviceFacts, profile: EnrollmentProfile, tpm: TPM? = nil,
        apps: @escaping @Sendable (AgentState) -> [ListedApp] = { _ in [] },
        feedback: @escaping @Sendable (_ app: String) -> KnownFeedback = { _ in KnownFeedback() },
        content: @escaping @Sendable (_ digest: String) -> Data? = { _ in nil }
    ) {
        (self.feedback, self.content) = (feedback, content)
        self.apps = apps
        self.tpm = tpm
        self.facts = facts
        self.profile = profile
    }

    /// Every command that is of no system and changes the agent's state and nothing else: a new one is a line here.
    ///
    /// One that a system knows is in its `commands`, one that has the machine do something in `machineCommands`.
    private static let known: [String: Known] = [
        "DeclarativeManagement": Known { $0.declarativeManagement($1, &$2) },
        "DeviceInformation": Known(needs: AccessRights.deviceInformation) {
            .report($0.deviceInformation($1, $2))
        },
        "DeviceConfigured": Known { .report($0.deviceConfigured($1, &$2)) },
        "ProfileList": Known(needs: AccessRights.inspectProfiles) { .report($0.profileList($1, $2)) },
        "CertificateList": Known(needs: AccessRights.inspectProfiles) { .report($0.certificateList($1, $2)) },
        "InstalledApplicationList": Known(needs: AccessRights.inspectApps) {
            .report($0.installedApplicationList($1, $2))
        },
        FetchFeedback.requestType: Known(needs: AccessRights.inspectApps) { $0.fetchFeedback($1, $2) }
            // The answer names the apps that counted something, so the newest notes must be on the disk first.
            .preparing { session, _, _ in await session.device.feedback.settle() },
        "InstallProfile": Known(needs: AccessRights.changeProfiles) { .report($0.installProfile($1, &$2)) },
        "RemoveProfile": Known(needs: AccessRights.changeProfiles) { .report($0.removeProfile($1, &$2)) },
    ]

    /// The command of a type; nothing if this device does not know it.
    static func command(of type: String) -> Known? {
        known[type] ?? DeviceSystems.command(of: type) ?? machineCommands[type]
    }

    /// Executes `command`; the caller keeps the changed state and the result together.
    ///
    /// A command that acts outside of the state is not executed here: a session does that.
    package func execute(_ command: Command, on state: inout AgentState) -> Outcome {
        guard let known = Self.command(of: command.requestType), case .change(let run) = known.execution else {
            return .report(refused(command, state, 12_021, "The request type is unknown to this device."))
        }
        if let right = known.right, !has(right) { return .report(notPermitted(command, state)) }
        return run(self, command, &state)
    }

    // MARK: - Commands

    private func declarativeManagement(_ command: Command, _ state: inout AgentState) -> Outcome {
        var tokens: SyncTokens?
        if let data = command.request["Data"] {
            guard let bytes = data.data, let response = try? TokensResponse(parsing: bytes) else {
                return .report(malformed(command, state))
            }
            tokens = response.syncTokens
        }
        state.declarations.enabled = true
        return .synchronize(acknowledged(command, state), tokens)
    }

    private func deviceInformation(_ command: Command, _ state: AgentState) -> CommandReport {
        guard let queries = command.request["Queries"]?.array else { return malformed(command, state) }
        var answers: [String: PropertyListValue] = [
            "DeviceName": .string(facts.name(for: state.enrollment)), "OSVersion": .string(facts.systemVersion),
            "BuildVersion": .string(facts.kernelVersion), "ProductName": .string(facts.systemName),
            "ModelName": .string(facts.modelName), "Model": .string(facts.model),
            "IsSupervised": .boolean(state.enrollment?.isSupervised == true),
            "IsMultiUser": .boolean(false), "AwaitingConfiguration": .boolean(state.isInSetup),
            "TimeZone": .string(TimeZone.current.identifier),
        ]
        if state.enrollment?.separatesData != true {
            answers["UDID"] = .string(state.udid)
            answers["HostName"] = .string(facts.hostName)
            answers["LocalHostName"] = .string(facts.hostName)
            if let serial = facts.serialNumber { answers["SerialNumber"] = .string(serial) }
        }
        if let token = state.enrollment?.token { answers["PushToken"] = .data(token) }
        let asked = Set(queries.compactMap(\.string))
        return acknowledged(command, state, ["QueryResponses": .dictionary(answers.filter { asked.contains($0.key) })])
    }

    private func fetchFeedback(_ command: Command, _ state: AgentState) -> Outcome {
        guard let fetch = try? FetchFeedback(command.request) else { return .report(malformed(command, state)) }
        let managed = Set(state.applied.apps.keys).union(state.commanded.keys)
        let counting = managed.sorted().filter { app in
            (fetch.app ?? app) == app && !feedback(app).without(state.answeredLives).isEmpty
        }
        // The answer names all such apps or none: the server would take a part for the whole.
        var contents: [String: PropertyListValue] = [:]
        if counting.count <= AppCommandBounds.most {
            contents[FetchFeedback.apps] = .array(counting.map { .string($0) })
        }
        return .takeFeedback(acknowledged(command, state, contents), app: fetch.app)
    }

    /// Lets the device out of its setup; one that is in none has nothing to do.
    private func deviceConfigured(_ command: Command, _ state: inout AgentState) -> CommandReport {
        state.enrollment?.awaitsConfiguration = nil
        return acknowledged(command, state)
    }

    private func profileList(_ command: Command, _ state: AgentState) -> CommandReport {
        let contents = [state.enrollment?.profile].compactMap { $0 } + state.profiles.map(\.content)
        let list = contents.compactMap { try? ProfileContents(parsing: $0).listed(isManaged: true) }
        return acknowledged(command, state, ["ProfileList": .array(list)])
    }

    /// Every app on the device; of one that a person enrolled, those under management alone.
    private func installedApplicationList(_ command: Command, _ state: AgentState) -> CommandReport {
        let onlyManaged = command.request["ManagedAppsOnly"]?.bool == true || state.separatesData
        let asked = command.request["Identifiers"]?.array.map { Set($0.compactMap(\.string)) }
        let list = apps(state).filter { app in
            app.version != nil && (app.isManaged || !onlyManaged) && asked?.contains(app.bundleIdentifier) != false
        }
        return acknowledged(
            command, state,
            [
                "InstalledApplicationList": .array(
                    list.map { app in
                        var entry: [String: PropertyListValue] = [
                            "Identifier": .string(app.bundleIdentifier), "Name": .string(app.name),
                            "Version": .string(app.version ?? ""), "ShortVersion": .string(app.shortVersion ?? ""),
                            "IsManaged": .boolean(app.isManaged), "Installing": .boolean(app.updateState == "updating"),
                            "HasUpdateAvailable": .boolean(app.updateState == "available"),
                        ]
                        if let extensions = app.extensions, !extensions.isEmpty {
                            entry["MartletExtensions"] = .array(extensions.map { $0.record(isManaged: app.isManaged) })
                        }
                        return .dictionary(entry)
                    })
            ])
    }

    private func certificateList(_ command: Command, _ state: AgentState) -> CommandReport {
        var certificates: [(der: Data, isIdentity: Bool)] = profile.roots.map { ($0, false) }
        if let own = state.enrollment?.certificate { certificates.append((own, true)) }
        let list = certificates.map { certificate in
            PropertyListValue.dictionary([
                "CommonName": .string(Self.commonName(certificate.der) ?? ""),
                "IsIdentity": .boolean(certificate.isIdentity),
                "Data": .data(certificate.der),
            ])
        }
        return acknowledged(command, state, ["CertificateList": .array(list)])
    }

    /// Replaces the enrollment's own profile, or installs a profile without payloads.
    ///
    /// No payload has an effect on this device, so each one is refused by its type: no app would trust a root certificate
    /// that a profile brings, for example.
    private func installProfile(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let payload = command.request["Payload"]?.data else { return malformed(command, state) }
        guard let data = try? ProfileFile.content(of: payload), let contents = try? ProfileContents(parsing: data)
        else { return refused(command, state, 1_000, "The profile or its signature cannot be read.") }
        guard contents.identifier != profile.identifier else { return reinstall(data, command, &state) }
        if let payload = contents.payloads.first {
            return refused(
                command, state, 1_002, "This device does not support payloads of the type \(payload.shownType).")
        }
        state.profiles.removeAll { $0.identifier == contents.identifier }
        state.profiles.append(InstalledProfile(identifier: contents.identifier, content: data))
        return acknowledged(command, state)
    }

    /// Takes the enrollment's own profile anew: the device is to have another identity, with the same server.
    ///
    /// What follows takes its time and several attempts; the old identity serves until the server has accepted the new one.
    private func reinstall(_ data: Data, _ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let new = try? EnrollmentProfile(parsing: data) else {
            return refused(command, state, 1_005, "The enrollment's own profile cannot be used.")
        }
        if state.enrollment?.kind == .profile, let refusal = EnrollmentProfile.refusal(of: data, new) {
            return refused(command, state, 1_009, "The enrollment's own profile cannot be used: \(refusal).")
        }
        let separatesData = state.enrollment?.separatesData == true
        if let refusal = EnrollmentIdentity.refusal(of: new.identity, tpm: tpm, separatesData: separatesData) {
            return refused(command, state, 1_006, "The identity cannot be replaced: \(refusal).")
        }
        guard new.mdm.account == profile.mdm.account else {
            return refused(command, state, 1_007, "The enrollment's own profile cannot be another person's.")
        }
        guard new.mdm.topic == profile.mdm.topic, new.mdm.serverURL == profile.mdm.serverURL,
            new.mdm.checkInURL == profile.mdm.checkInURL
        else { return refused(command, state, 1_001, "The enrollment's own profile cannot name another server.") }
        guard state.enrollment != nil else { return malformed(command, state) }
        state.enrollment?.successor = Successor(profile: data)
        return acknowledged(command, state)
    }

    private func removeProfile(_ command: Command, _ state: inout AgentState) -> CommandReport {
        guard let identifier = command.request["Identifier"]?.string else { return malformed(command, state) }
        guard identifier != profile.identifier else {
            return refused(command, state, 1_004, "The enrollment's own profile cannot be removed by command.")
        }
        guard state.profiles.contains(where: { $0.identifier == identifier }) else {
            return refused(command, state, 12_074, "No profile with this identifier is installed.")
        }
        state.profiles.removeAll { $0.identifier == identifier }
        return acknowledged(command, state)
    }

    /// Says that the agent ended before a command had come to its end.
    func interrupted(_ command: Command, _ state: AgentState) -> CommandReport {
        refused(command, state, 1_008, "The agent ended before the command was finished.")
    }

    // MARK: - Answers

    static let errorDomain = "dev.martlet.agent"

    func has(_ right: Int) -> Bool {
        profile.mdm.accessRights.map { $0 & right != 0 } ?? true
    }

    func acknowledged(
        _ command: Command, _ state: AgentState, _ contents: [String: PropertyListValue] = [:]
    ) -> CommandReport {
        CommandReport(
            identifier: state.identifier, status: .acknowledged, commandUUID: command.uuid,
            contents: .dictionary(contents))
    }

    func malformed(_ command: Command, _ state: AgentState) -> CommandReport {
        CommandReport(identifier: state.identifier, status: .commandFormatError, commandUUID: command.uuid)
    }

    func notPermitted(_ command: Command, _ state: AgentState) -> CommandReport {
        refused(command, state, 12_007, "The enrollment does not grant the right that the command needs.")
    }

    func refused(
        _ command: Command, _ state: AgentState, _ code: Int, _ sentence: String,
        _ contents: [String: PropertyListValue] = [:]
    ) -> CommandReport {
        let link = ErrorChainItem(
            code: code, domain: Self.errorDomain, localizedDescription: sentence, englishDescription: sentence)
        return CommandReport(
            identifier: state.identifier, status: .error, commandUUID: command.uuid, errorChain: [link],
            contents: .dictionary(contents))
    }

    /// The common name of a certificate, empty if it has none; nothing if it is no certificate.
    private static func commonName(_ der: Data) -> String? {
        guard let certificate = try? Certificate(derEncoded: Array(der)) else { return nil }
        for name in certificate.subject {
            for attribute in name where attribute.type == .RDNAttributeType.commonName {
                return String(describing: attribute.value)
            }
        }
        return ""
    }
}

extension AgentState {
    /// How this device names itself to its server.
    package var identifier: EnrollmentIdentifier {
        if let id = enrollment?.enrollmentID { return EnrollmentIdentifier(kind: .user, id: id) }
        return EnrollmentIdentifier(kind: .device, id: udid)
    }
}

extension ListedExtension {
    /// The extension's entry in an answer; an extension is managed if its app is.
    fileprivate func record(isManaged: Bool) -> PropertyListValue {
        .dictionary([
            "Identifier": .string(bundleIdentifier), "Kind": .string(kind), "IsManaged": .boolean(isManaged),
            "IsRestricted": .boolean(isRestricted), "HasFullAccess": .boolean(hasFullAccess),
        ])
    }
}
