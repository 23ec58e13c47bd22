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
        case .read: break
        }
        switch connection.socket.next() {
        case .nothing: return
        case .end: return leave(connection, token)
        case .message(let message):
            // One command for each connection: it stays until the app has ended.
            guard connection.process == nil, !connection.isAsking, let call = try? VarlinkCall(parsing: message) else {
                return leave(connection, token)
            }
            do {
                if let request = try ControlMessages.appRequest(call) {
                    let answer = context.apps(request)
                    return write(Varlink.reply(ControlMessages.AppsAnswer(answer)), connection, token)
                }
                if let request = try enrollmentRequest(call) {
                    connection.isAsking = true
                    context.enrollment(
                        EnrollmentCall(request) { [inbox] outcome in
                            inbox.answer(Varlink.reply(ControlMessages.EnrollmentAnswer(outcome)), to: token)
                        })
                    return
                }
                let process = try open(call, connection, token)
                write(Varlink.reply(ControlMessages.Opened(process: process), continues: true), connection, token)
            } catch {
                if !(error is VarlinkError) {
                    context.log.error("an app could not be opened", metadata: ["reason": "\(error)"])
                }
                write(Varlink.reply(error as? VarlinkError ?? ControlMessages.cannotOpen), connection, token)
            }
        }
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

    private func open(_ call: VarlinkCall, _ connection: ControlConnection, _ token: UInt64) throws -> Int32 {
        guard call.method == ControlMessages.open else { throw VarlinkError.methodNotFound(call.method) }
        guard call.more else { throw VarlinkError.expectedMore }
        let request = try call.parameters(ControlMessages.Open.self)
        guard connection.descriptors.count == 3 else { throw VarlinkError.invalidParameter("descriptors") }
        guard !request.arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw VarlinkError.invalidParameter("arguments")
        }
        guard let bundle = context.find(request.bundleIdentifier) else { throw ControlMessages.noSuchApp }
        defer { connection.closeDescriptors() }
        let plan = try LaunchPlan(request, bundle, states?[bundle.identifier], sharesUser: !launcher.hasAccounts)
        let launched = try launcher.launch(
            plan.bundle, openedBy: connection.user, arguments: request.arguments, environment: request.environment,
            added: plan.variables, wantsFiles: plan.wantsFiles,
            standard: (connection.descriptors[0], connection.descriptors[1], connection.descriptors[2]))
        let process = AppProcess(record: launched.record, descriptor: launched.processDescriptor)
        process.waiter = token
        guard add(process) != nil else {
            close(launched.socket)
            throw VarlinkError.internalError
        }
        connection.process = processes[launched.record.process]
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
