import AppMessages
import CLinux
import Foundation

/// The asking side of `martlet-agent open`: has the agent start an app on this terminal, and waits for its end.
package enum OpenCommand {
    // The agent starts a process and syncs one small file.
    private static let patience: Int32 = 30_000
    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

    /// Opens an app through the agent's control socket, lending it our input and outputs; in the place of a terminal it
    /// gets one of its own, which goes with this command.
    ///
    /// With `program` that one of the app's programs runs, and has the configuration in variables whose names begin with
    /// `prefix`.
    ///
    /// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGWINCH are passed on to the app meanwhile; SIGTSTP stops both. Returns the
    /// app's exit status; a signal that ended it counts 128 and its number, as in a shell. When the agent goes away the
    /// command waits on.
    package static func run(
        controlPath: String, bundleIdentifier: String, arguments: [String] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment, files: Bool? = nil,
        program: String? = nil, prefix: String? = nil
    ) throws -> Int32 {
        let socket = try LinuxFailure.check(unsafe clinux_connect(controlPath), "reach the agent")
        defer { close(socket) }
        let signals = try LinuxFailure.check(
            unsafe clinux_signals_open(watched, Int32(watched.count)), "watch signals")
        let request = ControlMessages.Open(
            bundleIdentifier: bundleIdentifier, arguments: arguments,
            environment: AppEnvironment.filter(environment), files: files, program: program, prefix: prefix)
        let terminal = try AppTerminal()
        defer { terminal?.end() }
        try send(
            VarlinkCall.encode(ControlMessages.open, request, more: true), to: socket,
            lending: terminal?.descriptors ?? [0, 1, 2])

        var replies = ControlReplies(socket: socket)
        let first: ControlMessages.Answer?
        do {
            first = try replies.next(milliseconds: patience)
        } catch let error as VarlinkError where error == ControlMessages.noSuchApp {
            throw OpenFailure.noSuchApp
        } catch let error as VarlinkError where error == ControlMessages.outOfReach {
            throw OpenFailure.outOfReach
        } catch let error as VarlinkError where error == ControlMessages.notItsProgram {
            throw OpenFailure.notItsProgram
        } catch let error as VarlinkError where error == ControlMessages.tampered {
            throw OpenFailure.tampered
        } catch let error as VarlinkError where error == ControlMessages.inSetup {
            throw OpenFailure.inSetup
        } catch let error as VarlinkError where error == ControlMessages.notIsolated {
            throw OpenFailure.notIsolated
        } catch let error as VarlinkError where error == ControlMessages.notOffline {
            throw OpenFailure.notOffline
        } catch let error as VarlinkError where error == ControlMessages.tooOften {
            throw OpenFailure.tooOften
        } catch is VarlinkError {
            throw OpenFailure.cannotOpen
        }
        guard let number = first?.process else { throw OpenFailure.agentGone }
        let process = clinux_process_open(number)
        defer { if process >= 0 { close(process) } }
        try terminal?.begin()
        return try wait(for: process, signals: signals, terminal, &replies)
    }

    private static func send(_ message: Data, to socket: Int32, lending descriptors: [Int32]) throws {
        let sent = unsafe message.withUnsafeBytes { bytes -> Int in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe clinux_send_descriptors(socket, start, bytes.count, descriptors, 3)
        }
        try LinuxFailure.check(Int32(sent), "ask the agent")
        let rest = message.dropFirst(sent)
        guard !rest.isEmpty else { return }
        let result = unsafe rest.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe clinux_send_all(socket, start, bytes.count, patience)
        }
        try LinuxFailure.check(result, "ask the agent")
    }

    private static func wait(
        for process: Int32, signals: Int32, _ terminal: AppTerminal?, _ replies: inout ControlReplies
    ) throws -> Int32 {
        let poll = try Poll()
        try poll.add(replies.socket, 0)
        try poll.add(signals, 1)
        if process >= 0 { try poll.add(process, 2) }
        if let terminal { try poll.add(terminal.event, 3) }
        var agentGone = false
        while true {
            // A short-lived app's end may have come together with its beginning.
            if let end: ControlMessages.Answer = try replies.gathered() { return exitStatus(end) }
            var answered = false
            var ended = false
            poll.wait(atMost: terminal?.patience ?? -1) { token, _ in
                switch token {
                case 0: answered = true
                case 1: forward(signals, terminal, over: agentGone ? nil : replies.socket, to: process)
                case 3: terminal?.serve()
                default: ended = true
                }
            }
            if let terminal, terminal.patience >= 0 { terminal.settle() }
            if answered {
                if let end: ControlMessages.Answer = try? replies.next(milliseconds: patience) {
                    return exitStatus(end)
                }
                guard process >= 0 else { throw OpenFailure.agentGone }
                // The agent may come back and serve the app again; the terminal is still the app's.
                poll.remove(replies.socket)
                agentGone = true
            }
            // The agent knows the status; without it only the end itself is known.
            if ended && agentGone { throw OpenFailure.statusUnknown }
            if ended {
                poll.remove(process)
            }
        }
    }

    private static func forward(
        _ signals: Int32, _ terminal: AppTerminal?, over socket: Int32?, to process: Int32
    ) {
        var signal = clinux_signals_read(signals)
        while signal > 0 {
            if signal == SIGTSTP {
                // The app has no terminal that would stop it. It goes on when this command does.
                pass(SIGSTOP, over: socket, to: process)
                terminal?.restore()
                raise(SIGSTOP)
                pass(SIGCONT, over: socket, to: process)
            } else if signal == SIGCONT {
                // The command was stopped and continues. Meanwhile the shell may have changed the settings of the terminal.
                terminal?.settle()
            } else {
                if signal == SIGWINCH { terminal?.resize() }
                pass(signal, over: socket, to: process)
            }
            signal = clinux_signals_read(signals)
        }
    }

    /// The agent passes the signal, because the app runs as another user; without an agent this process tries to.
    private static func pass(_ signal: Int32, over socket: Int32?, to process: Int32) {
        guard let socket else {
            clinux_process_signal(process, signal)
            return
        }
        let call = VarlinkCall.encode(ControlMessages.signal, ControlMessages.Signal(signal: signal), oneway: true)
        _ = unsafe call.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_send_all(socket, $0, bytes.count, patience) }
        }
    }

    private static func exitStatus(_ end: ControlMessages.Answer) -> Int32 {
        if let signal = end.signal, signal > 0 { return 128 + signal }
        return end.status ?? 0
    }
}

