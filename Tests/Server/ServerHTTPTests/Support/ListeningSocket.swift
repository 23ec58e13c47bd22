import Foundation
import Testing
import Waiting

/// A socket of the loopback that listens, whoever serves it.
final class ListeningSocket: Sendable {
    let port: Int
    private let descriptor: Int32

    /// With a port that is taken and where nobody listens, if it does not listen.
    init(listens: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) + (listens ? listen(descriptor, 64) : 0)
                    + getsockname(descriptor, address, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// Another descriptor of the same socket, for who will close it.
    func copy() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }

    /// Returns when a connection waits to be accepted.
    func someoneWaits() async throws {
        try await eventually("somebody connects") { () -> Bool in
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&waiting, 1, 0) == 1
        }
    }
}
