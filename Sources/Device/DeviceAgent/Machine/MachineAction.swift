package import Foundation

/// What a server can have the whole machine do by a command; the raw value is the command's request type.
package enum MachineAction: String, Codable, Sendable, CaseIterable {
    case restart = "RestartDevice"
    case shutDown = "ShutDownDevice"

    /// What becomes of the machine, for sentences: it is …, or cannot be ….
    package var participle: String {
        switch self {
        case .restart: "restarted"
        case .shutDown: "shut down"
        }
    }

    /// Whether it ends the boot; another one is done as soon as the machine was asked.
    package var endsBoot: Bool {
        switch self {
        case .restart, .shutDown: true
        }
    }

    /// Keys of the command with texts that nothing here shows or uses: with one of them the command is refused.
    var otherTexts: [String] {
        switch self {
        case .restart, .shutDown: []
        }
    }

    /// Keys of the command that ask for something else than what is done here: set to true, the command is refused.
    var otherWishes: [String] {
        switch self {
        case .restart: ["NotifyUser", "RebuildKernelCache"]
        case .shutDown: []
        }
    }
}

/// What carries actions out on the machine; tests play it, so that no machine is restarted by them.
///
/// Each call may wait for seconds: it is for a thread that nobody else needs.
package protocol MachineControl: Sendable {
    /// Why the machine cannot do it now, as the end of a sentence; nothing where it can.
    func obstacle(to action: MachineAction) -> String?

    /// Has the machine do it, without asking the person at the device; returns once it is under way.
    func perform(_ action: MachineAction) throws

    /// The number of the machine's present boot: another one after each restart.
    func boot() throws -> String
}

/// Whether the machine can do what a command asks for, as it was found before the command is answered.
package enum MachineReadiness: Equatable, Sendable {
    /// It can, in this boot, at this moment.
    case can(boot: String, at: Date)
    /// It cannot, for a reason that ends a sentence.
    case cannot(String)

    /// Of an agent that was not given the machine.
    package static let heldBack = MachineReadiness.cannot(
        "the settings of its agent do not let a server do that (power)")
}
