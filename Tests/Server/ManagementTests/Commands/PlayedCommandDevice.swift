import DeviceMessages
import InputBounds

/// A device that deals with commands as our agent promises to: what it is given takes effect once, and an answer of which
/// it does not know that it arrived is the first word of its next connection.
///
/// That the agent keeps the promise is shown where it is tested (`AgentCommandTests`).
struct PlayedCommandDevice {
    /// How it takes a command.
    enum Manner: Equatable {
        case carriesOut
        case refuses
        case cannotRead
        /// Says NotNow so many times before it carries it out.
        case putsOff(times: Int)

        static let putsOffForever = Manner.putsOff(times: .max)
    }

    let identifier: EnrollmentIdentifier
    var manners: [String: Manner] = [:]
    /// The commands that took effect, in that order; one that did so twice is here twice.
    private(set) var effects: [String] = []

    private var ledger: [(uuid: String, report: CommandReport)] = []
    private var undelivered: CommandReport?
    private var saying: CommandReport?

    init(_ identifier: EnrollmentIdentifier) { self.identifier = identifier }

    var isConnected: Bool { saying != nil }

    /// What it says next.
    var word: CommandReport { saying ?? undelivered ?? CommandReport(identifier: identifier, status: .idle) }

    /// The connection is gone, with what was being said.
    mutating func disconnect() { saying = nil }

    /// Hears the server's answer to its word; one that is busy can do nothing for now.
    mutating func hear(_ command: Command?, isBusy: Bool = false) {
        undelivered = nil
        guard let command else { return disconnect() }
        saying = answer(to: command, isBusy: isBusy)
    }

    private mutating func answer(to command: Command, isBusy: Bool) -> CommandReport {
        let uuid = command.uuid
        if command.requestType == "DeclarativeManagement" { return keep(report(.acknowledged, uuid)) }
        if let known = ledger.last(where: { $0.uuid == uuid }) { return keep(known.report) }
        if isBusy { return report(.notNow, uuid) }
        let manner = manners[uuid] ?? .carriesOut
        if case .putsOff(let times) = manner, times > 0 {
            manners[uuid] = .putsOff(times: times == .max ? times : times - 1)
            return report(.notNow, uuid)
        }
        let done: CommandReport
        switch manner {
        case .carriesOut, .putsOff:
            effects.append(uuid)
            done = report(.acknowledged, uuid, ["Effect": .integer(Int64(effects.count))])
        case .refuses: done = report(.error, uuid)
        case .cannotRead: done = report(.commandFormatError, uuid)
        }
        ledger.append((uuid, done))
        // No more than the agent remembers.
        ledger.removeFirst(max(0, ledger.count - 32))
        return keep(done)
    }

    private mutating func keep(_ report: CommandReport) -> CommandReport {
        undelivered = report
        return report
    }

    private func report(
        _ status: CommandStatus, _ uuid: String, _ contents: [String: PropertyListValue] = [:]
    ) -> CommandReport {
        CommandReport(identifier: identifier, status: status, commandUUID: uuid, contents: .dictionary(contents))
    }
}
