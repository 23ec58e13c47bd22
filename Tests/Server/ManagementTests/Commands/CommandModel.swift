import DeviceMessages
import Foundation
import Management

/// What a command queue promises, kept beside the real one: what is open, what was put off, which answer came first.
///
/// It chooses no command: it judges the one that the server chose.
struct CommandModel {
    enum State: Equatable {
        case open, finished, dropped, retired, removed
    }

    struct Entry {
        let uuid: String
        let expires: Date?
        var state = State.open
        /// Whether it was given to the device.
        var isSent = false
        /// Put off, and not offered since.
        var isDeferred = false
        /// Put off at any time: only then may a later one go before it.
        var wasDeferred = false
        var verdict: CommandStatus?
        /// The first answer that ended it, or that came after it was retired.
        var answer: Data?
    }

    /// In the order in which they were queued.
    private(set) var entries: [Entry] = []

    var open: [Entry] { entries.filter { $0.state == .open } }

    func index(of uuid: String) -> Int? { entries.firstIndex { $0.uuid == uuid } }

    mutating func queue(_ uuid: String, expires: Date? = nil) {
        entries.append(Entry(uuid: uuid, expires: expires))
    }

    /// The time of what expires is over.
    mutating func sweep(now: Date) {
        for index in entries.indices where entries[index].state == .open {
            guard let expires = entries[index].expires, expires <= now else { continue }
            (entries[index].state, entries[index].isDeferred) = (.dropped, false)
        }
    }

    /// An administrator takes it back.
    mutating func remove(_ uuid: String) {
        guard let index = index(of: uuid) else { return }
        let isRetired = entries[index].state == .open && entries[index].isSent
        (entries[index].state, entries[index].isDeferred) = (isRetired ? .retired : .removed, false)
    }

    /// The server has a report.
    mutating func hear(_ report: CommandReport, now: Date) {
        sweep(now: now)
        guard let uuid = report.commandUUID, let index = index(of: uuid) else { return }
        switch (entries[index].state, report.status) {
        case (_, .idle): break
        case (.open, .notNow):
            (entries[index].isSent, entries[index].isDeferred, entries[index].wasDeferred) = (true, true, true)
        case (.open, let status):
            (entries[index].state, entries[index].isDeferred) = (.finished, false)
            (entries[index].verdict, entries[index].answer) = (status, report.encoded())
        case (.retired, .notNow): break
        case (.retired, _): if entries[index].answer == nil { entries[index].answer = report.encoded() }
        case (.finished, _), (.dropped, _), (.removed, _): break
        }
    }

    /// The promise that the server broke by what it sent after a report that `hear` was told of; nothing if it kept all.
    mutating func judge(_ sent: String?, after report: CommandReport) -> String? {
        let waiting = report.status == .notNow ? open.filter { !$0.isDeferred } : open
        let outstanding = open.filter { $0.isSent && !$0.isDeferred }.map(\.uuid)
        if report.status == .idle {
            for index in entries.indices { entries[index].isDeferred = false }
        }
        guard let sent else {
            // Whoever put a command off as the last word asks again by itself; every other device sleeps.
            return waiting.isEmpty ? nil : "nothing was sent although \(waiting.count) wait"
        }
        guard let index = index(of: sent) else { return "a command was sent that nobody queued" }
        guard entries[index].state == .open else { return "a command was sent that is \(entries[index].state)" }
        if entries[..<index].contains(where: { $0.state == .open && !$0.wasDeferred }) {
            return "a command was sent before an earlier one that was never put off"
        }
        guard outstanding.isEmpty || outstanding.contains(sent) else {
            return "a command was sent although another one is outstanding"
        }
        (entries[index].isSent, entries[index].isDeferred) = (true, false)
        return nil
    }
}

extension CommandModel.Entry {
    /// What the server's record says otherwise; nothing if they agree.
    func difference(from command: QueuedCommand?) -> String? {
        guard let command else { return state == .removed ? nil : "it is lost" }
        guard state != .removed else { return "it was removed, and is there" }
        guard command.state == recorded else { return "it is \(command.state) and ought to be \(recorded)" }
        guard command.deferred == isDeferred else { return "whether it is put off is wrong" }
        guard command.result == answer else { return "its answer is not the first one" }
        guard state != .dropped || command.document.isEmpty else { return "it expired, and its document is kept" }
        return nil
    }

    private var recorded: QueuedCommand.State {
        switch state {
        case .open: isSent ? .sent : .queued
        case .finished:
            switch verdict {
            case .error: .error
            case .commandFormatError: .commandFormatError
            case .acknowledged, .idle, .notNow, nil: .acknowledged
            }
        case .dropped, .removed: .dropped
        case .retired: .retired
        }
    }
}
