import AppMessages
import CLinux
import Foundation

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

    /// Sends what fits without waiting; whether that was everything.
    static func sendAtOnce(_ message: Data, to socket: Int32) -> Bool {
        unsafe message.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe clinux_send(socket, start, bytes.count) == bytes.count
        }
    }

    /// Reads once; `awake`, it keeps its core for the time that an answer at hand takes.
    static func read(
        from socket: Int32, into reader: inout FrameReader, milliseconds: Int, awake: Bool = false
    ) -> Reading {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return .ended }
            let read = unsafe awake ? clinux_read_awake : clinux_read
            let count = unsafe read(socket, start, buffer.count, Int32(clamping: milliseconds))
            if count == -Int(ETIMEDOUT) { return .late }
            guard count > 0 else { return .ended }
            unsafe reader.append(buffer[..<count])
            return .read
        }
    }

    /// Answers the challenge of an agent that did not launch this process; whether it was content.
    ///
    /// Never call it on an inherited connection: the process that left it could read the agent's answers.
    static func identify(on socket: Int32, by challenge: String) -> Bool {
        guard send(AppCall.identify(answer: challenge).encoded(), to: socket) else { return false }
        var reader = FrameReader(limit: FrameReader.replyLimit)
        while true {
            do {
                if let message = try reader.next() {
                    if case .success = try VarlinkReply<Varlink.Nothing>(parsing: message).result { return true }
                    return false
                }
            } catch {
                return false
            }
            guard case .read = read(from: socket, into: &reader, milliseconds: Int(patience)) else { return false }
        }
    }

    /// One call on a connection of its own.
    static func call<Reply: Decodable>(
        _ call: AppCall, at path: String, milliseconds: Int
    ) -> Result<VarlinkReply<Reply>, AgentConversation.Ending> {
        var conversation = AgentConversation(path: path)
        return conversation.answer(to: call, milliseconds: milliseconds)
    }
}
