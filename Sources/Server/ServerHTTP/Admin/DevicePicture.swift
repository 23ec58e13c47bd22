import AdminMessages
import DeviceMessages
import InputBounds
import Management

/// Puts together what administrators see of one device: what it should hold beside what it reported.
struct DevicePicture: Sendable {
    let management: Management

    func detail(of device: DeviceRecord) async throws -> DeviceDetail {
        let manifest = try await management.manifest(of: device)
        let reported = try await management.reportedDeclarations(of: device.id)
        let isComplete = manifest.isReported(by: reported)
        let current = manifest.declarationsToken
        return DeviceDetail(
            id: device.id, name: device.facts.deviceName, kind: .init(rawValue: device.kind.rawValue),
            ownership: .init(rawValue: device.ownership.rawValue), supervised: device.supervised,
            groups: device.groups, person: device.person, arrival: .init(rawValue: device.arrival.kind.rawValue),
            state: device.word, facts: facts(of: device), attributes: device.attributes.values,
            enrolled: device.enrolled, lastSeen: device.lastSeen, identity: identity(of: device),
            declarationsToken: DeclarationsTokenPair(
                current: current,
                acknowledged: isComplete ? current : device.toldToken.flatMap { $0 == current ? nil : $0 }),
            signIn: device.access.map { DeviceSignIn(since: $0.since, needed: management.needsSignIn(device)) },
            awaitsConfiguration: device.awaitsConfiguration ? true : nil,
            atRest: try await management.atRest(of: device.id).map(AtRest.init),
            apps: try await apps(of: device, by: manifest, reported),
            declarations: declarations(reported, secrets: DeclaredSecret.byAsset(in: manifest)),
            silent: management.isSilent(device) ? true : nil)
    }

    private func identity(of device: DeviceRecord) -> AdminMessages.DeviceIdentity? {
        guard let standing = management.standing(of: device), let expires = device.certificateNotAfter else {
            return nil
        }
        var identity = AdminMessages.DeviceIdentity(serial: device.certificateSerial, expires: expires, state: .lapsed)
        switch standing {
        case .good(let renewal): (identity.state, identity.moment) = (.good, renewal)
        case .renewing(let since): (identity.state, identity.moment) = (.renewing, since)
        case .expired(let until): (identity.state, identity.moment) = (.expired, until)
        case .lapsed: break
        }
        return identity
    }

    /// What the device said of itself, by the protocol's names.
    private func facts(of device: DeviceRecord) -> [String: JSON] {
        let facts = device.facts
        let known: [(String, String?)] = [
            ("DeviceName", facts.deviceName), ("ModelName", facts.modelName), ("Model", facts.model),
            ("ProductName", facts.productName), ("SerialNumber", facts.serialNumber), ("OSVersion", facts.osVersion),
            ("BuildVersion", facts.buildVersion), ("Topic", facts.topic),
        ]
        // Keys: ours.
        return Dictionary(uniqueKeysWithValues: known.compactMap { name, value in value.map { (name, .string($0)) } })
    }

    private func apps(
        of device: DeviceRecord, by manifest: Manifest, _ reported: DeclarationStatuses?
    ) async throws -> [DeviceApp] {
        // Of each app the one that counts comes first.
        let assigned = Dictionary(
            try await management.candidates(inGroups: device.groups).map { ($0.assignment.app, $0) }
        ) { first, _ in first }
        let listed = try await management.reportedApps(of: device.id)
        let refusals = try await management.refusals(on: device.id)
        let rejected = try await management.rejectedApps(on: device.id)
        let states = ReportedAppState.ofApps(
            listed, refusing: refusals.keys, rejecting: rejected, withholding: manifest.withheldApps)
        var apps: [String: DeviceApp] = assigned.mapValues {
            DeviceApp(identifier: $0.assignment.app, standing: AppStanding(states[$0.assignment.app]))
        }
        for status in listed where !status.removed {
            apps[status.identifier] = DeviceApp(
                identifier: status.identifier, name: status.name, version: status.version, state: status.state,
                updateState: status.updateState, configState: status.configState?.app,
                reasons: status.reasons.map(Reason.init), extensions: Self.extensions(status),
                standing: AppStanding(states[status.identifier]))
        }
        for app in apps.keys { apps[app]?.managedBy = ManagedBy.declaration.rawValue }
        for status in try await management.commandedApps(of: device.id) {
            apps[status.identifier, default: DeviceApp(identifier: status.identifier)].report(status)
        }
        for (identifier, candidate) in assigned {
            let reported = apps[identifier]?.extensions
            apps[identifier]?.extensions = extensions(candidate, beside: reported)
            apps[identifier]?.configurationName = candidate.assignment.configuration
            apps[identifier]?.configurationVersion = candidate.version
            apps[identifier]?.delivery = candidate.assignment.delivery.said
        }
        let current = manifest.currentApps(by: reported)
        for app in manifest.apps.values { apps[app]?.isCurrent = current.contains(app) }
        // Also of an app that is in no list any more, because what the device reported since left no room for the list:
        // the list of devices counts each refusal.
        for (app, standing) in refusals {
            apps[app, default: DeviceApp(identifier: app, standing: AppStanding(states[app]))].refusals =
                standing.map(AdminMessages.ConfigurationRefusal.init)
        }
        // The list of devices counts these too, also an app that was taken from the device since.
        for app in rejected where apps[app]?.standing == nil {
            apps[app, default: DeviceApp(identifier: app)].standing = AppStanding(states[app])
        }
        // Where the device says of the app itself what is wrong, it says the same of the declaration.
        for (app, reasons) in manifest.rejectedApps(by: reported) {
            let isExplained = apps[app]?.reasons.contains { $0.code.hasPrefix("Error.") } == true
            if !isExplained { apps[app]?.reasons += reasons.map(Reason.init) }
        }
        for thing in manifest.withheld {
            apps[thing.app]?.reasons.append(Reason(thing, person: device.person, device.audience))
        }
        return apps.values.sorted { $0.identifier < $1.identifier }
    }

