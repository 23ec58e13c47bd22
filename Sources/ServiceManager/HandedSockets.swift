import Foundation

/// The listening sockets that the service manager opened and handed to this process, by systemd's protocol.
///
/// A socket is known by its name alone (`FileDescriptorName=`). A program that does not know the use of each does not
/// start: it would accept no connection of that socket, and its callers would wait forever.
package struct HandedSockets: Sendable {
    /// One of them: it listens already.
    package struct Handed: Sendable, Equatable {
        package let descriptor: Int32
        package let place: Place
    }

    /// Where a socket listens.
    package enum Place: Sendable, Equatable {
        case path(String)
        case port(Int)
    }

    // Ours are three; the bound is on what another's environment may have us look at.
    private static let most = 16

    private let sockets: [String: Handed]

    /// Takes what the environment of this process speaks of, if it speaks to this process; no child inherits them.
    ///
    /// `names` are those that the program knows. The first is descriptor 3, by the protocol.
    package init(
        _ environment: [String: String], names: Set<String>, process: Int32 = getpid(), first: Int32 = 3
    ) throws(HandedSocketRefusal) {
        // What was meant for another process was inherited by accident, and the numbers are something else here.
        guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else {
            sockets = [:]
            return
        }
        guard let count = Int32(text), (0...Int32(Self.most)).contains(count) else { throw .count }
        for descriptor in first..<first + count where fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 {
            throw .notOpen
        }
        let given = environment["LISTEN_FDNAMES", default: ""].split(separator: ":")
        guard given.count == Int(count) else { throw .names }
        var sockets: [String: Handed] = [:]
        for (index, name) in given.enumerated() {
            let name = String(name)
            guard names.contains(name) else { throw .unknown }
            guard sockets[name] == nil else { throw .twice }
            let descriptor = first + Int32(index)
            guard let place = Self.place(of: descriptor) else { throw .notListening }
            sockets[name] = Handed(descriptor: descriptor, place: place)
        }
        self.sockets = sockets
    }

    /// The socket of this name, if it was handed over.
    package subscript(name: String) -> Handed? { sockets[name] }

    /// Where a stream socket listens, or nothing if the descriptor is none that does.
    private static func place(of descriptor: Int32) -> Place? {
        guard option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN, of: descriptor) == 1
        else { return nil }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard result == 0 else { return nil }
        return unsafe withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            case AF_INET, AF_INET6:
                // The port stands at the same place in both, the more significant byte first.
                return unsafe .port(Int(bytes[2]) << 8 | Int(bytes[3]))
            case AF_UNIX:
                let start = MemoryLayout<sa_family_t>.size
                let name = unsafe bytes[start..<max(start, min(Int(length), bytes.count))].prefix { $0 != 0 }
                // One without a path is found by anybody's name for it.
                return unsafe name.isEmpty ? nil : .path(String(decoding: name, as: UTF8.self))
            default:
                return nil
            }
        }
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

/// What is wrong with the sockets that were handed over; the units of the service say which they are.
package enum HandedSocketRefusal: Error, CustomStringConvertible {
    case count
    case names
    case unknown
    case twice
    case notOpen
    case notListening
    /// It listens, and not where this program would.
    case elsewhere

    package var description: String {
        switch self {
        case .count: "the service manager hands over a number of sockets that is none (LISTEN_FDS)"
        case .names: "each socket that is handed over needs its name (FileDescriptorName= of the socket unit)"
        case .unknown: "a socket is handed over under a name that means nothing here (FileDescriptorName=)"
        case .twice: "two sockets are handed over under one name; give the unit one ListenStream="
        case .notOpen: "a socket that is handed over is not open"
        case .notListening: "what is handed over is no stream socket that listens"
        case .elsewhere: "a socket that is handed over listens elsewhere than the settings say"
        }
    }
}
