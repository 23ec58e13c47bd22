import AppMessages
import Foundation

/// The dictionary for apps' user defaults, and the feedback that they leave there.
extension AppServiceLoop {
    /// Sends a watching app its dictionaries when they differ from those that it was sent last.
    ///
    /// The process that wrote the newest feedback has it already; the app's other processes get it, and count on from there.
    /// A process that begins gets nothing until the notes of its app that were under way at `since`, and all hand-overs,
    /// have ended: it would continue from values that they replace, or in a life that they end.
    func tell(
        _ state: AppState, told: DefaultsState?, since: NotesUnderWay.Moment, _ connection: AppConnection,
        _ token: UInt64
    ) {
        let app = connection.process.record.identity.app
        if told == nil, notesUnderWay.keepsWaiting(since: since, of: app) { return }
        let news = defaults(state, for: connection.process)
        if let told {
            let isOwn = connection.process === newestWriter(of: app)
            let isSame =
                told.configuration == news.configuration && told.life == news.life && told.take == news.take
                && (isOwn || told.sequence == news.sequence)
            guard !isSame else { return }
        }
        guard connection.isAlive else { return changed(connection, token) }
        connection.use = .defaults(told: news, since: since)
        write(Varlink.reply(news, continues: true), connection, token)
    }

    private func defaults(_ state: AppState, for process: AppProcess) -> DefaultsState {
        let identity = process.record.identity
        guard state.managed, identity.extensionName == nil, let room = context.feedback else {
            return DefaultsState(configuration: nil, version: "", life: "", sequence: 0, feedback: nil, take: false)
        }
        let life = room.life(of: identity.app)
        return DefaultsState(
            configuration: state.defaults, version: state.defaults?.digest ?? "", life: life.life,
            sequence: life.sequence, feedback: life.feedback,
            take: life.isDue && process === newestWriter(of: identity.app))
    }

    /// Has a note written down elsewhere; the connection waits for it.
    func take(
        _ note: FeedbackNote, isHandOver: Bool, for connection: AppConnection, _ token: UInt64, isOneway: Bool
    ) throws(VarlinkError) {
        let process = connection.process
        let identity = process.record.identity
        guard let room = context.feedback, let state = states?[identity], state.managed, identity.extensionName == nil
        else { throw .permissionDenied }
        notes += 1
        process.lastNote = notes
        connection.reporting = isOneway ? .withoutAnswer : .withAnswer
        keep(note, of: identity.app, in: room, state, isHandOver: isHandOver, isLast: false, token)
    }

    private func keep(
        _ note: FeedbackNote, of app: String, in room: FeedbackRoom, _ state: AppState, isHandOver: Bool, isLast: Bool,
        _ token: UInt64
    ) {
        let ticket = notesUnderWay.begin(of: app, isHandOver: isHandOver)
        room.take(
            note, of: app, configuration: state.defaults?.digest ?? "", isHandOver: isHandOver, isLast: isLast,
            uptime: now
        ) { [inbox] result in
            switch result {
            case .success(let life): inbox.noted(Varlink.reply(life), of: ticket, for: token)
            case .failure(let error): inbox.noted(Varlink.reply(error), of: ticket, for: token)
            }
        }
    }

    /// Answers a note, and tells the app's other processes, also of the last note of one that has ended.
    func noted(_ reply: Data, of ticket: NotesUnderWay.Ticket, for token: UInt64) {
        let connection = answerNote(reply, token)
        written(ticket)
        guard let connection, endpoints[token] != nil else { return }
        _ = answer(connection, token)
    }

    /// Ends a note, or the hand-over of what an ended app left, and sends the feedback to the processes that waited.
    func written(_ ticket: NotesUnderWay.Ticket) {
        notesUnderWay.end(ticket)
        tellDefaults(of: ticket.app)
    }

    private func answerNote(_ reply: Data, _ token: UInt64) -> AppConnection? {
        guard case .app(let connection)? = endpoints[token], let reporting = connection.reporting else { return nil }
        connection.reporting = nil
        guard connection.isAlive else {
            drop(token)
            return nil
        }
        if reporting == .withAnswer {
            write(reply, connection, token)
        } else {
            watch(&connection.socket, for: .readable, token)
        }
        return connection
    }

