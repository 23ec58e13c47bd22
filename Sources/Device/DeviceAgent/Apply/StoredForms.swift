import DeviceMessages
import Foundation
import InputBounds

// How values of the wire are kept in a generation: in the form in which they came.

extension Declaration: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(Data.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded())
    }
}

extension StatusReason: Codable {
    private enum Key: String, CodingKey { case code, description, details }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            code: try container.decode(String.self, forKey: .code),
            description: try container.decodeIfPresent(String.self, forKey: .description),
            details: try container.decodeIfPresent(JSONValue.self, forKey: .details))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(details, forKey: .details)
    }
}

// What a generation of an earlier agent does not say yet has its value of that time.

extension Applied {
    private enum Key: String, CodingKey {
        case generation, apps, verdicts, assets, secrets, manifests, teams, subscriptions, systems, knownTypes,
            isComplete
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init()
        generation = try container.decode(Int.self, forKey: .generation)
        apps = try container.decode([String: AppliedApp].self, forKey: .apps)
        verdicts = try container.decode([String: Verdict].self, forKey: .verdicts)
        assets = try container.decode([String: AppliedAsset].self, forKey: .assets)
        secrets = try container.decodeIfPresent([String: ProvisionedSecret].self, forKey: .secrets) ?? [:]
        manifests = try container.decodeIfPresent([String: KnownManifest].self, forKey: .manifests) ?? [:]
        teams = try container.decodeIfPresent([Data].self, forKey: .teams) ?? []
        subscriptions = try container.decode([String].self, forKey: .subscriptions)
        systems = try container.decodeIfPresent(HeldStates.self, forKey: .systems) ?? HeldStates()
        knownTypes = try container.decodeIfPresent([String].self, forKey: .knownTypes) ?? []
        isComplete = try container.decode(Bool.self, forKey: .isComplete)
    }
}

extension AppliedApp {
    private enum Key: String, CodingKey {
        case composedIdentifier, declarationIdentifier, configuration, extensions, secrets, absences, extensionSecrets
        case extensionAbsences, lowestTrust, reasons, manifest, isOptional, defaults
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            composedIdentifier: try container.decode(String.self, forKey: .composedIdentifier),
            declarationIdentifier: try container.decode(String.self, forKey: .declarationIdentifier),
            configuration: try container.decodeIfPresent(String.self, forKey: .configuration),
            reasons: try container.decode([StatusReason].self, forKey: .reasons))
        defaults = try container.decodeIfPresent(String.self, forKey: .defaults)
        extensions = try container.decode([String: String].self, forKey: .extensions)
        secrets = try container.decodeIfPresent([AppSecrets.Entry].self, forKey: .secrets) ?? []
        absences = try container.decodeIfPresent([AppSecrets.Absence].self, forKey: .absences) ?? []
        extensionSecrets =
            try container.decodeIfPresent([String: [AppSecrets.Entry]].self, forKey: .extensionSecrets) ?? [:]
        extensionAbsences =
            try container.decodeIfPresent([String: [AppSecrets.Absence]].self, forKey: .extensionAbsences) ?? [:]
        lowestTrust = try container.decodeIfPresent(AppTrust.self, forKey: .lowestTrust)
        manifest = try container.decodeIfPresent(ManifestSource.self, forKey: .manifest)
        isOptional = try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false
    }
}

extension AgentState {
    private enum Key: String, CodingKey {
        case udid, enrollment, declarations, applied, commands, reports, status, profiles, launches
        case installed, installations, leaving, effects, fullAccess, lastContact, damagedGeneration, attestationKey
        case commanded, answeredLives, pendingActions, handOvers
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(udid: try container.decode(String.self, forKey: .udid))
        enrollment = try container.decodeIfPresent(Enrollment.self, forKey: .enrollment)
        declarations = try container.decode(HeldDeclarations.self, forKey: .declarations)
        applied = try container.decode(Applied.self, forKey: .applied)
        commands = try container.decode(CommandLedger.self, forKey: .commands)
        reports = try container.decode([String: ConfigurationReport].self, forKey: .reports)
        handOvers = try container.decodeIfPresent([String: ConfigurationHandOver].self, forKey: .handOvers) ?? [:]
        status = try container.decode(StatusBook.self, forKey: .status)
        profiles = try container.decode([InstalledProfile].self, forKey: .profiles)
        launches = try container.decode([LaunchRecord].self, forKey: .launches)
        commanded = try container.decodeIfPresent([String: CommandedApp].self, forKey: .commanded) ?? [:]
        answeredLives = try container.decodeIfPresent(Set<String>.self, forKey: .answeredLives) ?? []
        installed = try container.decodeIfPresent([String: InstalledApp].self, forKey: .installed) ?? [:]
        installations = try container.decodeIfPresent([String: Installation].self, forKey: .installations) ?? [:]
        leaving = try container.decodeIfPresent([LeavingApp].self, forKey: .leaving) ?? []
        effects = try container.decodeIfPresent([String: EffectRecord].self, forKey: .effects) ?? [:]
        take((try? container.decodeIfPresent([StoredAction].self, forKey: .pendingActions)) ?? [])
        fullAccess = try container.decodeIfPresent(Set<ExtensionName>.self, forKey: .fullAccess) ?? []
        lastContact = try container.decodeIfPresent(Date.self, forKey: .lastContact)
        damagedGeneration = try container.decodeIfPresent(Int.self, forKey: .damagedGeneration)
        attestationKey = try container.decodeIfPresent(AttestationKey.self, forKey: .attestationKey)
    }
}

extension AgentState {
    /// Takes the actions that it can read, and answers an error to the commands of the others.
    private mutating func take(_ stored: [StoredAction]) {
        pendingActions = stored.compactMap(\.action)
        for lost in stored where lost.action == nil {
            unreadableActions.append(lost.command ?? "")
            guard let command = lost.command, commands.answer(to: command) != nil else { continue }
            let sentence = """
                Another version of the agent stored the command in a form that this one cannot read, so it was not \
                carried out. Send it again.
                """
            commands.record(command, report: CommandReport.undone(command, identifier, sentence).encoded())
        }
    }
}

/// A stored action of the machine, which another agent may have written in a form that this one cannot read.
private struct StoredAction: Decodable {
    private enum Key: String, CodingKey { case command }

    /// Nil if this agent cannot read it.
    let action: PendingAction?
    /// The command that asked for it, if that can be read.
    let command: String?

    init(from decoder: any Decoder) throws {
        action = try? PendingAction(from: decoder)
        let container = try? decoder.container(keyedBy: Key.self)
        command = try? container?.decode(String.self, forKey: .command)
    }
}
