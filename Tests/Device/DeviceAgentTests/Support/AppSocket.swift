import AppMessages
import CLinux
import Foundation
import Testing

/// A connection of this process, which counts as the app.
final class AppSocket {
    struct Silent: Error {}

    private let descriptor: Int32
    private var reader = FrameReader(limit: FrameReader.replyLimit)

    init(_ fixture: Fixture) throws {
        descriptor = unsafe clinux_connect(fixture.socketPath)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// As when the process ends.
    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ call: AppCall) throws {
        let bytes = call.encoded()
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.baseAddress.map { unsafe clinux_send_all(descriptor, $0, buffer.count, 240_000) } ?? -1
        }
        guard result >= 0 else { throw Silent() }
    }

    func next() throws -> Data {
        while true {
            if let message = try reader.next() { return message }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let length = unsafe chunk.withUnsafeMutableBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe clinux_read(descriptor, $0, bytes.count, 240_000) } ?? -1
            }
            guard length > 0 else { throw Silent() }
            reader.append(chunk.prefix(Int(length)))
        }
    }

    func raw(_ call: AppCall) throws -> Data {
        try send(call)
        return try next()
    }

    func ask<Reply: Decodable>(_ call: AppCall, _: Reply.Type) throws -> Result<Reply, VarlinkError> {
        try VarlinkReply<Reply>(parsing: try raw(call)).result
    }

    func nextIdentifiers() throws -> [String] {
        let reply = try VarlinkReply<SecretIdentifiers>(parsing: try next())
        #expect(reply.continues)
        return try reply.result.get().identifiers
    }
}
