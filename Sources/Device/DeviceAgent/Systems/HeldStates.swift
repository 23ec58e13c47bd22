import Foundation

/// A system whose held state lies with those of the others, under its name.
package protocol HeldSystem: DeviceSystem {
    /// What the device holds; kept on the disk, so that an older form must stay readable.
    associatedtype Held: Codable, Equatable, Sendable

    /// What is left of `held` where the device is to hold `meant` alone.
    static func within(_ held: Held, _ meant: Held) -> Held?

    /// The contents that `held` names, by digest.
    static func digests(of held: Held) -> Set<String>
}

extension HeldSystem {
    package static func digests(of held: Held) -> Set<String> { [] }

    package static func digests(of applied: Applied) -> Set<String> {
        applied.systems[Self.self].map { digests(of: $0) } ?? []
    }

    package static func withdraw(from applied: inout Applied, beyond meant: Applied) {
        guard let held = applied.systems[Self.self] else { return }
        applied.systems[Self.self] = meant.systems[Self.self].flatMap { within(held, $0) }
    }
}

/// What systems hold, each in its own form: kept whole for a system that this agent does not know.
package struct HeldStates: Equatable, Sendable {
    private var forms: [String: Data] = [:]

    package init() {}

    /// What a system holds; nothing if it holds nothing, or in a form that cannot be read.
    package subscript<System: HeldSystem>(_: System.Type) -> System.Held? {
        get { forms[System.name].flatMap { try? JSONDecoder().decode(System.Held.self, from: $0) } }
        set {
            let encoder = JSONEncoder()
            // Equal states have equal bytes.
            encoder.outputFormatting = .sortedKeys
            forms[System.name] = newValue.flatMap { try? encoder.encode($0) }
        }
    }

    /// What a system holds, as it is kept.
    func form(of system: String) -> Data? { forms[system] }
}

extension HeldStates: Codable {
    package init(from decoder: any Decoder) throws {
        forms = try decoder.singleValueContainer().decode([String: Data].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(forms)
    }
}
