package import Foundation
import Glibc
import Synchronization

/// What a command writes to its standard output.
///
/// A command finishes its work even if its output cannot be written. Its program asks at the end whether all was.
package enum CommandOutput {
    /// The system's error at the first write that failed; 0 as long as none did.
    private static let failure = Atomic<Int32>(0)

    /// Writes one line.
    package static func say(_ line: String) {
        write(Data((line + "\n").utf8))
    }

    /// Writes bytes as they are.
    ///
    /// After a write that failed nothing more is written, so that what arrived is a beginning without gaps.
    package static func write(_ bytes: Data) {
        guard failure.load(ordering: .relaxed) == 0 else { return }
        let number = error(ofWriting: [UInt8](bytes))
        if number != 0 { failure.store(number, ordering: .relaxed) }
    }

    /// Why output is lost; nothing if all was written, or if its reader needs no more of it, as `head` does.
    package static var loss: OutputLoss? {
        let number = failure.load(ordering: .relaxed)
        return [0, EPIPE].contains(number) ? nil : OutputLoss(number: number)
    }

    /// Whether the reader needs no more.
    package static var isReaderGone: Bool { failure.load(ordering: .relaxed) == EPIPE }

    /// Refuses to go on if output is lost.
    package static func requireWritten() throws(OutputLoss) {
        if let loss { throw loss }
    }

    /// Writes everything; the system's error if that fails, otherwise 0.
    private static func error(ofWriting bytes: [UInt8]) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = unsafe Glibc.write(
                    STDOUT_FILENO, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
                if count >= 0 {
                    done += count
                } else if errno == EAGAIN {
                    waitForRoom()
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    /// Waits for the reader of a full pipe, which another process may have set so that a write does not wait.
    private static func waitForRoom() {
        var wish = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wish, 1, -1)
    }
}

/// Why the output of a command could not be written.
package struct OutputLoss: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system's error.
    let number: Int32

    /// What happened, without what it means.
    package var reason: String { "the output could not be written: \(unsafe String(cString: strerror(number)))" }

    package var description: String { "\(reason). The command did its work; only its output is lost." }
}
