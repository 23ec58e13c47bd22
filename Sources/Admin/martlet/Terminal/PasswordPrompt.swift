import Foundation

/// Asks for a password at the terminal without showing it.
enum PasswordPrompt {
    /// Passwords are at most this long; a longer line is a mistake.
    static let longest = 1_024

    /// Asks for a password; `option` is named to a script, which gives the same password by it.
    static func ask(_ question: String, option: String = "--password-stdin") throws(Failure) -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .failed, "a password is needed and standard input is no terminal",
                advice: "Give it with \(option).")
        }
        Terminal.note("\(question): ")
        var before = termios()
        unsafe tcgetattr(STDIN_FILENO, &before)
        var silent = before
        // Signals are off too: an interruption must not leave the terminal without echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Terminal.note("\n")
        }
        return try readLine()
    }

    private static func readLine() throws(Failure) -> String {
        var typed: [UInt8] = []
        while typed.count <= longest {
            var byte: UInt8 = 0
            guard unsafe read(STDIN_FILENO, &byte, 1) == 1 else { break }
            switch byte {
            case 0x03, 0x1C: throw Failure(.failed, "interrupted")
            case 0x04, 0x0A, 0x0D: return String(decoding: typed, as: UTF8.self)
            case 0x08, 0x7F: removeCharacter(from: &typed)
            case 0x15: typed.removeAll()
            default: typed.append(byte)
            }
        }
        throw Failure(.failed, "the password could not be read")
    }

    /// Takes back one character, which may be several bytes.
    private static func removeCharacter(from typed: inout [UInt8]) {
        while let byte = typed.popLast(), byte & 0xC0 == 0x80 {}
    }

    /// Reads a password as one line of standard input, for scripts.
    static func readFromInput(_ what: String, longest: Int = Self.longest) throws(Failure) -> String {
        guard let line = Swift.readLine(strippingNewline: true), !line.isEmpty, line.utf8.count <= longest else {
            throw Failure(.failed, "standard input holds no \(what)", advice: "Give one password a line.")
        }
        return line
    }
}
