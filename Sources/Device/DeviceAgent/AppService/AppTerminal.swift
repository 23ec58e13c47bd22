import CLinux
import Foundation

/// A terminal for an app alone, beside the one of the person who opens it.
///
/// What an app starts may outlive it and keep its terminal. So the person's own terminal is never handed over: this
/// command carries bytes and the size between both, and with its end the app's terminal hangs up.
final class AppTerminal {
    private enum Token {
        static let keyboard: UInt64 = 0
        static let app: UInt64 = 1
        static let screen: UInt64 = 2
    }

    private static let chunk = 4_096
    // In chunks: more than a terminal holds of what an app has written when it ends.
    private static let longestRest = 64

    /// What the app gets as its input and outputs.
    let descriptors: [Int32]

    private let poll: Poll
    private let ours: Int32
    private let theirs: Int32
    /// Where the person types; nothing once it has hung up, or where the input is no terminal.
    private var keyboard: Int32?
    /// Where the person reads, as long as that is there.
    private var screen: Int32?
    /// Whether nobody but the app is to write to the person's terminal.
    private let isScreenOurs: Bool
    private var isBegun = false
    private var isAppThere = true

    /// The settings of the person's terminal while it has others.
    private var kept: termios?
    private var typed: [UInt8] = []
    private var shown: [UInt8] = []

    /// Becomes readable when there is something to carry.
    var event: Int32 { poll.descriptor }

    /// How long to wait before looking at the terminal without being told: a shell does not say that it brings a command
    /// to its foreground.
    var patience: Int32 { keyboard != nil && kept == nil ? 500 : -1 }

    /// Makes one if any of the three standard descriptors is a terminal.
    init?(standard: [Int32] = [0, 1, 2]) throws(LinuxFailure) {
        let terminals = standard.filter { isatty($0) == 1 }
        guard let like = terminals.first,
            let shows = terminals.first(where: { $0 != standard[0] }) ?? terminals.first
        else { return nil }
        // Otherwise its new lines are made by the person's terminal, which others may write to meanwhile.
        isScreenOurs = terminals.contains(standard[0]) && terminals.contains(standard[1])
        poll = try Poll()
        var theirs: Int32 = -1
        ours = try LinuxFailure.check(
            unsafe clinux_terminal_make(like, isScreenOurs ? 1 : 0, &theirs), "make a terminal for the app")
        self.theirs = theirs
        // Of its own number: the poll tells numbers apart.
        screen = try LinuxFailure.check(fcntl(shows, F_DUPFD_CLOEXEC, 3), "reach the terminal")
        keyboard = terminals.contains(standard[0]) ? standard[0] : nil
        descriptors = standard.map { terminals.contains($0) ? theirs : $0 }
    }

    /// Begins to carry; the app has its end by now.
    func begin() throws(LinuxFailure) {
        isBegun = true
        close(theirs)
        // From its background this command may still write, and looks whether it may read.
        for number in [SIGTTOU, SIGTTIN] { signal(number, SIG_IGN) }
        if let keyboard { try poll.add(keyboard, Token.keyboard) }
        if let screen { try poll.add(screen, Token.screen) }
        try poll.add(ours, Token.app)
        settle()
    }

    /// The app's terminal becomes as large as the person's.
    func resize() { if let screen { clinux_terminal_resize(ours, screen) } }

    /// Takes the keyboard if this command is in the foreground; the app's terminal then does what the person's does
    /// otherwise: it echoes, edits lines and knows the keys for signals.
    func settle() {
        if let keyboard, isInForeground(keyboard) {
            var settings = termios()
            if kept == nil, unsafe tcgetattr(keyboard, &settings) == 0 { kept = settings }
            if var settings = kept {
                let output = settings.c_oflag
                unsafe cfmakeraw(&settings)
                if !isScreenOurs { settings.c_oflag = output }
                unsafe tcsetattr(keyboard, TCSANOW, &settings)
            }
            resize()
        }
        watch()
    }

    /// Gives the person's terminal its settings back.
    func restore() {
        if let keyboard, var settings = kept { unsafe tcsetattr(keyboard, TCSANOW, &settings) }
        kept = nil
        watch()
    }

    /// Shows what the app has written to the end, and hangs up.
    func end() {
        if isBegun {
            for _ in 0..<Self.longestRest where !show() { break }
            restore()
        } else {
            close(theirs)
        }
        close(ours)
        if let screen { close(screen) }
    }

