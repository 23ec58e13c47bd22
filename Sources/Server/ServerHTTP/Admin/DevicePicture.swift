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
            state: device.word, facts: facts(of: device),
            enrolled: device.enrolled, lastSeen: device.lastSeen, identity: identity(of: device),
            declarationsToken: DeclarationsTokenPair(
                current: current,
                acknowledged: isComplete ? current : device.toldToken.flatMap { $0 == current ? nil : $0 }),
            signIn: device.access.map { DeviceSignIn(since: $0.since, needed: management.needsSignIn(device)) },
            awaitsConfiguration: device.awaitsConfiguration ? true : nil,
            atRest: try await management.atRest(of: device.id).map(AtRest.init),
            apps: try await apps(of: device, withheld: manifest.withheld),
            declarations: declarations(reported, secrets: DeclaredSecret.byAsset(in: manifest)))
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
        return Dictionary(uniqueKeysWithValues: known.compactMap { name, value in value.map { (name, .string($0)) } })
    }

    private func apps(of device: DeviceRecord, withheld: [Withheld]) async throws -> [DeviceApp] {
        let assigned = try await assignments(of: device)
        var apps: [String: DeviceApp] = assigned.mapValues { DeviceApp(identifier: $0.app) }
        for status in try await management.reportedApps(of: device.id) where !status.removed {
            apps[status.identifier] = DeviceApp(
                identifier: status.identifier, name: status.name, version: status.version, state: status.state,
                updateState: status.updateState, configState: status.configState?.app,
                reasons: status.reasons.map(Reason.init), extensions: Self.extensions(status))
        }
        for (identifier, assignment) in assigned {
            let reported = apps[identifier]?.extensions
            apps[identifier]?.extensions = try await extensions(assignment, beside: reported)
            guard let name = assignment.configuration else { continue }
            apps[identifier]?.configurationName = name
            apps[identifier]?.configurationVersion = try await version(of: name, of: identifier)
        }
        for (app, refusals) in try await management.refusals(on: device.id) {
            apps[app]?.refusals = refusals.map(AdminMessages.ConfigurationRefusal.init)
        }
        for thing in withheld {
            apps[thing.app]?.reasons.append(Reason(thing, person: device.person, device.audience))
        }
        return apps.values.sorted { $0.identifier < $1.identifier }
    }

    private func version(of name: String, of app: String) async throws -> Int? {
        try await management.configuration(app: app, name: name)?.version.version
    }

    private static func extensions(_ status: AppStatus) -> [DeviceExtension]? {
        guard let states = status.configState?.extensions, !states.isEmpty else { return nil }
        return states.sorted { $0.key < $1.key }.map { DeviceExtension(identifier: $0.key, configState: $0.value) }
    }

    /// What extensions are to have, beside what the device said of them.
    private func extensions(
        _ assignment: AssignmentRecord, beside reported: [DeviceExtension]?
    ) async throws -> [DeviceExtension]? {
        var all = Dictionary((reported ?? []).map { ($0.identifier, $0) }) { first, _ in first }
        for (identifier, name) in assignment.extensions {
            all[identifier, default: DeviceExtension(identifier: identifier)].configurationName = name
            all[identifier]?.configurationVersion = try await version(of: name, of: assignment.app)
        }
        return all.isEmpty ? nil : all.values.sorted { $0.identifier < $1.identifier }
    }

    /// The assignment of each app that counts: of several, the one made last.
    private func assignments(of device: DeviceRecord) async throws -> [String: AssignmentRecord] {
        var latest: [String: AssignmentRecord] = [:]
        for group in device.groups {
            var cursor: String?
            repeat {
                let page = try await management.assignments(
                    AssignmentFilter(group: group), PageRequest(after: cursor, limit: PageRequest.largest))
                for assignment in page.items where (latest[assignment.app]?.order ?? -1) < assignment.order {
                    latest[assignment.app] = assignment
                }
                cursor = page.next
            } while cursor != nil
        }
        return latest
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

extension DeclaredSecret {
    /// Whose each asset of a secret is, by the asset's identifier.
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

extension Reason {
    /// The server's own reason: something is not given, because the device has no value for it or is not one for it.
    fileprivate init(_ withheld: Withheld, person: String?, _ audience: DeviceAudience) {
        let subject: String
        var details: [String: JSON] = [:]
        switch withheld.subject {
        case .app: subject = "The app"
        case .configuration: subject = "The configuration"
        case .extensionConfiguration(let name):
            subject = "The configuration of an extension"
            details["Extension"] = .string(name)
        case .secret(let place):
            subject = "A secret"
            details["Identifier"] = .string(place.identifier)
            details["Kind"] = .string(place.kind.rawValue)
            if let name = place.extension { details["Extension"] = .string(name) }
        }
        let cause: String
        switch withheld.reason {
        case .noValue(let variables):
            let isOfPerson = variables.contains { $0.hasPrefix("person.") }
            cause =
                "the device has no value for \(variables.map { "${\($0)}" }.joined(separator: ", "))"
                + (isOfPerson && person == nil ? ", for it is nobody's" : "")
            details["Variables"] = .array(variables.map { .string($0) })
        case .noDeviceValue(let secret):
            cause =
                "only single devices have a value of it, and this one has none, or another device says the same "
                + "serial number"
            details["Secret"] = .string(secret)
        case .tooLarge:
            cause = "with the device's values it is larger than a configuration may be"
        case .systemTooOld(let platform, let minimum):
            cause =
                "it needs \(platform.name) \(minimum), and the device "
                + (audience.osVersion.map { "has \($0)" } ?? "has not said which version it has")
            details["Minimum"] = .string(minimum.description)
        case .agentTooOld(let minimum):
            cause =
                "it needs Martlet's agent \(minimum), and the device "
                + (audience.agentVersion.map { "has \($0)" } ?? "has not said that it has one")
            details["Minimum"] = .string(minimum.description)
        case .noSource(let platform):
            cause = "it has no source for \(platform.name)"
        }
        self.init(
            code: "Server.Withheld", description: "\(subject) is withheld: \(cause).",
            details: details.isEmpty ? nil : .object(details))
    }

    fileprivate init(_ reason: StatusReason) {
        self.init(
            code: reason.code, description: reason.description, details: reason.details.map { JSON($0) })
    }
}
