import DeviceMessages
import Foundation
import InputBounds
import StoreSQLite
import Synchronization
import TestInputs

@testable import Management

/// A device and its administrator at a real server and store, with everything that goes wrong between them: the same for
/// the same seed.
///
/// Requests and answers are lost, come twice or late; either side begins anew; commands are put off, refused, taken back
/// and expire. After each exchange the model says whether the server kept its promises.
struct CommandCourse {
    private static let device = "D1"
    private static let request = PropertyListValue.dictionary(["RequestType": .string("ProfileList")])

    private enum Fate {
        case arrives, requestIsLost, answerIsLost, comesTwice, comesAgainLate
    }

    private(set) var model = CommandModel()
    private var played = PlayedCommandDevice(Fixture.identifier(CommandCourse.device))
    private let fixture: Fixture
    private let seed: UInt64
    private var random: SplitMix64
    /// Reports that a slow road brings once more.
    private var late: [CommandReport] = []
    private var stubborn: Set<String> = []
    private var said: [String] = []

    /// The fixture's device must be enrolled.
    init(_ fixture: Fixture, seed: UInt64) {
        (self.fixture, self.seed) = (fixture, seed)
        random = SplitMix64(seed: seed)
    }

    /// The numbers of the commands without an answer, by the order in which they were queued.
    var waiting: [Int] { model.entries.indices.filter { model.entries[$0].state == .open } }

    /// Plays so many steps, then lets all be well until the queue is at its end, and compares everything.
    mutating func run(steps: Int) async throws {
        for _ in 0..<steps { try await takeStep() }
        played.disconnect()
        // Each may be put off a few times, and at least twice within a connection.
        for _ in 0..<5 { try await connect() }
        try await compare()
    }

    private mutating func takeStep() async throws {
        switch number(0..<100) {
        case 0..<20:
            for _ in 0..<number(1..<4) {
                let manner = manner()
                try await queue(manner)
            }
        case 20..<25: try await queueTrial()
        case 25..<30: try await remove()
        case 30..<34:
            let seconds = number(1..<40)
            fixture.advance(TimeInterval(seconds))
            note("\(seconds) seconds pass")
        case 34..<36:
            try await fixture.management.expireCommands()
            model.sweep(now: now)
            note("the server looks for what has expired")
        case 36..<38:
            try fixture.restart()
            note("the server begins anew")
        case 38..<41:
            played.disconnect()
            note("the device begins anew")
        case 41..<46: try await speakLate()
        default: try await speak()
        }
    }

    // MARK: The administrator

    mutating func queue(_ manner: PlayedCommandDevice.Manner) async throws {
        let outcome = try await fixture.management.enqueue(Self.request, for: Self.device, author: "admin")
        guard let command = outcome.value else { throw fault("a command was refused: \(outcome)") }
        model.queue(command.uuid)
        played.manners[command.uuid] = manner
        if manner == .putsOffForever { stubborn.insert(command.uuid) }
        note("queued \(name(command.uuid)): \(manner)")
    }

    /// A command that expires, as a trial does.
    private mutating func queueTrial() async throws {
        let management = try fixture.management
        let uuid = management.commandUUID()
        let moment = now
        let patience = number(5..<60)
        let command = QueuedCommand(
            uuid: uuid, requestType: TryConfiguration.requestType,
            document: try Command(uuid: uuid, request: Self.request).encoded(), state: .queued, deferred: false,
            author: "admin", created: moment, sent: nil, finished: nil, result: nil, resultTooLarge: false,
            expires: moment + TimeInterval(patience))
        let outcome = try await fixture.store.enqueueTrial(
            command, of: TrialSubject(app: "com.example.app"), for: Self.device, limit: CommandLimits.openTrials)
        management.contexts.forget(Self.device)
        model.sweep(now: moment)
        let hasRoom = model.open.count { $0.expires != nil } < CommandLimits.openTrials
        guard (outcome.value != nil) == hasRoom else { throw fault("a trial was answered by \(outcome)") }
        guard hasRoom else { return }
        model.queue(uuid, expires: command.expires)
        note("queued \(name(uuid)), which expires")
    }

    private mutating func remove() async throws {
        guard !model.entries.isEmpty else { return }
        let sent = model.open.filter(\.isSent)
        let prefersSent = number(0..<2) == 0
        let candidates = prefersSent && !sent.isEmpty ? sent : model.entries
        let entry = candidates[number(0..<candidates.count)]
        let refusal = try await fixture.management.removeCommand(entry.uuid, of: Self.device, author: "admin")
        guard (refusal != nil) == (entry.state == .removed) else {
            throw fault("taking back \(name(entry.uuid)), which was \(entry.state), was answered by \(refusal as Any)")
        }
        model.remove(entry.uuid)
        note("took back \(name(entry.uuid))")
    }

    // MARK: The device

