import AppMessages
import CLinux
import Foundation

/// One stream on the service's thread: whole messages in, bytes out when the peer takes them.
///
/// While bytes wait to be taken nothing more is read, so a slow peer costs at most one message each way.
struct SocketConnection: ~Copyable {
    /// What has arrived.
    enum Arrival {
        case message(Data)
        case nothing
        case end
    }

    let descriptor: Int32
    private let closer: DescriptorCloser
    private var reader = FrameReader(limit: FrameReader.callLimit)
    private var requests: HTTPRequestReader?
    private var outgoing = Data()
    private var wipes = false
    private var sent = 0

    /// What the kernel was asked to tell of it.
    var awaited = Poll.Readiness.readable

    init(descriptor: Int32, closer: DescriptorCloser) {
        self.descriptor = descriptor
        self.closer = closer
    }

    deinit {
        if wipes { outgoing.wipe() }
        closer.close(descriptor)
    }

    /// Whether bytes wait to be taken.
    var isWriting: Bool { sent < outgoing.count }

    /// Whether a message, or part of one, was read and not yet used.
    var hasUnread: Bool {
        if let requests { return !requests.isEmpty }
        return !reader.isEmpty
    }

    /// Has it read requests instead of messages.
    mutating func speakHTTP() { requests = HTTPRequestReader() }

    /// The next request gathered so far.
    mutating func nextRequest() throws(HTTPRefusal) -> HTTPRequest? { try requests?.next() }

    /// The next message gathered so far.
    mutating func next() -> Arrival {
        do {
            guard let message = try reader.next() else { return .nothing }
            return .message(message)
        } catch {
            return .end
        }
    }

    /// Reads once.
    ///
    /// The kernel names the sender of each message. A sender that is not `expected`, or that sends more than `limit`
    /// descriptors, is refused.
    mutating func receive(
        descriptors: inout [Int32], atMost limit: Int = 0, from expected: (clinux_sender) -> Bool
    ) -> Reception {
        var who = clinux_sender()
        var given: [Int32] = []
        let descriptor = descriptor
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: Self.part, alignment: 8) { buffer -> Reception in
            guard let start = buffer.baseAddress else { return .ended }
            let length = unsafe withUnsafeTemporaryAllocation(
                of: Int32.self, capacity: clinux_most_descriptors
            ) { room -> Int in
                guard let first = room.baseAddress else { return 0 }
                var count: Int32 = 0
                let length = unsafe clinux_receive(descriptor, start, buffer.count, &who, first, &count)
                if count > 0 { given = unsafe Array(room.prefix(Int(count))) }
                return length
            }
            if length == -Int(EAGAIN) { return .waiting }
            guard length > 0 else { return .ended }
            guard expected(who) else { return .stranger }
            guard given.count <= limit else { return .excess }
            if requests != nil {
                unsafe requests?.append(buffer[..<length])
            } else {
                unsafe reader.append(buffer[..<length])
            }
            return .read
        }
        if case .read = result {
            descriptors += given
        } else {
            closer.close(given, from: who.uid)
        }
        return result
    }

    // Most calls are a hundred bytes; what is read into is overwritten each time it is given back.
    private static let part = 16_384

    /// What one reading came to.
    enum Reception {
        case read, waiting, ended, stranger
        /// Descriptors came that nobody asked for.
        case excess
    }

    /// Leaves bytes to be taken; there may be none waiting.
    ///
    /// Those of a secret are overwritten as soon as they are.
    mutating func write(_ message: Data, isSecret: Bool = false) {
        precondition(!isWriting, "one message at a time")
        outgoing = message
        sent = 0
        wipes = isSecret
    }

    /// Hands over what the peer takes now; false when it is gone.
    mutating func flush() -> Bool {
        while isWriting {
            let rest = outgoing.dropFirst(sent)
            let descriptor = descriptor
            let count = unsafe rest.withUnsafeBytes { bytes -> Int in
                guard let start = bytes.baseAddress else { return 0 }
                return unsafe clinux_send(descriptor, start, bytes.count)
            }
            if count == -Int(EAGAIN) { return true }
            guard count > 0 else { return false }
            sent += count
        }
        if wipes { outgoing.wipe() }
        wipes = false
        outgoing = Data()
        sent = 0
        return true
    }
}
