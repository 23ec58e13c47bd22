import Foundation
import Synchronization

/// Ports for programs that listen on the same port again, or that get their port in advance.
///
/// They lie below those that the kernel gives to everybody who connects or asks for any port: one of those may be
/// another's by the time a server comes back to it.
enum KeptPort {
    private static let given = Mutex<Set<UInt16>>([])

    /// A free port, which this process has given to nobody else.
    static func next() throws -> Int {
        for _ in 0..<1_000 {
            let port = UInt16.random(in: 12_000..<32_000)
            guard given.withLock({ $0.insert(port).inserted }), isFree(port) else { continue }
            return Int(port)
        }
        throw Road.Broken(description: "no port is free")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
