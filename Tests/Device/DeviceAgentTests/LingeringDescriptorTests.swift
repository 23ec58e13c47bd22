import AppMessages
import CLinux
import Foundation
import Testing
import Waiting

@testable import DeviceAgent

/// B1: what somebody sends, or leaves unread, is closed without keeping anybody waiting.
///
/// The attack is the real one: a TCP socket that lingers, with bytes that its far end never reads.
@Suite(.timeLimit(.minutes(10)))
struct LingeringDescriptorTests {
    /// The kernel waits in the thread that closes; no such socket, no attack.
    ///
    /// A program that another test starts at that moment holds the socket, too, until it runs: then this is not the last
    /// one to close it, and nothing waits. So it is tried again.
    @Test func theKernelWaitsForASocketThatLingers() async throws {
        try await eventually("the kernel waits") { () -> Bool in
            let lingering = try LingeringSocket(seconds: 2)
            return withExtendedLifetime(lingering) {
                let begun = ContinuousClock.now
                close(lingering.take())
                return ContinuousClock.now - begun > .milliseconds(1_900)
            }
        }
    }

    /// Directly, and unread in a connection, and unread in a connection that lies unread in one.
    @Test(arguments: 0...2)
    func aSocketThatLingersIsClosedAtOnce(depth: Int) throws {
        let lingering = try LingeringSocket(seconds: 600)
        var descriptor = lingering.take()
        for _ in 0..<depth {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            try #require(sendDescriptors([descriptor], to: ends[1]) == 1)
            close(descriptor)
            close(ends[1])
            descriptor = ends[0]
        }
        let begun = ContinuousClock.now
        unsafe clinux_close_at_once([descriptor], 1)
        // A process that waits does so for ten minutes.
        #expect(ContinuousClock.now - begun < .seconds(400))
    }

    /// Nobody's descriptors are taken at the apps' sockets, nor on the connection that an app inherits.
    @Test(.enabled(if: refusesDescriptors, "the kernel delivers descriptors before Linux 6.16"))
    func theKernelRefusesDescriptorsWhereNothingTakesThem() async throws {
        let fixture = try Fixture(ourselves: true)
        for path in [fixture.socketPath, fixture.root.appending(path: "app-http.socket").path] {
            let socket = unsafe clinux_connect(path)
            defer { close(socket) }
            #expect(sendDescriptors([0], to: socket) == -EPERM)
            _ = await fixture.service.answers()
        }
        let script = "import array, socket; socket.socket(fileno=3).sendmsg([b'x'], [(1, 1, array.array('i', [0]))])"
        #expect(try await fixture.run("python3 -c \"\(script)\" 2>&1 | tail -n 1").contains("PermissionError"))
    }

    /// On older kernels they come, as on connections that waited at a socket which somebody else opened.
    @Test(arguments: ["apps.sock", "app-http.socket", "control.sock"], [true, false])
    func whoSendsWhatLingersKeepsNobodyWaiting(name: String, isApp: Bool) async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let path = root.appending(path: name).path
        let held = unsafe clinux_listen(path, 0o600)
        defer { close(held) }
        let lingering = try (0..<4).map { _ in try LingeringSocket(seconds: 600) }
        let attack = unsafe clinux_connect(path)
        defer { close(attack) }
        try #require(sendDescriptors(lingering.map { $0.take() }, to: attack, isClosing: true) == 1)
        let fixture = try Fixture(ourselves: isApp, at: root, handed: [path: fcntl(held, F_DUPFD_CLOEXEC, 3)])
        let begun = ContinuousClock.now
        // It has hung up on the attack, and answers others.
        var byte: UInt8 = 0
        while unsafe clinux_read(attack, &byte, 1, 240_000) > 0 {}
        for _ in 0..<3 { _ = await fixture.service.answers() }
        #expect(ContinuousClock.now - begun < .seconds(400))
        #expect(fixture.refusals.keys.allSatisfy { ["malformed", "stranger"].contains($0) })
    }

    private static let refusesDescriptors: Bool = {
        var ours: Int32 = -1
        var theirs: Int32 = -1
        guard unsafe clinux_socket_pair(&ours, &theirs) == 0 else { return false }
        defer {
            close(ours)
            close(theirs)
        }
        return clinux_take_no_descriptors(ours) == 0
    }()
}

/// Sends a byte and descriptors, which may be closed here then; what the kernel says.
private func sendDescriptors(_ descriptors: [Int32], to socket: Int32, isClosing: Bool = false) -> Int {
    let sent = unsafe clinux_send_descriptors(socket, "x", 1, descriptors, Int32(descriptors.count))
    if isClosing { for descriptor in descriptors { close(descriptor) } }
    return sent
}

/// A connected TCP socket that lingers: it has bytes that its far end, which stays open, never reads.
private final class LingeringSocket {
    private var ours: Int32 = -1
    private var far: Int32 = -1

    init(seconds: Int32) throws {
        // Programs that other tests start do not keep it open.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = socket(AF_INET, kind, 0)
        try #require(listener >= 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        ours = socket(AF_INET, kind, 0)
        let isConnected = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(ours, address, length) == 0
            }
        }
        try #require(isConnected)
        far = accept(listener, nil, nil)
        try #require(far >= 0)
        let bytes = [UInt8](repeating: 0, count: 65_536)
        while unsafe send(ours, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        var option = linger(l_onoff: 1, l_linger: seconds)
        try #require(
            unsafe setsockopt(ours, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size)) == 0)
    }

    deinit { close(far) }

    /// Hands it over, to be closed by somebody else.
    func take() -> Int32 { ours }
}