    /// One connection over which nothing is lost.
    mutating func connect() async throws {
        var words = 0
        repeat {
            let command = try await exchange(played.word)
            played.hear(command)
            words += 1
            guard words < 4 * model.entries.count + 20 else { throw fault("a connection does not end") }
        } while played.isConnected
    }

    private mutating func speak() async throws {
        let word = played.word
        let isBusy = number(0..<25) == 0
        let fate = fate()
        if fate != .arrives { note("\(fate):") }
        switch fate {
        case .arrives:
            let answer = try await exchange(word)
            played.hear(answer, isBusy: isBusy)
        case .requestIsLost: played.disconnect()
        case .answerIsLost:
            _ = try await exchange(word)
            played.disconnect()
        case .comesTwice:
            let first = try await exchange(word)
            let second = try await exchange(word)
            let hearsFirst = number(0..<2) == 0
            played.hear(hearsFirst ? first : second, isBusy: isBusy)
        case .comesAgainLate:
            late.append(word)
            let answer = try await exchange(word)
            played.hear(answer, isBusy: isBusy)
        }
    }

    /// A slow road brings a report once more; a broken device says something else the second time.
    private mutating func speakLate() async throws {
        guard !late.isEmpty else { return }
        let place = number(0..<late.count)
        var report = late.remove(at: place)
        if report.status == .acknowledged, number(0..<2) == 0 { report.status = .error }
        note("late:")
        _ = try await exchange(report)
    }

    /// Hands a report to the server, as it crosses the wire, and judges what comes back.
    private mutating func exchange(_ report: CommandReport) async throws -> Command? {
        let report = try CommandReport(parsing: report.encoded())
        let answer = try await fixture.management.exchange(report, signer: Fixture.signer)
        var command: Command?
        switch answer {
        case .command(let document): command = try Command(parsing: document)
        case .nothing: break
        case .refused(let refusal): throw fault("the server refused \(report.status): \(refusal)")
        }
        // That of declarations follows from what the device was told, and is in no queue.
        let queued = command.flatMap { $0.requestType == "DeclarativeManagement" ? nil : $0.uuid }
        let named = report.commandUUID.map { name($0) } ?? ""
        note("\(report.status) \(named) -> \(queued.map { name($0) } ?? "nothing")")
        model.hear(report, now: now)
        if let broken = model.judge(queued, after: report) { throw fault(broken) }
        return command
    }

    // MARK: The end

    /// Every command is as the model has it, took effect at most once, and those never put off did so in order.
    private func compare() async throws {
        let management = try fixture.management
        for entry in model.entries {
            let command = try await management.command(entry.uuid, of: Self.device)
            if let difference = entry.difference(from: command) {
                throw fault("\(name(entry.uuid)): \(difference)")
            }
            let effects = played.effects.count { $0 == entry.uuid }
            guard effects < 2 else { throw fault("\(name(entry.uuid)) took effect \(effects) times") }
            guard entry.verdict != .acknowledged || effects == 1 else {
                throw fault("\(name(entry.uuid)) is acknowledged and took no effect")
            }
        }
        guard model.open.allSatisfy({ stubborn.contains($0.uuid) }) else {
            throw fault("commands wait that the device would carry out: \(model.open.map { name($0.uuid) })")
        }
        let page = PageRequest(limit: PageRequest.largest)
        guard let listed = try await management.commands(of: Self.device, page).value?.items.map(\.uuid) else {
            throw fault("the queue is not listed")
        }
        let kept = model.entries.filter { $0.state != .removed }.map(\.uuid)
        guard listed == Array(kept.prefix(PageRequest.largest)) else {
            throw fault("the commands are not listed in the order in which they were queued")
        }
        let places = played.effects.compactMap { model.index(of: $0) }.filter { !model.entries[$0].wasDeferred }
        guard places == places.sorted() else { throw fault("commands that were never put off changed places") }
    }

    // MARK: Drawing and noting

    private var now: Date { fixture.surroundings.clock.withLock { $0 } }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func manner() -> PlayedCommandDevice.Manner {
        switch number(0..<20) {
        case 0..<11: .carriesOut
        case 11..<13: .refuses
        case 13: .cannotRead
        case 14: .putsOffForever
        default: .putsOff(times: number(1..<4))
        }
    }

    private mutating func fate() -> Fate {
        switch number(0..<20) {
        case 0..<12: .arrives
        case 12..<14: .requestIsLost
        case 14..<16: .answerIsLost
        case 16..<18: .comesTwice
        default: .comesAgainLate
        }
    }

    /// A command by its place: identifiers differ from run to run.
    private func name(_ uuid: String) -> String { model.index(of: uuid).map { "#\($0)" } ?? "unknown" }

    private mutating func note(_ line: String) { said.append(line) }

    private func fault(_ what: String) -> CommandFault {
        CommandFault(
            description: "\(what). \(CourseSeeds.replay(seed)). Before it:\n\(said.suffix(40).joined(separator: "\n"))")
    }
}

/// A promise of the queue that was broken, with the seed and what was done before.
struct CommandFault: Error, CustomStringConvertible {
    let description: String
}
