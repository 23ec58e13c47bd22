package import DeviceMessages
package import Foundation
package import InputBounds

/// A system of the device: the configurations it takes, what they ask for, what of that the device holds, and the
/// commands it knows.
///
/// All of it is decided in values: nothing here reads the disk or the network, and what is to be held is written with the
/// rest of the agent's state, as one generation. What a system does outside of that state is its `SystemEffect`.
///
/// `docs/device-systems.md` shows how one is added.
package protocol DeviceSystem: Sendable {
    /// What the active configurations ask for.
    associatedtype Desired: Sendable

    /// Names the system among the others and on the disk; never changes.
    static var name: String { get }

    /// The types of configurations it takes.
    static var configurations: [String] { get }

    /// The commands it knows, by their request types.
    static var commands: [String: DeviceCommands.Known] { get }

    /// The status items it can provide.
    static var statusItems: [String] { get }

    /// What is asked for where no configuration asks.
    static var nothing: Desired { get }

    /// The declarations that serve now; of two that ask for one thing the one that serves keeps it.
    static func serving(_ applied: Applied) -> Set<String>

    /// Takes one active configuration into what is desired; says whether it is sound in itself.
    static func judge(_ declaration: Declaration, in set: JudgedSet, _ desired: inout Desired) -> Judgment

    /// The assets that what is desired needs, by identifier.
    static func assets(of desired: Desired) -> Set<String>

    /// Joins what is desired with the assets that were had, and writes into `applied` what the device is to hold.
    ///
    /// The verdicts and assets of the whole set are in `applied` already; a system may make a verdict worse.
    static func settle(_ desired: Desired, _ had: HadAssets, previous: Applied, in applied: inout Applied)

    /// Brings what else the agent remembers for the system in line with `state.applied`, which was `previous` before.
    ///
    /// It is a part of the change that keeps it, so that no moment knows the one without the other.
    static func follow(_ previous: Applied, in state: inout AgentState)

    /// Whether `applied` takes something away that `state` has and that has to leave the disk with that change.
    static func takesBack(from state: AgentState, in applied: Applied) -> Bool

    /// Takes out of `applied` what is not in `meant`, and adds nothing: what is withdrawn before any disk is asked.
    static func withdraw(from applied: inout Applied, beyond meant: Applied)

    /// The contents in the agent's store that what is held needs, by digest.
    static func digests(of applied: Applied) -> Set<String>

    /// The values of its status items; an item without a value is reported as unavailable.
    static func status(of applied: Applied) -> [String: JSONValue]
}

extension DeviceSystem {
    package static var commands: [String: DeviceCommands.Known] { [:] }
    package static var statusItems: [String] { [] }
    package static func serving(_ applied: Applied) -> Set<String> { [] }
    package static func assets(of desired: Desired) -> Set<String> { [] }
    package static func follow(_ previous: Applied, in state: inout AgentState) {}
    package static func takesBack(from state: AgentState, in applied: Applied) -> Bool { false }
    package static func withdraw(from applied: inout Applied, beyond meant: Applied) {}
    package static func digests(of applied: Applied) -> Set<String> { [] }
    package static func status(of applied: Applied) -> [String: JSONValue] { [:] }
}

/// The declarations that are judged together, and what was fetched for judging them.
package struct JudgedSet: Sendable {
    package let declarations: [String: Declaration]
    /// What became of the manifests that configurations name, by the declaration that names it.
    package let manifests: [String: ManifestResult]

    package init(_ declarations: [String: Declaration], manifests: [String: ManifestResult] = [:]) {
        self.declarations = declarations
        self.manifests = manifests
    }
}

/// What a system says of one configuration.
package struct Judgment: Sendable {
    package let validity: DeclarationStatus.Validity
    package let reasons: [StatusReason]
    /// Whether something is missing that may be had another time.
    package let mayHeal: Bool

    /// Sound, and perhaps with something to say.
    package static func valid(_ reasons: [StatusReason] = []) -> Judgment {
        Judgment(validity: .valid, reasons: reasons, mayHeal: false)
    }

    /// Not to be followed, for this reason.
    package static func invalid(_ reason: StatusReason, mayHeal: Bool = false) -> Judgment {
        Judgment(validity: .invalid, reasons: [reason], mayHeal: mayHeal)
    }
}

/// What was had for the assets of a set of declarations.
package struct HadAssets: Sendable {
    /// Where those were lost that could not be had.
    package var failures: [String: AppSecrets.Absence.Place] = [:]
    /// The content of this digest, had just now or held before.
    package let content: @Sendable (_ digest: String) -> Data?
    /// The time at which all is judged.
    package let now: Date
}
