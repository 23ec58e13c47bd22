import DeviceMessages
package import Foundation

/// What a system does outside of the agent's state: files, services, the kernel.
///
/// That it begins is on the disk before it acts, and that it is done afterwards; so whatever interrupts it, the next start
/// knows what may be in effect and puts it right. What is in effect is taken back before its record goes, also after the
/// enrollment has ended.
package protocol SystemEffect: Sendable {
    associatedtype System: HeldSystem

    /// Whether what is in effect is still there after the machine has restarted.
    static var outlivesBoot: Bool { get }

    /// Makes what is outside as `held` has it; with nothing, as it was before. Doing it again changes nothing.
    ///
    /// It runs on a thread that may block. The agent reports an error to the server and tries again; what a later
    /// attempt cannot change is an `EffectRefusal`.
    func put(_ held: System.Held?) throws

    /// Whether what is outside is still as `held` has it; asked now and then.
    func stands(_ held: System.Held?) throws -> Bool
}

/// Why an effect does not take place on this device, as a sentence for the server.
///
/// The agent reports it once, and tries again only when something else is held, or when it looks at all effects.
package struct EffectRefusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension SystemEffect {
    package static var outlivesBoot: Bool { true }

    /// Reads what is held and puts it in effect.
    func put(from systems: HeldStates) throws { try put(systems[System.self]) }

    func stands(in systems: HeldStates) throws -> Bool { try stands(systems[System.self]) }

    var name: String { System.name }
}

/// How far a system's effect has come.
package struct EffectRecord: Codable, Equatable, Sendable {
    /// What was begun, as it is held; nothing where all was to be taken back.
    package var form: Data?
    package var isDone: Bool
    /// Why the last attempt failed.
    package var failure: String?
    /// Whether `failure` is a refusal, which another attempt does not change.
    package var isRefused: Bool?
    /// The machine's boot in which it began, where the effect does not outlive a boot.
    package var boot: String?

    package init(
        form: Data?, isDone: Bool = false, failure: String? = nil, isRefused: Bool? = nil, boot: String? = nil
    ) {
        self.form = form
        self.isDone = isDone
        self.failure = failure
        self.isRefused = isRefused
        self.boot = boot
    }

    /// What is left of the record once all is in effect; nothing where all was taken back.
    var done: EffectRecord? { form == nil ? nil : EffectRecord(form: form, isDone: true, boot: boot) }

    /// Whether the machine has restarted since, as far as both boots are known.
    func isOfEarlierBoot(than present: String?) -> Bool {
        guard let boot, let present else { return false }
        return boot != present
    }
}

extension AgentState {
    /// The verdicts for the server, in which nothing is valid before it is in effect.
    var toldVerdicts: [String: Verdict] {
        var verdicts = applied.verdicts
        for system in DeviceSystems.all {
            guard let form = applied.systems.form(of: system.name) else { continue }
            let record = effects[system.name]
            guard record?.isDone != true || record?.form != form else { continue }
            for declaration in system.serving(applied) where verdicts[declaration]?.valid == .valid {
                verdicts[declaration]?.valid = record?.failure == nil ? .unknown : .invalid
                guard let failure = record?.failure else { continue }
                verdicts[declaration]?.reasons.insert(
                    .because("Error.ConfigurationCannotBeApplied", failure), at: 0)
            }
        }
        return verdicts
    }
}

/// What is to be done about one effect: decided on values alone.
package enum EffectStep: Equatable, Sendable {
    case nothing
    /// Record that it begins, then act.
    case put(EffectRecord)
    /// Look whether it still stands.
    case look

    /// The next step for what is held as `form`, of which `record` is on the disk.
    ///
    /// With `isFirst` the agent starts, or looks at all effects as it does now and then.
    package static func next(_ form: Data?, _ record: EffectRecord?, isFirst: Bool) -> EffectStep {
        guard let record else { return form == nil ? .nothing : .put(EffectRecord(form: form)) }
        guard record.form == form else { return .put(EffectRecord(form: form)) }
        guard isFirst || record.isRefused != true else { return .nothing }
        // With the reason of its last failure: the server is told once, and nothing is written for the same failure again.
        guard record.isDone else { return .put(record) }
        return isFirst ? .look : .nothing
    }
}