/// Why an `open` command has no exit status to give.
package enum OpenFailure: Error, CustomStringConvertible {
    case noSuchApp
    case outOfReach
    case notItsProgram
    case tampered
    case notIsolated
    case notOffline
    case inSetup
    case tooOften
    case cannotOpen
    case agentGone
    case statusUnknown

    package var description: String {
        switch self {
        case .noSuchApp: "there is no app of this identifier in the app directories of the agent"
        case .outOfReach:
            "the app's own user cannot come to its program: let every user pass through the directories it lies in, or start "
                + "the agent with --app-users shared"
        case .notItsProgram:
            "this is no program of the app's: what runs as an app with a user of its own has to lie in the app's directory"
        case .tampered: "the app's files are not those that its team signed: it has to be installed again"
        case .notIsolated:
            "the app is to run isolated, which takes a kernel with Landlock and an agent that gives apps users of their own"
        case .notOffline:
            "the app is to run without a network, which takes an agent that gives apps users of their own"
        case .inSetup:
            "this device is awaiting its configuration: apps can be opened when its server says that everything is there"
        case .tooOften: "you have opened apps too often in a short time: wait a second and try again"
        case .cannotOpen: "the app cannot be started; the agent's log says why"
        case .agentGone: "the agent ended before the app was opened"
        case .statusUnknown: "the app has ended; the agent that knew its exit status is gone"
        }
    }
}
