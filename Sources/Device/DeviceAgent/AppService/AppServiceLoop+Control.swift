import AppMessages
import CLinux
import Foundation
import Logging

/// What commands at this device ask.
extension AppServiceLoop {
    /// Moves a control connection on after an event.
    func serve(_ connection: ControlConnection, _ token: UInt64, _ readiness: Poll.Readiness) {
        if readiness.contains(.hungUp) { return leave(connection, token) }
        if readiness.contains(.writable) { flush(connection, token) }
        guard endpoints[token] != nil, readiness.contains(.readable), !connection.socket.isWriting else { return }
        switch connection.receive() {
        case .waiting: return
        case .ended, .stranger: return leave(connection, token)
        case .excess:
            refuse(.malformed, "a command sent more descriptors than it may")
            return leave(connection, token)
        case .read: break
        }
        while endpoints[token] != nil, take(connection, token) {}
    }

    /// Takes a message that has come; false if there is none.
    private func take(_ connection: ControlConnection, _ token: UInt64) -> Bool {
        switch connection.socket.next() {
        case .nothing: return false
        case .end: leave(connection, token)
        case .message(let message):
            let call = try? VarlinkCall(parsing: message)
            if let call, signal(call, connection) { return true }
            // One command for each connection: it stays until the app has ended.
            guard connection.process == nil, !connection.isAsking, let call else {
                leave(connection, token)
                return false
            }
            run(call, connection, token)
        }
        return false
    }

    private func run(_ call: VarlinkCall, _ connection: ControlConnection, _ token: UInt64) {
        do {
            try check(call, of: connection.user)
            if var request = try ControlMessages.appRequest(call) {
                // What lies in the directories is not for everyone to know, nor to have read again and again.
                if case .directories = request {
                    request = .directories(isListed: ControlConnection.isTrusted(connection.user))
                }
                return write(Varlink.reply(ControlMessages.AppsAnswer(context.apps(request))), connection, token)
            }
            if let request = try enrollmentRequest(call) {
                connection.isAsking = true
                context.enrollment(
                    EnrollmentCall(request) { [inbox] outcome in
                        inbox.answer(Varlink.reply(ControlMessages.EnrollmentAnswer(outcome)), to: token)
                    })
                return
            }
            if call.method == ControlMessages.refusals {
                return write(Varlink.reply(ControlMessages.Refusals(refusals.counts)), connection, token)
            }
            if call.method == ControlMessages.contact {
                return write(Varlink.reply(ControlMessages.Contact(context.absence())), connection, token)
            }
            if call.method == ControlMessages.standing {
                let standing = ControlMessages.Standing(isEnrolled: context.isEnrolled())
                return write(Varlink.reply(standing), connection, token)
            }
            let opening = try toOpen(call, connection)
            guard ControlConnection.isTrusted(connection.user) || mayTry(connection.user, &openings, Self.openingPace)
            else {
                refuse(.hasty, "a person opens apps too often")
                throw ControlMessages.tooOften
            }
            check(opening, connection, token)
        } catch {
            cannotOpen(error, connection, token)
        }
    }

    /// Has the files of a signed app compared before it is opened.
    private func check(_ opening: ControlConnection.Opening, _ connection: ControlConnection, _ token: UInt64) {
        connection.opening = opening
        let bundle = opening.plan.bundle
        guard AppSeals.isSigned(bundle.directory) else { return openChecked(token, .success(nil)) }
        // Each file is looked at, and the first time read, which may take a while: elsewhere.
        connection.isAsking = true
        let seals = launcher.seals
        checking.async { [inbox] in
            inbox.checked(Result { () throws(SealRefusal) in try seals.check(bundle) }, for: token)
        }
    }

    /// Opens an app whose files have been compared.
    func openChecked(_ token: UInt64, _ seal: Result<AppSeal?, SealRefusal>) {
        guard case .control(let connection)? = endpoints[token], let opening = connection.opening else { return }
        connection.isAsking = false
        connection.opening = nil
        do {
            // Meanwhile it may have been removed, or another version have come.
            let current = try plan(opening.request)
            guard current.plan.bundle == opening.plan.bundle else { return check(current, connection, token) }
            let process = try open(current, sealed: seal.get(), connection, token)
            write(Varlink.reply(ControlMessages.Opened(process: process), continues: true), connection, token)
        } catch {
            cannotOpen(error, connection, token)
        }
    }

    private func cannotOpen(_ error: any Error, _ connection: ControlConnection, _ token: UInt64) {
        if error is SealRefusal {
            refuse(.tampered, "an app was not opened: its files are not those that its team signed")
        } else if !(error is VarlinkError) {
            context.log.error("an app could not be opened", metadata: ["reason": "\(error)"])
        }
        let answer = error is SealRefusal ? ControlMessages.tampered : ControlMessages.cannotOpen
        write(Varlink.reply(error as? VarlinkError ?? answer), connection, token)
    }

