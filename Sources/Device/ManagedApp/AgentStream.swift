import AppMessages
import CLinux
import Foundation

/// What the link's thread does: watches the configuration, and finds the agent again when it is gone.
struct AgentStream {
    // Between two attempts to connect: a moment at first, then seldom; an agent that comes back wakes us anyway.
    private static let shortestPause = 50
    private static let longestPause = 30_000

    private enum End {
        case gone
        case refused
    }

    private let link: AgentLink
    private let origin: AgentLink.Origin
    private let deadline: ContinuousClock.Instant
    private var watch: Int32 = -1
    private var pause = shortestPause

    init(link: AgentLink, origin: AgentLink.Origin) {
        self.link = link
        self.origin = origin
        deadline = .now + origin.patience
    }

    /// Follows the agent for as long as the process lives, or until there is no way to it.
    mutating func run() {
        var end = origin.socket.map { follow($0) } ?? .gone
        guard let path = origin.path else {
            link.unanswered()
            return
        }
        let directory = (path as NSString).deletingLastPathComponent
        while true {
            // Watched before the attempt: an agent that comes in between is noticed.
            if watch < 0 { watch = unsafe clinux_watch_directory(directory) }
            if end == .refused, rest(for: watch < 0 ? Self.longestPause : nil) { pause = Self.shortestPause }
            let socket = unsafe clinux_connect(path)
            end = socket >= 0 ? follow(socket) : .gone
            if end == .gone, rest(for: pause) {
                pause = Self.shortestPause
            } else {
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    // Waits for the agent's socket to appear; true when something appeared.
    private func rest(for milliseconds: Int?) -> Bool {
        var left = milliseconds
        while link.isWaiting {
            let untilDeadline = remaining
            if untilDeadline <= 0 {
                link.unanswered()
                break
            }
            let part = min(left ?? untilDeadline, untilDeadline)
            if clinux_watch_wait(watch, Int32(part)) == 1 { return true }
            if let whole = left {
                left = whole - part
                if whole - part <= 0 { return false }
            }
        }
        return clinux_watch_wait(watch, Int32(left ?? -1)) == 1
    }

    // Milliseconds until readers are told that there is no answer.
    private var remaining: Int {
        let (seconds, attoseconds) = (deadline - .now).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    // Watches on one connection until it ends.
    private mutating func follow(_ socket: Int32) -> End {
        defer {
            close(socket)
            link.disconnected()
        }
        guard AgentSocket.send(AppCall.watchConfiguration.encoded(), to: socket) else { return .gone }
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while true {
            do {
                while let message = try reader.next() {
                    switch try VarlinkReply<ConfigurationState>(parsing: message).result {
                    case .success(let state):
                        told(state)
                    case .failure(.permissionDenied):
                        link.refused()
                        return .refused
                    case .failure:
                        return .gone
                    }
                }
            } catch {
                return .gone
            }
            let waiting = link.isWaiting
            switch AgentSocket.read(from: socket, into: &reader, milliseconds: waiting ? max(0, remaining) : -1) {
            case .read: continue
            case .late: link.unanswered()
            case .ended: return .gone
            }
        }
    }

    private mutating func told(_ state: ConfigurationState) {
        link.told(state)
        pause = Self.shortestPause
        // Connected there is nothing to watch for; what the kernel would gather meanwhile is let go.
        if watch >= 0 {
            close(watch)
            watch = -1
        }
    }
}

/// Bytes to and from the agent, on a thread that may wait.
enum AgentSocket {
    enum Reading {
        case read, late, ended
    }

    // A living agent takes a call at once; a stopped one leaves it in the socket's buffer.
    private static let patience: Int32 = 2_000

    static func send(_ message: Data, to socket: Int32) -> Bool {
        unsafe message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe clinux_send_all(socket, start, bytes.count, patience) == 0
        }
    }

    static func read(from socket: Int32, into reader: inout FrameReader, milliseconds: Int) -> Reading {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return .ended }
            let count = unsafe clinux_read(socket, start, buffer.count, Int32(clamping: milliseconds))
            if count == -Int(ETIMEDOUT) { return .late }
            guard count > 0 else { return .ended }
            unsafe reader.append(buffer[..<count])
            return .read
        }
    }

    /// One call on a connection of its own; nil when the agent does not answer in time.
    static func call<Reply: Decodable>(_ call: AppCall, at path: String, milliseconds: Int) -> VarlinkReply<Reply>? {
        let socket = unsafe clinux_connect(path)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        guard send(call.encoded(), to: socket) else { return nil }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while true {
            do {
                if let message = try reader.next() { return try VarlinkReply<Reply>(parsing: message) }
            } catch {
                return nil
            }
            let (seconds, attoseconds) = (deadline - .now).components
            let left = max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
            guard case .read = read(from: socket, into: &reader, milliseconds: left) else { return nil }
        }
    }
}