    /// Carries what there is.
    func serve() {
        poll.wait(atMost: 0) { token, readiness in
            switch token {
            case Token.keyboard: if readiness.contains(.hungUp) { loseKeyboard() } else { takeFromKeyboard() }
            case Token.app:
                if readiness.contains(.writable) { give() }
                if readiness.contains(.readable) { takeFromApp() }
            case Token.screen: if readiness.contains(.hungUp) { loseScreen() } else { _ = show() }
            default: break
            }
        }
        watch()
    }

    // MARK: - Bytes

    private func takeFromKeyboard() {
        guard let keyboard, kept != nil, typed.isEmpty else { return }
        let (bytes, problem) = Self.bytes(of: keyboard)
        guard !bytes.isEmpty else {
            if problem == EAGAIN || problem == EINTR { return }
            // Another command has the foreground now; or the person's terminal is gone.
            if problem == EIO, !isInForeground(keyboard) { kept = nil } else { loseKeyboard() }
            return
        }
        typed = bytes
        for byte in bytes { if let number = signalNumber(of: byte) { send(number, from: keyboard) } }
        give()
    }

    private func loseKeyboard() {
        if let keyboard { poll.remove(keyboard) }
        (keyboard, kept) = (nil, nil)
    }

    private func loseScreen() {
        guard let screen else { return }
        poll.remove(screen)
        close(screen)
        self.screen = nil
    }

    private func give() {
        guard !typed.isEmpty else { return }
        let count = unsafe write(ours, typed, typed.count)
        if count > 0 { typed.removeFirst(count) } else if errno != EAGAIN, errno != EINTR { typed = [] }
    }

    private func takeFromApp() {
        guard shown.isEmpty else { return }
        let (bytes, problem) = Self.bytes(of: ours)
        shown = bytes
        // Nobody has the app's terminal any more.
        if bytes.isEmpty, problem != EAGAIN, problem != EINTR {
            isAppThere = false
            poll.remove(ours)
        }
    }

    /// False when there was nothing to show, and there is nothing now.
    private func show() -> Bool {
        if shown.isEmpty, isAppThere { takeFromApp() }
        guard !shown.isEmpty else { return false }
        // What nobody reads is lost, and the app goes on.
        guard let screen else {
            shown = []
            return true
        }
        let count = unsafe write(screen, shown, shown.count)
        if count > 0 { shown.removeFirst(count) } else if errno != EAGAIN, errno != EINTR { shown = [] }
        return true
    }

    private func watch() {
        if let keyboard {
            poll.change(keyboard, Token.keyboard, reading: kept != nil && typed.isEmpty, writing: false)
        }
        if let screen { poll.change(screen, Token.screen, reading: false, writing: !shown.isEmpty) }
        if isAppThere { poll.change(ours, Token.app, reading: shown.isEmpty, writing: !typed.isEmpty) }
    }

    private static func bytes(of descriptor: Int32) -> (bytes: [UInt8], problem: Int32) {
        var bytes = [UInt8](repeating: 0, count: chunk)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count > 0 ? (Array(bytes.prefix(count)), 0) : ([], count == 0 ? 0 : errno)
    }

    // MARK: - Keys for signals

    /// The signal that a key stands for, by the settings that the app gave its terminal.
    ///
    /// The terminal itself sends none: the app is in no session of it, and hears signals through the agent.
    private func signalNumber(of byte: UInt8) -> Int32? {
        var settings = termios()
        guard byte != 0, unsafe tcgetattr(ours, &settings) == 0, settings.c_lflag & tcflag_t(ISIG) != 0 else {
            return nil
        }
        return unsafe withUnsafeBytes(of: settings.c_cc) { keys -> Int32? in
            switch byte {
            case unsafe keys[Int(VINTR)]: SIGINT
            case unsafe keys[Int(VQUIT)]: SIGQUIT
            case unsafe keys[Int(VSUSP)]: SIGTSTP
            default: nil
            }
        }
    }

    /// As the person's terminal would: to all that it has in its foreground.
    private func send(_ number: Int32, from keyboard: Int32) {
        // Not to this thread, which may be one that hears no signals.
        kill(tcgetpgrp(keyboard) == getpgrp() ? 0 : getpid(), number)
    }

    /// Also where the terminal is not the one of this session, which knows no foreground.
    private func isInForeground(_ keyboard: Int32) -> Bool {
        let group = tcgetpgrp(keyboard)
        return group == getpgrp() || (group < 0 && errno == ENOTTY)
    }
}
