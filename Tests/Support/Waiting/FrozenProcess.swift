import Foundation

/// Stops a process and returns when each of its threads stands still: `SIGSTOP` is only sent when `kill` returns.
///
/// - Throws: `DidNotHappen` when it runs on for two minutes, or is gone.
package func freeze(_ process: Int32) throws {
    kill(process, SIGSTOP)
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        guard !threads.isEmpty else { throw DidNotHappen(description: "process \(process) is gone") }
        if threads.allSatisfy({ isStopped("/proc/\(process)/task/\($0)/stat") }) { return }
        guard ContinuousClock.now < deadline else { throw DidNotHappen(description: "process \(process) runs on") }
        usleep(500)
    }
}

// The state is what follows the name, which is in parentheses and may hold any character. A thread that has ended is none.
private func isStopped(_ file: String) -> Bool {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return true }
    return text.split(separator: ")").last?.split(separator: " ").first == "T"
}
