import Foundation

/// The service manager that started this process, if one did: it is told by systemd's protocol, one datagram for each word.
package struct ServiceManager: Sendable {
    /// What it is told.
    package enum Word: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        /// What can be taken over while it runs is being read anew.
        case reloading = "RELOADING=1"
        /// The process still does its work.
        case alive = "WATCHDOG=1"
    }

    private let path: String

    /// How often it wants to hear that the process is alive, at least; nothing if it does not watch.
    package let patience: Duration?

    /// The manager that the environment names, if it does.
    package init?(_ environment: [String: String], process: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count < Self.longestPath
        else { return nil }
        self.path = path
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        patience = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Says a word; whether it was taken.
    ///
    /// A manager that does not listen keeps nobody from working.
    @discardableResult
    package func say(_ word: Word) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: name)
            // A name that is no file begins with NUL.
            if name.first == UInt8(ascii: "@") { unsafe place[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let text = Array(word.rawValue.utf8)
        let sent = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
        return sent == text.count
    }

    /// Says that the process is alive, twice as often as is wanted, as long as `isAlive` says so; ends with its task.
    package func keepSaying(while isAlive: @Sendable () async -> Bool = { true }) async {
        guard let patience else { return }
        while !Task.isCancelled {
            if await isAlive() { say(.alive) }
            try? await Task.sleep(for: patience / 2)
        }
    }

    // What a socket's address holds.
    private static let longestPath = 108
}
