package import DeviceMessages
package import InputBounds

/// What a device runs, as far as it has said: it decides which of an app's sources the device gets.
///
/// Known facts stay until the device reports others. Otherwise a device that no longer reports its version would lose
/// an app.
package struct DeviceAudience: Sendable, Hashable {
    package var platform: DevicePlatform?
    package var osVersion: SystemVersion?
    /// Only of devices on which Martlet's own agent speaks.
    package var agentVersion: SystemVersion?
    /// Of the types of configurations by which settings are given, those that the device takes; nothing before it has
    /// told what it takes.
    package var takenTypes: Set<String>?
    /// Whether the device tells the feedback of its apps; nothing as long as it does not say so.
    package var tellsFeedback: Bool?
    /// The same of whether it has apps managed by command, and tells of them.
    package var takesAppCommands: Bool?
    /// Whether it belongs to a person, by its enrollment; no report changes that.
    package var isOfAPerson = false

    package init(
        platform: DevicePlatform? = nil, osVersion: SystemVersion? = nil, agentVersion: SystemVersion? = nil,
        takenTypes: Set<String>? = nil, tellsFeedback: Bool? = nil, takesAppCommands: Bool? = nil,
        isOfAPerson: Bool = false
    ) {
        self.platform = platform
        self.osVersion = osVersion
        self.agentVersion = agentVersion
        self.takenTypes = takenTypes
        self.tellsFeedback = tellsFeedback
        self.takesAppCommands = takesAppCommands
        self.isOfAPerson = isOfAPerson
    }

    /// What a device says when it checks in.
    package init(_ message: Authenticate) {
        agentVersion = message.agentVersion.flatMap { SystemVersion(saidBy: $0) }
        osVersion = message.osVersion.flatMap { SystemVersion(saidBy: $0) }
        platform =
            agentVersion == nil ? DevicePlatform(product: message.productName ?? message.modelName) : .linux
    }

    /// The status items from which something is learnt.
    package static let family = "device.operating-system.family"
    package static let version = "device.operating-system.version"

    /// What is known after a device reported these items.
    package func learning(from items: [String: JSONValue]) -> DeviceAudience {
        let capabilities = items[ClientCapabilities.name].flatMap { try? ClientCapabilities($0) }
        return learning(
            DeviceAudience(
                platform: items[Self.family]?.string.flatMap { DevicePlatform(family: $0) },
                osVersion: items[Self.version]?.string.flatMap { SystemVersion(saidBy: $0) },
                agentVersion: capabilities?.martletAgentVersion.flatMap { SystemVersion(saidBy: $0) },
                takenTypes: capabilities?.declarations[.configuration].map { SettingKind.types.intersection($0) },
                tellsFeedback: capabilities?.tellsFeedback, takesAppCommands: capabilities?.takesAppCommands))
    }

    /// Whether there is something to learn from these items.
    package static func isTold(by items: [String: JSONValue]) -> Bool {
        [family, version, ClientCapabilities.name].contains { items[$0] != nil }
    }

    /// The facts after a newer report, which need not have all of them.
    package func learning(_ newer: DeviceAudience) -> DeviceAudience {
        DeviceAudience(
            platform: newer.platform ?? platform, osVersion: newer.osVersion ?? osVersion,
            agentVersion: newer.agentVersion ?? agentVersion, takenTypes: newer.takenTypes ?? takenTypes,
            tellsFeedback: (newer.tellsFeedback ?? tellsFeedback) == true ? true : nil,
            takesAppCommands: (newer.takesAppCommands ?? takesAppCommands) == true ? true : nil,
            isOfAPerson: isOfAPerson)
    }
}

/// The systems for which apps have sources.
package enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
    case linux
    case macOS = "macos"
    /// iPhones and iPads.
    case iOS = "ios"
    case visionOS = "visionos"

    /// As people write it.
    package var name: String {
        switch self {
        case .linux: "Linux"
        case .macOS: "macOS"
        case .iOS: "iOS"
        case .visionOS: "visionOS"
        }
    }

    /// Reads the status item `device.operating-system.family`.
    init?(family: String) {
        switch family {
        case "Linux": self = .linux
        case "macOS": self = .macOS
        case "iOS", "iPadOS": self = .iOS
        case "visionOS": self = .visionOS
        default: return nil
        }
    }

    /// Reads a product's name, such as `iPhone17,1`.
    package init?(product: String) {
        let known: [(String, DevicePlatform)] = [
            ("iPhone", .iOS), ("iPad", .iOS), ("iPod", .iOS), ("Mac", .macOS), ("iMac", .macOS),
            ("VirtualMac", .macOS), ("RealityDevice", .visionOS),
        ]
        guard let platform = known.first(where: { product.hasPrefix($0.0) })?.1 else { return nil }
        self = platform
    }

    /// From which version on a system takes managed apps, and from which on their configurations; nothing where both
    /// always go.
    package var managedApps: (apps: SystemVersion, configurations: SystemVersion)? {
        switch self {
        case .linux: nil
        case .macOS: (SystemVersion([26]), SystemVersion([27]))
        case .iOS: (SystemVersion([17, 2]), SystemVersion([18, 4]))
        case .visionOS: (SystemVersion([2, 4]), SystemVersion([2, 4]))
        }
    }
}

/// A version that is compared number by number; `13` and `13.0` are the same.
package struct SystemVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    private static let mostParts = 4
    private static let mostDigits = 6

    /// Without zeros at the end.
    private let parts: [Int]

    package init(_ parts: [Int]) {
        var parts = parts
        while parts.last == 0 { parts.removeLast() }
        self.parts = parts
    }

    /// Reads what a person or a package demands: one to four numbers, joined by dots.
    package init?(_ text: String) {
        guard let numbers = Self.numbers(text[...]) else { return nil }
        self.init(numbers)
    }

    /// Reads what a device says, which may go on behind its numbers: `15.1.2 (a)`.
    package init?(saidBy text: String) {
        let start = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = start.split(separator: ".").prefix(Self.mostParts)
        guard let numbers = Self.numbers(parts.joined(separator: ".")[...]) else { return nil }
        self.init(numbers)
    }

    private static func numbers(_ text: Substring) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...mostDigits).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && $0.isNumber }
                ? Int(part) : nil
        }
        return (1...mostParts).contains(parts.count) && numbers.count == parts.count ? numbers : nil
    }

    package static func < (left: SystemVersion, right: SystemVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }

    package var description: String {
        switch parts.count {
        case 0: "0"
        case 1: "\(parts[0])"
        default: parts.map { "\($0)" }.joined(separator: ".")
        }
    }
}
