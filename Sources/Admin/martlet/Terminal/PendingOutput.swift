import Foundation
import Synchronization

/// Output that a command holds back for something that is still to come, and that an interruption must not lose.
final class PendingOutput: Sendable {
    private static let interruptions = [SIGINT, SIGTERM]

    private let text: Mutex<String?>

    private init(_ text: String) {
        self.text = Mutex(text)
    }

    /// Runs `body`, and prints `text`, or what `body` put in its place, whether `body` ends, fails or is interrupted.
    static func keep<Value>(
        _ text: String, during body: (PendingOutput) async throws -> Value
    ) async throws -> Value {
        let pending = PendingOutput(text)
        let sources = interruptions.map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { pending.end(by: number) }
            source.activate()
            return source
        }
        defer {
            pending.print()
            for source in sources { source.cancel() }
            for number in interruptions { _ = signal(number, SIG_DFL) }
        }
        return try await body(pending)
    }

    /// Puts a text in the place of the one that is held back.
    func replace(by newer: String) {
        text.withLock { kept in
            if kept != nil { kept = newer }
        }
    }

    /// Prints it once.
    private func print() {
        text.withLock { kept in
            if let kept { Terminal.say(kept) }
            kept = nil
        }
    }

    /// Ends the command with the status that shells give to a signal.
    private func end(by number: Int32) {
        print()
        _exit(128 + number)
    }
}