    /// Takes the notes that an ended process has left in its sockets.
    func takeLastNotes(of process: AppProcess) {
        for token in process.connections {
            if case .app(let connection)? = endpoints[token] { takeLastNotes(connection, token) }
        }
    }

    /// Takes the notes that lie unread in a connection which ends: nobody can send them again.
    ///
    /// Only of a process that was launched: what another has become by its end nobody can tell. Of notes that follow each
    /// other the last counts, since each is the whole.
    func takeLastNotes(_ connection: AppConnection, _ token: UInt64) {
        let identity = connection.process.record.identity
        guard case .calls = connection.use, connection.challenge == nil, connection.process.program == nil,
            identity.extensionName == nil, let room = context.feedback, let state = states?[identity], state.managed
        else { return }
        var newest: FeedbackNote?
        func keep(_ note: FeedbackNote?, isHandOver: Bool) {
            guard let note else { return }
            self.keep(note, of: identity.app, in: room, state, isHandOver: isHandOver, isLast: true, token)
        }
        for _ in 0..<Self.mostLastReadings {
            while case .message(let message) = connection.socket.next() {
                guard connection.process.calls.take(at: now), let call = try? VarlinkCall(parsing: message) else {
                    return keep(newest, isHandOver: false)
                }
                switch try? AppCall(call) {
                case .putFeedback(let note)?:
                    if let before = newest, before.life != note.life { keep(before, isHandOver: false) }
                    newest = note
                case .handOverFeedback(let note)?:
                    keep(newest, isHandOver: false)
                    keep(note, isHandOver: true)
                    newest = nil
                default: break
                }
            }
            guard case .read = connection.receive() else { break }
        }
        keep(newest, isHandOver: false)
    }

    // More than a socket holds.
    private static let mostLastReadings = 64

    /// Asks the apps that are to hand over; of those that run no more the agent takes what it has.
    ///
    /// Those that were asked and have not answered are asked `again` in a new round only.
    func askForFeedback(again: Bool = false) {
        guard let room = context.feedback else { return }
        let due = room.due
        guard !due.isEmpty else { return }
        var running: Set<String> = []
        // An extension has no feedback, and would hand nothing over. A launched process counts until its last notes are taken,
        // after which this is called again: a life that ended before would not take them.
        for case .process(let process) in endpoints.values
        where process.record.identity.extensionName == nil && (process.program == nil || process.isAlive) {
            running.insert(process.record.identity.app)
        }
        for app in due.intersection(running) { tellDefaults(of: app, again: again) }
        let gone = due.subtracting(running)
        guard !gone.isEmpty else { return }
        // Under way as a note is: a process that begins meanwhile would count on from it, and the server have it twice.
        let tickets = gone.map { notesUnderWay.begin(of: $0, isHandOver: true) }
        room.takeWithoutProcess(gone) { [inbox] in inbox.taken(tickets) }
    }

    private func tellDefaults(of app: String, again: Bool = false) {
        var encoded: [String: Data] = [:]
        for (token, endpoint) in endpoints {
            guard case .app(let connection) = endpoint, connection.process.record.identity.app == app,
                case .defaults(let told, _) = connection.use
            else { continue }
            // Forget what this process has, so that it gets everything again.
            if again, told?.take == true { connection.use = .defaults(told: nil, since: notesUnderWay.moment) }
            tell(connection, token, &encoded)
        }
    }

    /// Of the app's processes that watch, the one whose note is the newest.
    private func newestWriter(of app: String) -> AppProcess? {
        var newest: AppProcess?
        for case .app(let connection) in endpoints.values {
            guard case .defaults = connection.use, connection.process.record.identity.app == app,
                connection.process.record.identity.extensionName == nil
            else { continue }
            if newest.map({ $0.lastNote < connection.process.lastNote }) ?? true { newest = connection.process }
        }
        return newest
    }
}