    private static func extensions(_ status: AppStatus) -> [DeviceExtension]? {
        guard let states = status.configState?.extensions, !states.isEmpty else { return nil }
        return states.sorted { $0.key < $1.key }.map { DeviceExtension(identifier: $0.key, configState: $0.value) }
    }

    /// What extensions are to have, beside what the device said of them.
    private func extensions(
        _ candidate: AssignmentCandidate, beside reported: [DeviceExtension]?
    ) -> [DeviceExtension]? {
        var all = Dictionary((reported ?? []).map { ($0.identifier, $0) }) { first, _ in first }
        for (identifier, name) in candidate.assignment.extensions {
            all[identifier, default: DeviceExtension(identifier: identifier)].configurationName = name
            all[identifier]?.configurationVersion = candidate.extensionVersions[identifier]
        }
        return all.isEmpty ? nil : all.values.sorted { $0.identifier < $1.identifier }
    }

    private func declarations(
        _ reported: DeclarationStatuses?, secrets: [String: DeclaredSecret]
    ) -> [DeclarationState] {
        let kinds: [DeclarationKind] = [.activation, .asset, .configuration, .management]
        return kinds.flatMap { reported?[$0] ?? [] }.map { status in
            DeclarationState(
                identifier: status.identifier, serverToken: status.serverToken, active: status.active,
                valid: status.valid.rawValue, reasons: status.reasons.map(Reason.init),
                secret: secrets[status.identifier])
        }
    }
}

extension AppStanding {
    /// The word for the state, the one that the store keeps and counts; an app without a state is not reported.
    init(_ state: ReportedAppState?) { self.init(rawValue: state?.rawValue ?? ReportedAppState.unreportedWord) }
}

extension DeviceApp {
    /// What the device says of an app that it has by command, also of one that a declaration is to take over.
    fileprivate mutating func report(_ status: CommandedAppStatus) {
        (name, version, state) = (status.name, status.version, status.state)
        reasons = status.reasons.map(Reason.init)
        managedBy = ManagedBy.command.rawValue
        (hasConfiguration, hasFeedback) = (status.hasConfiguration, status.hasFeedback)
    }
}

extension DeclaredSecret {
    /// The secret of each asset, by the asset's identifier.
    fileprivate static func byAsset(in manifest: Manifest) -> [String: DeclaredSecret] {
        var found: [String: DeclaredSecret] = [:]
        for (place, document) in manifest.declarations where place.hasPrefix("configuration/") {
            guard let bundle = manifest.apps[place], let declaration = try? Declaration(parsing: document),
                let app = try? AppManagedConfiguration(payload: declaration.payload)
            else { continue }
            add(app.appConfig, of: bundle, to: &found)
            for (name, config) in app.extensionConfigs { add(config, of: bundle, in: name, to: &found) }
        }
        return found
    }

    private static func add(
        _ config: AppConfig?, of app: String, in bundle: String? = nil, to found: inout [String: DeclaredSecret]
    ) {
        guard let config else { return }
        for (kind, secrets) in [
            (AdminMessages.AppSecretKind.password, config.passwords), (.certificate, config.certificates),
            (.identity, config.identities),
        ] {
            for secret in secrets {
                found[secret.assetReference] = DeclaredSecret(
                    app: app, extension: bundle, kind: kind, identifier: secret.identifier)
            }
        }
    }
}

extension AtRest {
    fileprivate init(_ record: AtRestRecord) {
        self.init(
            keyHolder: record.status.keyHolder.rawValue, olderCopyNoticed: record.olderCopyNoticed,
            damageNoticed: record.damageNoticed, damageReplaced: record.damageReplaced)
    }
}
