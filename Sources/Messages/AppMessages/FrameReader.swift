package import Foundation

/// Cuts a stream into messages: each ends with a zero byte.
///
/// A message longer than the limit is refused before it has been gathered whole.
package struct FrameReader: Sendable {
    /// What an app may send: calls are small; the largest brings 64 KiB to be signed, in base64.
    package static let callLimit = 98_304

    /// What an agent may send: a configuration of 1 MiB in base64, and what surrounds it.
    package static let replyLimit = 4_194_304

    private let limit: Int
    private var bytes: [UInt8] = []
    private var start = 0
    private var scanned = 0

    /// Begins a stream whose messages have at most `limit` bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes it keeps: none of a message that was taken, once nothing else has arrived.
    package var keptBytes: Int { bytes.count }

    /// Whether part of a message is waiting for the rest.
    package var isEmpty: Bool { start == bytes.count }

    /// Takes what has arrived.
    package mutating func append(_ arrived: some Sequence<UInt8>) {
        bytes.append(contentsOf: arrived)
    }

    /// Takes what has arrived in a buffer.
    package mutating func append(_ arrived: Slice<UnsafeMutableRawBufferPointer>) {
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: arrived))
    }

    /// The next whole message, without its end.
    package mutating func next() throws(FrameRefusal) -> Data? {
        guard let end = firstZero(from: scanned) else {
            scanned = bytes.count
            guard bytes.count - start <= limit else { throw .tooLong }
            compact()
            return nil
        }
        guard end - start <= limit else { throw .tooLong }
        guard end > start else { throw .empty }
        let message = Data(bytes[start..<end])
        start = end + 1
        scanned = start
        // It may have been a secret, and the next message may never come.
        if start == bytes.count { (bytes, start, scanned) = ([], 0, 0) }
        return message
    }

    private func firstZero(from start: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base + start, 0, bytes.count - start) else {
                return nil
            }
            return unsafe base.distance(to: found)
        }
    }

    // Moves what is left to the front; a buffer that once held a large message is not kept.
    private mutating func compact() {
        guard start > 0 else { return }
        bytes = Array(bytes[start...])
        scanned -= start
        start = 0
    }
}

/// Why a stream cannot be read on: the connection has to end.
package enum FrameRefusal: Error {
    case tooLong
    case empty
}
