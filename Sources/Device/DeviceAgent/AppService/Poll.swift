import CLinux
import Foundation

/// Waits for what happens on many descriptors at once.
struct Poll: ~Copyable {
    /// What can be done with a descriptor without waiting.
    struct Readiness: OptionSet {
        let rawValue: UInt32
        static let readable = Self(rawValue: 1)
        static let writable = Self(rawValue: 2)
        static let hungUp = Self(rawValue: 4)
    }

    /// Becomes readable itself when something happens.
    let descriptor: Int32

    init() throws(LinuxFailure) {
        descriptor = try LinuxFailure.check(clinux_epoll_create(), "wait for events")
    }

    deinit {
        close(descriptor)
    }

    func add(_ watched: Int32, _ token: UInt64) throws(LinuxFailure) {
        try LinuxFailure.check(clinux_epoll_add(descriptor, watched, token, 1, 0), "wait for events")
    }

    func change(_ watched: Int32, _ token: UInt64, reading: Bool, writing: Bool) {
        clinux_epoll_change(descriptor, watched, token, reading ? 1 : 0, writing ? 1 : 0)
    }

    func remove(_ watched: Int32) {
        clinux_epoll_remove(descriptor, watched)
    }

    /// Waits until something happens, as long as it takes, or at most so many milliseconds.
    func wait(atMost milliseconds: Int32 = -1, _ happened: (UInt64, Readiness) -> Void) {
        let events = unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { tokens in
            unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { ready -> [(UInt64, Readiness)] in
                guard let first = tokens.baseAddress, let second = ready.baseAddress else { return [] }
                let count = unsafe clinux_epoll_wait(descriptor, first, second, 64, milliseconds)
                return (0..<max(0, Int(count))).map { unsafe (tokens[$0], Readiness(rawValue: ready[$0])) }
            }
        }
        for (token, readiness) in events { happened(token, readiness) }
    }
}

/// A listening socket at a path.
struct Listener: ~Copyable {
    let descriptor: Int32
    private let path: String
    private let closer: DescriptorCloser
    // Of the name that is ours to remove.
    private let identity: [UInt64]?

    /// Listens, taking the place of whatever was at the path; only this user may connect, or everyone.
    ///
    /// A socket that is `handed` over listens there already, and its name is not ours to make or remove. Who connects may
    /// send descriptors only if it `takesDescriptors`, where the kernel can refuse them (Linux 6.16).
    init(
        path: String, handed: Int32? = nil, forEveryone: Bool = false, takesDescriptors: Bool, closer: DescriptorCloser
    ) throws(LinuxFailure) {
        self.path = path
        self.closer = closer
        if let handed {
            try LinuxFailure.check(clinux_take_listener(handed), "take a socket that listens")
            descriptor = handed
            identity = nil
        } else {
            descriptor = try LinuxFailure.check(unsafe clinux_listen(path, forEveryone ? 0o666 : 0o600), "listen")
            identity = Self.identity(path)
        }
        if !takesDescriptors { clinux_take_no_descriptors(descriptor) }
    }

    // Connections that nobody has taken end with it.
    deinit {
        closer.close(descriptor)
    }

    /// Removes the path, unless another has taken the place.
    func remove() {
        if identity != nil, Self.identity(path) == identity { unsafe unlink(path) }
    }

    private static func identity(_ path: String) -> [UInt64]? {
        // Through Foundation: which module defines `stat` depends on what else a target imports.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let device = attributes[.systemNumber] as? NSNumber, let file = attributes[.systemFileNumber] as? NSNumber
        else { return nil }
        return [device.uint64Value, file.uint64Value]
    }
}
