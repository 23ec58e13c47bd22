import DeviceMessages
import Foundation
package import InputBounds

/// What there is to tell the server: each subscribed item with its present value.
package struct StatusItems: Equatable, Sendable {
    package private(set) var values: [String: JSONValue] = [:]

    /// Subscribed items that this device cannot provide.
    package private(set) var unavailable: [String] = []

    /// Collects the items from what the agent knows, the apps that are on the device, and the machine's facts.
    ///
    /// `withFeedback` names the apps whose feedback waits to be read.
    package init(
        _ state: AgentState, apps: [AppBundle], standings: [String: AppStanding], facts: DeviceFacts,
        appUsers: AppUsers, withFeedback: Set<String> = []
    ) {
        values[ClientCapabilities.name] = AgentCapabilities.status(separatesData: state.separatesData).value
        values[DeclarationStatuses.name] = Self.declarations(state.toldVerdicts)
        let device = Self.device(state, facts).merging(DeviceSystems.status(of: state.applied)) { own, _ in own }
        for item in state.applied.subscriptions where !AgentCapabilities.implicitItems.contains(item) {
            // No state: the session tells what was handed over, once.
            if item == AppFeedbackStatus.name { continue }
            if item == AppStatus.name {
                values[item] = Self.apps(state, present: apps, standings, appUsers)
            } else if item == CommandedAppStatus.name {
                values[item] = Self.commandedApps(state, present: apps, standings, withFeedback)
            } else if let value = device[item] {
                values[item] = value
            } else {
                unavailable.append(item)
            }
        }
    }

    /// The items that follow from the device alone, as its server may hear of them.
    static func device(_ state: AgentState, _ facts: DeviceFacts) -> [String: JSONValue] {
        var items: [String: JSONValue] = [
            "device.model.family": .string("Linux"),
            "device.model.identifier": .string(facts.model),
            "device.model.marketing-name": .string(facts.modelName),
            "device.operating-system.build-version": .string(facts.kernelVersion),
            "device.operating-system.family": .string("Linux"),
            "device.operating-system.marketing-name": .string(facts.systemName),
            "device.operating-system.version": .string(facts.systemVersion),
            "mdm.is-awaiting-configuration": .boolean(state.isInSetup),
        ]
        guard state.enrollment?.separatesData != true else { return items }
        items["device.identifier.udid"] = .string(state.udid)
        if let serial = facts.serialNumber { items["device.identifier.serial-number"] = .string(serial) }
        return items
    }

    private static func declarations(_ verdicts: [String: Verdict]) -> JSONValue {
        func list(_ kind: DeclarationKind) -> [DeclarationStatus] {
            verdicts.filter { $0.value.kind == kind }.sorted { $0.key < $1.key }.map { identifier, verdict in
                DeclarationStatus(
                    identifier: identifier, serverToken: verdict.serverToken, active: verdict.active,
                    valid: verdict.valid,
                    reasons: verdict.reasons)
            }
        }
        return DeclarationStatuses(
            activations: list(.activation), configurations: list(.configuration), assets: list(.asset),
            management: list(.management)
        ).value
    }

    private static func apps(
        _ state: AgentState, present: [AppBundle], _ standings: [String: AppStanding], _ users: AppUsers
    ) -> JSONValue {
        .array(
            state.applied.apps.sorted { $0.key < $1.key }.map { identifier, app in
                let bundle = present.first { $0.identifier == identifier }
                return status(of: identifier, app, in: state, present: bundle, standings[identifier], users).value
            })
    }

    /// A declared app as it is now.
    static func status(
        of identifier: String, _ app: AppliedApp, in state: AgentState, present bundle: AppBundle?,
        _ standing: AppStanding?, _ users: AppUsers
    ) -> AppStatus {
        let said = reasons(state.report(of: identifier)) + handOverReasons(state.handOver(of: identifier))
        return AppStatus(
            identifier: identifier, declarationIdentifier: app.declarationIdentifier,
            name: bundle?.name ?? app.manifest?.title,
            version: bundle?.version, shortVersion: bundle?.shortVersion, state: standing?.state.rawValue,
            updateState: standing?.update?.rawValue, configState: state.configState(of: identifier),
            reasons: (standing?.reasons ?? []) + app.reasons + said
                + (standing?.isManaged == true ? reasons(users, app) + extensionReasons(state, bundle) : []))
    }

    /// No reason means that the app runs as a user of its own.
    private static func reasons(_ users: AppUsers, _ app: AppliedApp) -> [StatusReason] {
        guard users == .shared else { return [] }
        let trust = ("Trust", JSONValue.string(users.trust.rawValue))
        var reasons = [
            StatusReason(
                code: "Info.SharedUser",
                description: "The app has no user of its own: other programs of its user may read what it has.",
                details: .object([trust.0: trust.1]))
        ]
        let lowest = app.lowestTrust ?? .launched
        if !app.allSecrets.isEmpty || !app.absences.isEmpty, users.trust < lowest {
            reasons.append(
                StatusReason(
                    code: AppStatus.secretsWithheld,
                    description: "The app is given no secrets: the assignment asks for more trust than it has here.",
                    details: .object([trust.0: trust.1, "LowestTrust": .string(lowest.rawValue)])))
        }
        return reasons
    }

    /// How an app came to its configuration that says nothing about it: nothing else would ever be reported.
    static func handOverReasons(_ handOver: ConfigurationHandOver?) -> [StatusReason] {
        guard let handOver else { return [] }
        let sentence =
            switch handOver.way {
            case .files: "The configuration is written to files for the app; whether it reads them is not known."
            case .http: "The app fetched the configuration over HTTP; whether it takes it is not known."
            }
        return [
            StatusReason(
                code: AppStatus.configurationHandedOver, description: sentence,
                details: .object(["Version": .string(handOver.version), "Way": .string(handOver.way.rawValue)]))
        ]
    }

    /// What Apple's protocol leaves in the device's log: why the app refused (D1, D10).
    static func reasons(_ report: ConfigurationReport?) -> [StatusReason] {
        guard let report, !report.valid else { return [] }
        var details: [String: JSONValue] = [
            "Version": .string(report.version), "KeyPathSupplied": .boolean(report.keyPathSupplied),
        ]
        if let name = report.extension { details["Extension"] = .string(name) }
        if let code = report.code { details["Code"] = .integer(Int64(code)) }
        if let message = report.message { details["Message"] = .string(message) }
        if let keyPath = report.keyPath { details["KeyPath"] = .string(keyPath) }
        let who = report.extension == nil ? "The app" : "An extension"
        return [
            StatusReason(
                code: AppStatus.configurationRefused, description: "\(who) refused its configuration.",
                details: .object(details))
        ]
    }
}
