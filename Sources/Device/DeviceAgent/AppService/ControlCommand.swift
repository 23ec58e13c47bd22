import AppMessages
import CLinux
import Foundation

/// The asking side of `martlet-agent enroll` and `unenroll` where an agent already runs.
package enum ControlCommand {
    // A certificate authority that has to think is asked ten times, half a minute apart.
    private static let patience: Int32 = 600_000
    private static let sending: Int32 = 10_000

    /// Asks the running agent and waits for what came of it; nothing if the agent ended meanwhile.
    package static func ask(controlPath: String, _ request: EnrollmentRequest) throws -> EnrollmentOutcome? {
        let call =
            switch request {
            case .enroll(let wish, let trust):
                VarlinkCall.encode(ControlMessages.enroll, ControlMessages.Enroll(wish, trust: trust))
            case .unenroll: VarlinkCall.encode(ControlMessages.unenroll, Varlink.Nothing())
            }
        do {
            let answer: ControlMessages.EnrollmentAnswer? = try ask(controlPath, call)
            return answer?.outcome
        } catch is VarlinkError {
            return .refused(Self.otherVersion)
        }
    }

    /// Asks the running agent about apps; nothing if the agent ended meanwhile.
    package static func ask(controlPath: String, _ request: AppRequest) throws -> AppAnswer? {
        do {
            let answer: ControlMessages.AppsAnswer? = try ask(controlPath, ControlMessages.call(request))
            return answer?.answer
        } catch is VarlinkError {
            return .refused(Self.otherVersion)
        }
    }

    private static let otherVersion = "the agent that runs here does not understand this command; restart it"

    private static func ask<Answer: Decodable>(
        _ controlPath: String, _ call: Data, within patience: Int32 = patience
    ) throws -> Answer? {
        let socket = try LinuxFailure.check(unsafe clinux_connect(controlPath), "reach the agent")
        defer { close(socket) }
        try send(call, to: socket)
        var replies = ControlReplies(socket: socket)
        return try replies.next(milliseconds: patience)
    }

    /// Where the agent that runs looks for apps, and what it cannot use there; nothing if none runs, or it does not say.
    package static func directories(controlPath: String) -> AppDirectories? {
        let call = ControlMessages.call(.directories(isListed: true))
        let answer: ControlMessages.AppsAnswer? = try? ask(controlPath, call, within: sending)
        return answer?.directories
    }

    /// How often the agent that runs has refused something, by reason; nothing if none runs.
    package static func refusals(controlPath: String) -> [String: Int]? {
        let call = VarlinkCall.encode(ControlMessages.refusals, Varlink.Nothing())
        let answer: ControlMessages.Refusals? = try? ask(controlPath, call, within: sending)
        return answer?.counts
    }

    /// Since when the server gives the agent that runs no answer, and why; nothing if it answers, or if no agent runs.
    package static func absence(controlPath: String) -> ServerContact.Absence? {
        let call = VarlinkCall.encode(ControlMessages.contact, Varlink.Nothing())
        let answer: ControlMessages.Contact? = try? ask(controlPath, call, within: sending)
        return answer?.absence
    }

    /// Whether the device of the agent that runs is enrolled; throws if none answers, nothing if it does not say.
    static func isEnrolled(controlPath: String) throws -> Bool? {
        let call = VarlinkCall.encode(ControlMessages.standing, Varlink.Nothing())
        do {
            let answer: ControlMessages.Standing? = try ask(controlPath, call, within: sending)
            return answer?.isEnrolled
        } catch is VarlinkError {
            return nil
        }
    }

    private static func send(_ call: Data, to socket: Int32) throws {
        let sent = unsafe call.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return 0 }
            return unsafe clinux_send_all(socket, start, bytes.count, sending)
        }
        try LinuxFailure.check(sent, "ask the agent")
    }
}

/// The agent's answers on one control connection.
struct ControlReplies {
    let socket: Int32
    private var reader = FrameReader(limit: FrameReader.callLimit)

    init(socket: Int32) {
        self.socket = socket
    }

    /// An answer that has been read already.
    mutating func gathered<Answer: Decodable>() throws -> Answer? {
        guard let message = try reader.next() else { return nil }
        return try VarlinkReply<Answer>(parsing: message).result.get()
    }

    /// The next answer; nil when the agent is gone.
    mutating func next<Answer: Decodable>(milliseconds: Int32) throws -> Answer? {
        while true {
            if let answer: Answer = try gathered() { return answer }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe chunk.withUnsafeMutableBytes { bytes -> Int in
                guard let start = bytes.baseAddress else { return 0 }
                return unsafe clinux_read(socket, start, bytes.count, milliseconds)
            }
            guard count > 0 else { return nil }
            reader.append(chunk.prefix(count))
        }
    }
}