    /// Tells an `open` command how its app ended.
    func finish(_ token: UInt64, _ end: ControlMessages.Ended) {
        guard case .control(let connection)? = endpoints[token] else { return }
        connection.process = nil
        write(Varlink.reply(end), connection, token)
    }

    /// Hands a command the answer it waits for, if it still does.
    func answer(_ message: Data, to token: UInt64) {
        guard case .control(let connection)? = endpoints[token] else { return }
        connection.isAsking = false
        write(message, connection, token)
    }

    private func enrollmentRequest(_ call: VarlinkCall) throws(VarlinkError) -> EnrollmentRequest? {
        switch call.method {
        case ControlMessages.enroll: try call.parameters(ControlMessages.Enroll.self).request()
        case ControlMessages.unenroll: .unenroll
        default: nil
        }
    }

    private func toOpen(_ call: VarlinkCall, _ connection: ControlConnection) throws -> ControlConnection.Opening {
        guard call.method == ControlMessages.open else { throw VarlinkError.methodNotFound(call.method) }
        guard call.more else { throw VarlinkError.expectedMore }
        let request = try call.parameters(ControlMessages.Open.self)
        guard connection.descriptors.count == 3 else { throw VarlinkError.invalidParameter("descriptors") }
        guard !request.arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw VarlinkError.invalidParameter("arguments")
        }
        return try plan(request)
    }

    private func plan(_ request: ControlMessages.Open) throws -> ControlConnection.Opening {
        guard let bundle = context.find(request.bundleIdentifier) else { throw ControlMessages.noSuchApp }
        guard states?.isInSetup != true else { throw ControlMessages.inSetup }
        lookAgain(for: AppIdentity(bundle.identifier, role: bundle.role, signedBy: nil).app)
        let plan = try LaunchPlan(request, bundle, sharesUser: !launcher.hasAccounts)
        return ControlConnection.Opening(plan: plan, request: request)
    }

    /// An app may have been put on the device since anybody looked: it is managed from its first moment.
    private func lookAgain(for app: String) {
        takeStates()
        guard let states, states.apps[app] == nil, let newest = context.appeared(app) else { return }
        launcher.update(newest)
        take(newest)
    }

    private func open(
        _ opening: ControlConnection.Opening, sealed seal: AppSeal?, _ connection: ControlConnection, _ token: UInt64
    ) throws -> Int32 {
        defer { connection.closeDescriptors() }
        let (plan, request) = (opening.plan, opening.request)
        let identity = AppIdentity(plan.bundle.identifier, role: plan.bundle.role, signedBy: seal?.team)
        let state = states?[identity]
        let launched = try launcher.launch(
            plan.bundle, sealed: seal, openedBy: connection.user, arguments: request.arguments,
            environment: AppEnvironment.passed(request.environment, by: connection.user),
            added: plan.variables(state), wantsFiles: plan.wantsFiles,
            roots: state?.managed == true ? context.roots : nil,
            standard: (connection.descriptors[0], connection.descriptors[1], connection.descriptors[2]))
        let process = AppProcess(record: launched.record, descriptor: launched.processDescriptor)
        process.waiter = token
        guard add(process) != nil else {
            context.closer.close(launched.socket)
            throw VarlinkError.internalError
        }
        connection.process = processes[launched.record.process]
        if launched.record.files != nil { noteIfShutOut(process) }
        if let team = states?.team(of: launched.record.identity), team != launched.record.team {
            refuse(.otherTeam, "an app was launched that is not of the team its declaration names", process)
        }
        connect(launched.socket, of: process)
        return launched.record.process
    }

    // The terminal is gone: the app hears what a terminal's program hears then.
    private func leave(_ connection: ControlConnection, _ token: UInt64) {
        if let process = connection.process, case .process(let app)? = endpoints[process] {
            app.waiter = nil
            clinux_process_signal(app.descriptor, SIGHUP)
        }
        drop(token)
    }

    private func write(_ message: Data, _ connection: ControlConnection, _ token: UInt64) {
        // A caller that never took the first answer is not there any more.
        guard !connection.socket.isWriting else { return leave(connection, token) }
        connection.socket.write(message)
        flush(connection, token)
    }

    private func flush(_ connection: ControlConnection, _ token: UInt64) {
        guard connection.socket.flush() else { return leave(connection, token) }
        let readiness: Poll.Readiness = connection.socket.isWriting ? .writable : .readable
        watch(&connection.socket, for: readiness, token)
    }
}
