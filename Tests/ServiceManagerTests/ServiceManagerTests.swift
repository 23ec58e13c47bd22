import Foundation
import ServiceManager
import Testing

/// What systemd is told, as a socket of ours hears it.
struct ServiceManagerTests {
    @Test func eachWordIsADatagram() async throws {
        for isFile in [true, false] {
            let manager = try PlayedManager(isFile: isFile)
            let service = try #require(ServiceManager(["NOTIFY_SOCKET": manager.name]))
            for word in [ServiceManager.Word.ready, .alive, .stopping] {
                #expect(service.say(word))
                #expect(try await manager.hear() == word.rawValue)
            }
        }
    }

    @Test func withoutAManagerThereIsNobodyToTell() {
        let long = "/" + String(repeating: "x", count: 200)
        for environment in [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": long]] {
            #expect(ServiceManager(environment) == nil)
        }
        #expect(ServiceManager(["NOTIFY_SOCKET": "/nonexistent/socket"])?.say(.ready) == false)
    }

    @Test func aWatchdogOfAnotherProcessIsNotOurs() {
        func patience(_ environment: [String: String]) -> Duration? {
            ServiceManager(environment.merging(["NOTIFY_SOCKET": "/a"]) { $1 }, process: 7)?.patience
        }
        #expect(patience(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"]) == .seconds(3))
        #expect(patience(["WATCHDOG_USEC": "3000000"]) == .seconds(3))
        #expect(patience(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(patience(["WATCHDOG_USEC": "x"]) == nil && patience([:]) == nil)
    }

    /// A process that hangs is restarted because it says nothing.
    @Test func onlyWhoIsAliveSaysSo() async throws {
        let manager = try PlayedManager(isFile: true)
        let service = try #require(
            ServiceManager(["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000"]))
        let silent = Task { await service.keepSaying { false } }
        #expect(try await manager.hear(within: .milliseconds(100)) == nil)
        silent.cancel()
        let alive = Task { await service.keepSaying() }
        for _ in 0..<2 { #expect(try await manager.hear() == "WATCHDOG=1") }
        alive.cancel()
        await alive.value
    }
}

/// A socket that hears datagrams.
private final class PlayedManager {
    let name: String
    private let descriptor: Int32

    init(isFile: Bool) throws {
        name = isFile ? "\(NSTemporaryDirectory())/n-\(UUID().uuidString.prefix(8))" : "@martlet-\(UUID().uuidString)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: Array(name.utf8))
            if !isFile { unsafe place[0] = 0 }
        }
        let length = socklen_t(2 + name.utf8.count)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit {
        close(descriptor)
        unsafe unlink(name)
    }

    /// The next datagram; who waits here leaves the thread to whoever is to say it.
    func hear(within patience: Duration = .seconds(240)) async throws -> String? {
        let deadline = ContinuousClock.now + patience
        while true {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return String(decoding: bytes.prefix(count), as: UTF8.self) }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
