import AppMessages
import CLinux
import Foundation

/// Calls to the agent that are answered once, one after the other on a connection that is kept.
struct AgentConversation: ~Copyable {
    /// Why there is no answer: nobody is there, or nobody answered in time.
    enum Ending: Error {
        case gone, late
    }

    private let path: String
    private var socket: Int32 = -1

    init(path: String) {
        self.path = path
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    /// Asks, and waits for the answer; nil when there is none in time.
    mutating func ask<Reply: Decodable>(_ call: AppCall, milliseconds: Int) -> VarlinkReply<Reply>? {
        try? answer(to: call, milliseconds: milliseconds).get()
    }

    /// Asks, and waits for the answer.
    ///
    /// Whatever is asked may be asked twice: a connection that was kept can have ended with a former agent, and then
    /// the call is made again on a fresh one.
    mutating func answer<Reply: Decodable>(
        to call: AppCall, milliseconds: Int
    ) -> Result<VarlinkReply<Reply>, Ending> {
        let message = call.encoded()
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        if socket >= 0 {
            let kept: Result<VarlinkReply<Reply>, Ending> = exchange(message, until: deadline)
            guard case .failure(.gone) = kept else { return kept }
        }
        socket = unsafe clinux_connect(path)
        guard socket >= 0 else { return .failure(.gone) }
        return exchange(message, until: deadline)
    }

    // A connection that did not answer is of no more use: its answer could be taken for the next one's.
    private mutating func exchange<Reply: Decodable>(
        _ message: Data, until deadline: ContinuousClock.Instant
    ) -> Result<VarlinkReply<Reply>, Ending> {
        let result: Result<VarlinkReply<Reply>, Ending> = Self.exchange(message, on: socket, until: deadline)
        if case .failure = result {
            close(socket)
            socket = -1
        }
        return result
    }

    private static func exchange<Reply: Decodable>(
        _ message: Data, on socket: Int32, until deadline: ContinuousClock.Instant
    ) -> Result<VarlinkReply<Reply>, Ending> {
        // An agent that does not know this process says so and hangs up, perhaps before the call is out.
        let isSent = AgentSocket.send(message, to: socket)
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while true {
            do {
                if let message = try reader.next() { return .success(try VarlinkReply<Reply>(parsing: message)) }
            } catch {
                // It would say the same again.
                return .failure(.late)
            }
            let (seconds, attoseconds) = (deadline - .now).components
            let left = isSent ? max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)) : 0
            switch AgentSocket.read(from: socket, into: &reader, milliseconds: left) {
            case .read: continue
            case .late: return .failure(.late)
            case .ended: return .failure(.gone)
            }
        }
    }
}
