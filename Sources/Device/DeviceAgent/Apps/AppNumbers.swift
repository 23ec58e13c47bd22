import Foundation

/// Gives apps blocks of users' numbers: each block once on this machine, whichever agent asks.
///
/// Files belong to numbers and outlive apps, agents and their directories. So the next number is kept outside of any
/// agent's directory, and only ever rises. A block begins at a multiple of its size: a range, or a prefix of the number's
/// bits, names all of it.
package struct AppNumbers: Sendable {
    /// Above all that Linux distributions, systemd and containers have shared out among themselves.
    package static let first: UInt32 = 1_900_000_000
    /// How many there are; beyond them systemd begins again.
    package static let most: UInt32 = 200_000_000
    /// How many numbers a block has.
    package static let block: UInt32 = 16

    /// For all agents of this machine.
    package static let usualDirectory = "/var/lib/martlet-users"

    // Another agent holds the lock for as long as one small write takes.
    private static let attempts = 500

    private let directory: String

    /// Keeps the next number in `directory`.
    package init(directory: String = usualDirectory) {
        self.directory = directory
    }

    /// Takes a block that nobody has, by its first number, counted from `first`; none below `least` is given from now on.
    func takeBlock(atLeast least: UInt32) throws -> UInt32 {
        try withNext { next in
            let free = max(next, least)
            guard free <= Self.most - Self.block else {
                throw FileRefusal(step: "giving the app a block of users", number: ENOSPC)
            }
            // Agents from before blocks leave off anywhere.
            let begin = (free + Self.block - 1) / Self.block * Self.block
            next = begin + Self.block
            return begin
        }
    }

    /// Keeps all numbers below `end` from being given.
    func keep(below end: UInt32) throws {
        try withNext { $0 = max($0, end) }
    }

    private func withNext<Value>(_ body: (inout UInt32) throws -> Value) throws -> Value {
        if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST { throw refusal }
        let file = unsafe open(directory + "/next-number", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw refusal }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        // Ends with the descriptor.
        var attempt = 0
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, attempt < Self.attempts else { throw refusal }
            attempt += 1
            usleep(10_000)
        }
        let text = String(decoding: try handle.read(upToCount: 64) ?? Data(), as: UTF8.self)
        // A new file is empty. A guessed number could give one app's files to another app.
        guard let before = text.isEmpty ? 0 : UInt32(text.trimmingCharacters(in: .newlines)) else {
            throw FileRefusal(step: "reading the next number of \(directory)", number: EINVAL)
        }
        var next = before
        let value = try body(&next)
        if next != before {
            // Ten digits, so that one write replaces the whole of the one before.
            let line = String(repeating: "0", count: max(0, 10 - String(next).count)) + String(next) + "\n"
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(line.utf8))
            guard fsync(file) == 0 else { throw refusal }
        }
        return value
    }

    private var refusal: FileRefusal { FileRefusal(step: "numbering apps' users in \(directory)", number: errno) }
}
