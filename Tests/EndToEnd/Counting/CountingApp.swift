import Foundation
import ManagedAppLegacy
import Synchronization

/// An app for tests that counts in its feedback: each count has a number of its own, so that none is lost or comes twice
/// unseen.
///
/// Its arguments are the first number, and how many make a lot: so many are counted before the app waits for its agent, and at
/// most these are lost when it is killed. It says of each that it begins to count it, and after each lot up to which number
/// its agent has them; what is in its output outlives it. It ends when its input does, or with a line of it.
@main
struct CountingApp {
    private static let isToEnd = Mutex(false)

    static func main() {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let first = arguments.first, let lot = arguments.dropFirst().first, lot > 0 else {
            return say("the first number or the size of a lot is missing")
        }
        Thread.detachNewThread {
            _ = readLine()
            Self.isToEnd.withLock { $0 = true }
        }
        var number = first
        while !isToEnd.withLock({ $0 }) {
            for _ in 0..<lot {
                say("counts \(number)")
                do {
                    try count(number)
                } catch {
                    return say("refused: \(error.localizedDescription)")
                }
                number += 1
            }
            while !ManagedAppFeedback.isKept(within: .seconds(1)) {}
            say("kept \(number - 1)")
        }
        say("done")
    }

    private static func count(_ number: Int) throws {
        try ManagedAppFeedback.update { feedback in
            feedback["count"] = (feedback["count"] as? Int ?? 0) + 1
            feedback["numbers"] = (feedback["numbers"] as? String ?? "") + "\(number) "
        }
    }

    private static func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }
}
