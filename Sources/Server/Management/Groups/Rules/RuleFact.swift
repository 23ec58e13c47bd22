import DeviceMessages

/// What a rule may look at of a device.
package enum RuleFact: Sendable, Hashable {
    /// Such as `iPhone17,1`, as the device reports it.
    case model
    /// `linux`, `macos`, `ios` or `visionos`.
    case system
    case systemVersion
    /// Only devices on which Martlet's own agent speaks have one.
    case agentVersion
    /// `device`, or `user` of a person's part of one.
    case kind
    /// `code`, `account` or `expected`.
    case arrival
    /// `organization` or `personal`.
    case ownership
    case supervised
    /// The device's chip was proven when it enrolled.
    case attested
    /// What holds the key of what the device keeps: `tpm` or `file`.
    case keyHolder
    /// The version of an app that the device reports; nothing while it is not there.
    case app(String)
    /// What `${device.…}` or `${person.…}` stands for.
    case variable(String)
    /// The latest value of a status item.
    case status(String)

    /// The status items that devices are asked for and whose values are texts, beside those that have names of their own.
    package static let statusItems = [
        "device.identifier.serial-number", "device.identifier.udid", "device.model.family",
        "device.operating-system.build-version",
    ]

    /// The status item of which the model is taken.
    package static let modelItem = "device.model.identifier"

    /// Those that are called by one word.
    static let plain: [RuleFact] = [
        .model, .system, .systemVersion, .agentVersion, .kind, .arrival, .ownership, .supervised, .attested, .keyHolder,
    ]

    /// As it is written in a rule; another for each.
    package var text: String {
        switch self {
        case .model: "model"
        case .system: "os"
        case .systemVersion: "os-version"
        case .agentVersion: "agent-version"
        case .kind: "kind"
        case .arrival: "arrival"
        case .ownership: "ownership"
        case .supervised: "supervised"
        case .attested: "attested"
        case .keyHolder: "key-holder"
        case .app(let identifier): "app \(identifier)"
        case .variable(let name): name
        case .status(let name): "status \(name)"
        }
    }

    /// Reads what `text` writes; throws the rule that it breaks.
    package init(parsing text: String) throws(GroupRuleRefusal) {
        if let plain = Self.plain.first(where: { $0.text == text }) {
            self = plain
        } else if text.hasPrefix("app ") {
            let identifier = String(text.dropFirst(4))
            guard App.isReverseDNS(identifier) else {
                throw GroupRuleRefusal("behind “app” stands a bundle identifier")
            }
            self = .app(identifier)
        } else if text.hasPrefix("status ") {
            let name = String(text.dropFirst(7))
            guard Self.statusItems.contains(name) else {
                throw GroupRuleRefusal(
                    "behind “status” stands one of \(Self.statusItems.joined(separator: ", "))")
            }
            self = .status(name)
        } else if DeviceVariables.isKnown(text) {
            self = .variable(text)
        } else {
            let names = Self.plain.map(\.text).joined(separator: ", ")
            throw GroupRuleRefusal(
                "a condition begins with one of \(names), app, status, shard, or a variable such as person.department")
        }
    }

    /// It is compared as a version.
    var isVersion: Bool {
        switch self {
        case .systemVersion, .agentVersion, .app: true
        default: false
        }
    }

    /// It is so or not so; there is nothing to compare.
    var isFlag: Bool { self == .supervised || self == .attested }

    /// The only values it can have, where there are few.
    var words: [String]? {
        switch self {
        case .system: DevicePlatform.allCases.map(\.rawValue)
        case .kind: [EnrollmentKind.device, .user].map(\.rawValue)
        case .arrival: [Arrival.Kind.code, .account, .expected].map(\.rawValue)
        case .ownership: [Ownership.organization, .personal].map(\.rawValue)
        case .keyHolder: [AtRestStatus.KeyHolder.tpm, .file].map(\.rawValue)
        default: nil
        }
    }
}

extension RuleFact {
    /// What a report may change: what it names, and of a full one all that it could have named.
    ///
    /// `apps` are those that were on the device before.
    package static func told(by update: StatusUpdate, apps: [String]) -> Set<RuleFact> {
        var facts: Set<RuleFact> = []
        if update.items[DeviceAudience.family] != nil { facts.insert(.system) }
        if update.items[DeviceAudience.version] != nil { facts.insert(.systemVersion) }
        if update.items[ClientCapabilities.name] != nil { facts.insert(.agentVersion) }
        if update.isFull || update.items[modelItem] != nil { facts.insert(.model) }
        if update.isFull || update.items[AtRestRecord.item] != nil { facts.insert(.keyHolder) }
        for name in statusItems where update.isFull || update.items[name] != nil { facts.insert(.status(name)) }
        if let report = ReportedApps(update) {
            facts.formUnion(report.apps.map { .app($0.identifier) })
            if report.isWhole { facts.formUnion(apps.map { .app($0) }) }
        }
        return facts
    }
}
