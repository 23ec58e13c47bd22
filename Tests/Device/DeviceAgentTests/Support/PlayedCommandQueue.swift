import DeviceMessages
import Foundation
import InputBounds
import Synchronization
import TestInputs

/// A server's queue of random commands, on a road that loses requests and answers, and to a device that loses power.
///
/// What each command must answer follows from those before it, each carried out once: a profile that is removed twice, or
/// that comes back, shows in the answers.
final class PlayedCommandQueue: Sendable {
    /// A command, and what the device has to say to it.
    struct Ordered: Sendable {
        let uuid: String
        let document: Data
        let status: CommandStatus
        /// The profiles that it lists, if it lists them.
        let listed: [String]?
    }

    private struct Contents {
        var random: SplitMix64
        var place = 0
        /// The first answer to each command.
        var answers: [String: Data] = [:]
        var faults: [String] = []
        var said: [String] = []
        var disk = MemorySteps()
        /// What a device that lost power finds on its disk; nothing as long as it runs.
        var left: MemorySteps?
    }

    let commands: [Ordered]
    /// The profiles on the device in the end.
    let profiles: [String]
    private let contents: Mutex<Contents>

    init(seed: UInt64, count: Int) throws {
        var random = SplitMix64(seed: seed)
        (commands, profiles) = try Self.draw(count, &random)
        contents = Mutex(Contents(random: random))
    }

    var isDone: Bool { contents.withLock { $0.place == commands.count } }
    var left: MemorySteps? { contents.withLock { $0.left } }
    /// What the device did that it must not.
    var faults: [String] { contents.withLock { $0.faults } }
    /// The last of what happened.
    var said: String { contents.withLock { $0.said.suffix(40).joined(separator: "\n") } }

    /// A device begins to speak that has this disk.
    func begin(_ disk: MemorySteps) {
        contents.withLock { contents in (contents.disk, contents.left) = (disk, nil) }
    }

    func answer(_ body: Data) -> ScriptedServer.Answer {
        contents.withLock { contents in
            // Messages after the loss of power do not count.
            guard contents.left == nil else { return .reply(503) }
            let fate = Int.random(in: 0..<20, using: &contents.random)
            if fate < 2 {
                contents.said.append("a request is lost")
                return .reply(500)
            }
            let isPowerLost = fate == 2
            if isPowerLost {
                let disk = contents.disk.copy()
                disk.restart(after: .unconfirmedLost)
                contents.left = disk
                contents.said.append("power is lost")
                if Bool.random(using: &contents.random) { return .reply(500) }
            }
            hear(body, &contents)
            let next = self.next(&contents)
            guard !isPowerLost, fate > 4 else {
                contents.said.append("an answer is lost")
                return .cutOff(promised: next.count + 10, sent: next.dropLast(1))
            }
            return .reply(200, body: next)
        }
    }

    private func hear(_ body: Data, _ contents: inout Contents) {
        guard let report = try? CommandReport(parsing: body), report.status != .idle, let uuid = report.commandUUID
        else { return }
        contents.said.append("\(uuid) is answered: \(report.status)")
        if let first = contents.answers[uuid] {
            if first != body { contents.faults.append("\(uuid) was answered twice, and not alike") }
            return
        }
        guard contents.place < commands.count, commands[contents.place].uuid == uuid else {
            contents.faults.append("\(uuid) was answered and not asked")
            return
        }
        let command = commands[contents.place]
        contents.answers[uuid] = body
        contents.place += 1
        if report.status != command.status {
            contents.faults.append("\(uuid) was answered by \(report.status) for \(command.status)")
        }
        let listed = report.contents["ProfileList"]?.array?.compactMap { $0["PayloadIdentifier"]?.string }
        if let due = command.listed, listed != due {
            contents.faults.append("\(uuid) lists \(listed ?? []) for \(due)")
        }
    }

    /// The next command, or now and then one that was answered already: no further back than the agent remembers.
    private func next(_ contents: inout Contents) -> Data {
        if contents.place > 0, Int.random(in: 0..<8, using: &contents.random) == 0 {
            let back = Int.random(in: 1...min(contents.place, 16), using: &contents.random)
            contents.said.append("\(commands[contents.place - back].uuid) is sent again")
            return commands[contents.place - back].document
        }
        guard contents.place < commands.count else { return Data() }
        contents.said.append("\(commands[contents.place].uuid) is sent")
        return commands[contents.place].document
    }

    // MARK: What is ordered

    private static func draw(
        _ count: Int, _ random: inout SplitMix64
    ) throws -> (commands: [Ordered], profiles: [String]) {
        var profiles: [String] = []
        var commands: [Ordered] = []
        for number in 0..<count {
            let name = "p\(Int.random(in: 0..<4, using: &random))"
            let request: [String: PropertyListValue]
            var status = CommandStatus.acknowledged
            var listed: [String]?
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                request = ["RequestType": .string("InstallProfile"), "Payload": .data(profile(name))]
                profiles.removeAll { $0 == name }
                profiles.append(name)
            case 4..<8:
                request = ["RequestType": .string("RemoveProfile"), "Identifier": .string(name)]
                if !profiles.contains(name) { status = .error }
                profiles.removeAll { $0 == name }
            case 8..<10:
                request = ["RequestType": .string("ProfileList")]
                // The enrollment's own comes first.
                listed = ["profile"] + profiles
            case 10:
                request = ["RequestType": .string("MakeCoffee")]
                status = .error
            default:
                request = ["RequestType": .string("RemoveProfile")]
                status = .commandFormatError
            }
            let uuid = "c\(number)"
            commands.append(
                Ordered(
                    uuid: uuid, document: try Command(uuid: uuid, request: .dictionary(request)).encoded(),
                    status: status, listed: listed))
        }
        return (commands, profiles)
    }

    private static func profile(_ name: String) -> Data {
        PropertyListValue.dictionary([
            "PayloadType": .string("Configuration"), "PayloadIdentifier": .string(name), "PayloadUUID": .string(name),
            "PayloadContent": .array([]),
        ]).xml()
    }
}
