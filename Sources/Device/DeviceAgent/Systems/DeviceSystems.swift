import DeviceMessages
import InputBounds

/// The systems of this device; a new system is a line here.
package enum DeviceSystems {
    package static let all: [any DeviceSystem.Type] = [
        AppsSystem.self, AppTrustSystem.self, RootCertificatesSystem.self, StatusSubscriptionsSystem.self,
        LoginMessageSystem.self,
    ]

    /// What systems do outside of the agent's state; a new effect is a line here.
    static func effects(on device: Device) -> [any SystemEffect] {
        [TrustBundle(on: device), LoginMessageFile(on: device)]
    }

    /// The types of configurations that the device takes.
    package static let configurations = all.flatMap { $0.configurations }

    /// The status items that systems provide.
    package static let statusItems = all.flatMap { $0.statusItems }

    /// The values of the status items that follow from what systems hold.
    static func status(of applied: Applied) -> [String: JSONValue] {
        all.reduce(into: [:]) { items, system in
            items.merge(system.status(of: applied)) { first, _ in first }
        }
    }

    /// The system that takes configurations of a type.
    static func system(of type: String) -> (any DeviceSystem.Type)? { byType[type] }

    /// The command of this type that a system knows; nothing if none does.
    static func command(of type: String) -> DeviceCommands.Known? { commands[type] }

    private static let commands = all.reduce(into: [String: DeviceCommands.Known]()) { commands, system in
        commands.merge(system.commands) { first, _ in first }
    }

    private static let byType = all.reduce(into: [String: any DeviceSystem.Type]()) { systems, system in
        for type in system.configurations { systems[type] = system }
    }
}

/// What the systems are asked for, each in its own form.
struct DesiredStates: Sendable {
    private var states: [String: any Sendable] = [:]

    subscript<System: DeviceSystem>(_: System.Type) -> System.Desired {
        get { states[System.name] as? System.Desired ?? System.nothing }
        set { states[System.name] = newValue }
    }

    /// Has a system judge one of its configurations.
    mutating func judge<System: DeviceSystem>(
        _ system: System.Type, _ declaration: Declaration, in set: JudgedSet
    ) -> Judgment {
        system.judge(declaration, in: set, &self[system])
    }

    /// The assets that everything desired needs.
    var assets: Set<String> {
        DeviceSystems.all.reduce(into: []) { assets, system in assets.formUnion(needed(system)) }
    }

    private func needed<System: DeviceSystem>(_ system: System.Type) -> Set<String> {
        system.assets(of: self[system])
    }

    /// Has every system say what the device is to hold.
    func settle(_ had: HadAssets, previous: Applied, in applied: inout Applied) {
        for system in DeviceSystems.all { settle(system, had, previous: previous, in: &applied) }
    }

    private func settle<System: DeviceSystem>(
        _ system: System.Type, _ had: HadAssets, previous: Applied, in applied: inout Applied
    ) {
        system.settle(self[system], had, previous: previous, in: &applied)
    }
}
