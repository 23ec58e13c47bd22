package import AppMessages
import CLinux
import Foundation

/// Hears what the agent says in answer to one call, on the thread of its stream.
package protocol StreamFollower: Sendable {
    associatedtype News: Decodable

    /// What the agent is asked to tell, now and whenever it changes.
    var watching: AppCall { get }

    /// Whether readers still wait for the first answer.
    var isWaiting: Bool { get }

    /// The agent said something.
    func told(_ news: News)

    /// There was no answer in time; one may still come.
    func unanswered()

    /// The agent does not know this process.
    func refused()

    /// The connection to the agent ended.
    func disconnected()
}

/// What a stream's thread does: follows one call, and finds the agent again when it is gone.
package struct AgentStream<Follower: StreamFollower> {
    // Between two attempts to connect: a moment at first, then seldom; an agent that comes back wakes us anyway.
    private static var shortestPause: Int { 50 }
    private static var longestPause: Int { 30_000 }

    private enum End {
        case gone
        case refused
    }

    private let link: Follower
    private let origin: AgentLink.Origin
    private let deadline: ContinuousClock.Instant
    private var watch: Int32 = -1
    private var pause = shortestPause

    /// Gives a stream its thread; without any way to an agent there is nothing to follow.
    package static func begin(following link: Follower, origin: AgentLink.Origin, name: String) {
        guard origin.socket != nil || origin.path != nil else { return link.refused() }
        let thread = Thread {
            var stream = AgentStream(following: link, origin: origin)
            stream.run()
        }
        thread.name = name
        thread.start()
    }

    private init(following link: Follower, origin: AgentLink.Origin) {
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
            end = socket >= 0 ? follow(socket, isOurs: true) : .gone
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
    private mutating func follow(_ socket: Int32, isOurs: Bool = false) -> End {
        defer {
            close(socket)
            link.disconnected()
        }
        guard AgentSocket.send(link.watching.encoded(), to: socket) else { return .gone }
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while true {
            do {
                while let message = try reader.next() {
                    switch try VarlinkReply<Follower.News>(parsing: message).result {
                    case .success(let news):
                        told(news)
                    case .failure(.permissionDenied):
                        link.refused()
                        return .refused
                    // An agent of a time before what is asked; a newer one will listen anew.
                    case .failure(let error) where error.name == VarlinkError.interfaceNotFound("").name:
                        link.refused()
                        return .refused
                    case .failure(let error):
                        guard isOurs, let challenge = error.challenge, AgentSocket.identify(on: socket, by: challenge),
                            AgentSocket.send(link.watching.encoded(), to: socket)
                        else { return .gone }
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

    private mutating func told(_ news: Follower.News) {
        link.told(news)
        pause = Self.shortestPause
        // Connected there is nothing to watch for; what the kernel would gather meanwhile is let go.
        if watch >= 0 {
            close(watch)
            watch = -1
        }
    }
}
