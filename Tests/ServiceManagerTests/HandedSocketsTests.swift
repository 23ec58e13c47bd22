import Foundation
import ServiceManager
import Testing

/// Sockets that a service manager opened, as systemd hands them over.
@Suite(.serialized) struct HandedSocketsTests {
    private func environment(_ count: Int, _ names: String?, process: Int32 = getpid()) -> [String: String] {
        var environment = ["LISTEN_PID": "\(process)", "LISTEN_FDS": "\(count)"]
        environment["LISTEN_FDNAMES"] = names
        return environment
    }

    @Test func aSocketIsKnownByItsNameAndSaysWhereItListens() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "h-\(UUID().uuidString.prefix(8))").path
        let given = try Given([try Given.port(), try Given.path(path)])
        defer { unsafe unlink(path) }
        let sockets = try HandedSockets(
            environment(2, "https:control"), names: ["https", "control", "other"], first: given.first)
        let https = try #require(sockets["https"])
        #expect(https.descriptor == given.first)
        guard case .port(let port) = https.place else { return #expect(Bool(false), "no port: \(https.place)") }
        #expect((1...65_535).contains(port) && port == Given.portNumber(https.descriptor))
        let control = try #require(sockets["control"])
        #expect(control.descriptor == given.first + 1 && control.place == .path(path))
        #expect(sockets["other"] == nil)
        // No program that we start inherits them.
        for descriptor in [given.first, given.first + 1] {
            #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        }
    }

    @Test func whatIsMeantForAnotherProcessIsNotTouched() throws {
        let given = try Given([try Given.port()])
        for strange in [environment(1, "https", process: getpid() + 1), ["LISTEN_FDS": "1"], [:]] {
            let sockets = try HandedSockets(strange, names: ["https"], first: given.first)
            #expect(sockets["https"] == nil)
            #expect(fcntl(given.first, F_GETFD) == 0)
        }
        #expect(try HandedSockets(environment(0, ""), names: [])["https"] == nil)
    }

    @Test func whatCannotBeServedIsRefusedByItsReason() throws {
        func refusal(_ descriptors: [Int32], _ environment: [String: String]) throws -> HandedSocketRefusal? {
            let given = try Given(descriptors)
            return #expect(throws: HandedSocketRefusal.self) {
                try HandedSockets(environment, names: ["a", "b"], first: given.first)
            }
        }
        let port = Given.port
        #expect(try refusal([port()], environment(1, nil)) == .names)
        #expect(try refusal([port()], environment(1, "a:b")) == .names)
        #expect(try refusal([port()], environment(1, "c")) == .unknown)
        #expect(try refusal([port(), port()], environment(2, "a:a")) == .twice)
        #expect(try refusal([port()], environment(17, "a")) == .count)
        #expect(try refusal([port()], environment(-1, "a")) == .count)
        #expect(try refusal([port()], ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "x"]) == .count)
        #expect(try refusal([unsafe open("/dev/null", O_RDONLY)], environment(1, "a")) == .notListening)
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(try refusal([silent], environment(1, "a")) == .notListening)
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        #expect(try refusal([datagrams], environment(1, "a")) == .notListening)
        #expect(try refusal([try Given.path("")], environment(1, "a")) == .notListening)
        #expect(
            #expect(throws: HandedSocketRefusal.self) {
                try HandedSockets(environment(1, "a"), names: ["a"], first: 60_000)
            } == .notOpen)
    }
}

/// Descriptors one after the other, as a service manager gives them; far from those that other tests use.
private final class Given {
    let first: Int32
    private let count: Int32

    init(_ descriptors: [Int32]) throws {
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        first = Int32(clamping: min(limit.rlim_cur, 20_000)) - 64
        count = Int32(descriptors.count)
        for (index, descriptor) in descriptors.enumerated() {
            // Never in the place of one that is open: it would be another test's.
            let number = first + Int32(index)
            try #require(fcntl(descriptor, F_DUPFD, number) == number, "no test uses these numbers")
            close(descriptor)
        }
    }

    deinit {
        for descriptor in first..<first + count { close(descriptor) }
    }

    static func port() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listen(descriptor, 1) == 0)
        return descriptor
    }

    static func portNumber(_ descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    static func path(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        // Without a name the kernel finds one that is no path.
        let length = socklen_t(path.isEmpty ? 2 : MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        try #require(bound == 0 && listen(descriptor, 1) == 0)
        return descriptor
    }
}
