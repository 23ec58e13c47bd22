package import AppMessages
import CLinux
import Foundation

/// Calls to the agent that are answered once, one after the other on a connection that is kept.
package struct AgentConversation: ~Copyable {
    /// Why there is no answer: nobody is there, or nobody answered in time.
    package enum Ending: Error {
        case gone, late
    }

    /// How long an answer is waited for.
    private enum Patience {
        case until(ContinuousClock.Instant)
        /// As long as an agent that runs takes for what it has at hand.
        case moment

        var isAwake: Bool {
            if case .moment = self { true } else { false }
        }

        var milliseconds: Int {
            switch self {
            case .moment: return 1
            case .until(let deadline):
                let (seconds, attoseconds) = (deadline - .now).components
                return max(0, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
            }
        }
    }

    // What arrives in more parts than these takes longer than a moment.
    private static let partsInAMoment = 8

    private let path: String
    private var socket: Int32 = -1
    private var reader = FrameReader(limit: FrameReader.replyLimit)

    /// Whether the last call is still to be answered; no other may be made before.
    private(set) var isOwedAnswer = false

    /// Prepares calls to the agent that listens at `path`; the first of them connects.
    package init(path: String) {
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
    package mutating func answer<Reply: Decodable>(
        to call: AppCall, milliseconds: Int
    ) -> Result<VarlinkReply<Reply>, Ending> {
        let result: Result<VarlinkReply<Reply>, Ending> = exchange(
            call, .until(.now + .milliseconds(milliseconds)))
        if isOwedAnswer { hangUp() }
        return result
    }

    /// Asks, and waits for a moment; an answer that is late is still owed.
    mutating func answerAtOnce<Reply: Decodable>(to call: AppCall) -> Result<VarlinkReply<Reply>, Ending> {
        exchange(call, .moment)
    }

    /// Sends a call on the connection that is open, without waiting; whether all of it went and its answer is owed.
    package mutating func sendAtOnce(_ call: AppCall) -> Bool {
        guard socket >= 0, !isOwedAnswer else { return false }
        guard AgentSocket.sendAtOnce(call.encoded(), to: socket) else {
            // Half a call may have gone.
            hangUp()
            return false
        }
        reader = FrameReader(limit: FrameReader.replyLimit)
        isOwedAnswer = true
        return true
    }

    /// Waits for the answer that is owed.
    package mutating func owedAnswer<Reply: Decodable>(milliseconds: Int) -> Result<VarlinkReply<Reply>, Ending> {
        let result: Result<VarlinkReply<Reply>, Ending> = hear(.until(.now + .milliseconds(milliseconds)))
        if isOwedAnswer { hangUp() }
        guard case .success(let reply) = result, let challenge = reply.challenge else { return result }
        // It is to be asked again.
        _ = answer(challenge)
        return .failure(.gone)
    }

    // Whatever is asked may be asked twice: a connection that was kept can have ended with a former agent, and then
    // the call is made again on a fresh one.
    private mutating func exchange<Reply: Decodable>(
        _ call: AppCall, _ patience: Patience
    ) -> Result<VarlinkReply<Reply>, Ending> {
        let message = call.encoded()
        if socket >= 0 {
            let kept: Result<VarlinkReply<Reply>, Ending> = ask(message, patience)
            guard case .failure(.gone) = kept else { return kept }
        }
        socket = unsafe clinux_connect(path)
        guard socket >= 0 else { return .failure(.gone) }
        return ask(message, patience)
    }

    // Answers a challenge that comes in the place of an answer, and asks again.
    private mutating func ask<Reply: Decodable>(
        _ message: Data, _ patience: Patience
    ) -> Result<VarlinkReply<Reply>, Ending> {
        let first: Result<VarlinkReply<Reply>, Ending> = exchange(message, patience)
        guard case .success(let reply) = first, let challenge = reply.challenge else { return first }
        guard answer(challenge) else { return .failure(.gone) }
        return exchange(message, patience)
    }

    // Only on a connection of our own making, which nobody else holds.
    private mutating func answer(_ challenge: String) -> Bool {
        if AgentSocket.identify(on: socket, by: challenge) { return true }
        hangUp()
        return false
    }

    private mutating func exchange<Reply: Decodable>(
        _ message: Data, _ patience: Patience
    ) -> Result<VarlinkReply<Reply>, Ending> {
        isOwedAnswer = true
        reader = FrameReader(limit: FrameReader.replyLimit)
        // An agent that does not know this process says so and hangs up, perhaps before the call is out.
        return hear(AgentSocket.send(message, to: socket) ? patience : .until(.now))
    }

    private mutating func hear<Reply: Decodable>(_ patience: Patience) -> Result<VarlinkReply<Reply>, Ending> {
        var parts = 0
        while true {
            do {
                if let message = try reader.next() {
                    let reply = try VarlinkReply<Reply>(parsing: message)
                    isOwedAnswer = false
                    return .success(reply)
                }
            } catch {
                // It would say the same again.
                hangUp()
                return .failure(.late)
            }
            let reading = AgentSocket.read(
                from: socket, into: &reader, milliseconds: patience.milliseconds, awake: patience.isAwake)
            switch reading {
            case .read:
                parts += 1
                if case .moment = patience, parts == Self.partsInAMoment { return .failure(.late) }
            case .late:
                return .failure(.late)
            case .ended:
                hangUp()
                return .failure(.gone)
            }
        }
    }

    // A connection that did not answer is of no more use: its answer could be taken for the next one's.
    private mutating func hangUp() {
        close(socket)
        socket = -1
        isOwedAnswer = false
    }
}

extension VarlinkReply {
    /// What the agent wants to be sent back before it answers.
    fileprivate var challenge: String? {
        if case .failure(let error) = result { error.challenge } else { nil }
    }
}
