import Foundation
import Synchronization

/// How far something has come, on a terminal alone and in one line.
final class ProgressLine: Sendable {
    private let name: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let last = Mutex(-1)

    init(of name: String) { self.name = name }

    func at(_ done: Int, of all: Int) {
        guard isShown, all > 0 else { return }
        let percent = done * 100 / all
        let isNews = last.withLock { last in
            defer { last = percent }
            return last != percent
        }
        if isNews { try? FileHandle.standardError.write(contentsOf: Data("\r\(name) \(percent) %".utf8)) }
    }

    func end() {
        guard isShown, last.withLock({ $0 >= 0 }) else { return }
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K".utf8))
    }
}
