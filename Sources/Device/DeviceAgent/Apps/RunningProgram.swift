import CLinux
import Foundation

/// The program that a process runs which the agent did not launch.
struct RunningProgram: Equatable {
    /// Where it lies, as this process finds it.
    let path: String
    let identity: FileIdentity
    /// When the process began, in clock ticks since boot.
    let startTime: UInt64

    /// Looks at the process behind a connection; nothing where it has ended or cannot be looked at, or where others could
    /// send messages in its name: the maker of a user namespace may name any process of the process namespaces in it.
    ///
    /// The descriptor outlives the looking: what was seen under the number was this process's.
    init?(of peer: clinux_peer) {
        var file = clinux_file()
        var ticks: UInt64 = 0
        guard unsafe clinux_process_start(peer.pid, &ticks) == 0, unsafe clinux_program_look(peer.pid, &file) == 0,
            let path = Self.path(of: peer.pid), clinux_process_is_in_our_namespace(peer.pid) == 1,
            clinux_process_alive(peer.pidfd) == 1
        else { return nil }
        self.path = path
        identity = FileIdentity(file)
        startTime = ticks
    }

    /// Whether a process still runs it, as the same user.
    func isStillRun(by process: Int32, descriptor: Int32, as user: UInt32?) -> Bool {
        var file = clinux_file()
        var now: UInt32 = 0
        return unsafe clinux_program_look(process, &file) == 0 && FileIdentity(file) == identity
            && clinux_process_user(process, &now) == 0 && now == user && clinux_process_alive(descriptor) == 1
    }

    /// Whether a process runs it although its file was removed, as those of an app are that is managed no more.
    func isRemoved(under process: Int32) -> Bool {
        var file = clinux_file()
        return unsafe clinux_program_look(process, &file) == 0 && identity.isRemoved(as: file)
    }

    /// The file that a process was launched from: what it runs, or what lies at `path` when it has ended already.
    ///
    /// A process that is over shows no program. Who put another file at `path` and the first one back has changed that
    /// one's time of change, and with it its identity.
    static func identity(of process: Int32, launchedFrom path: String) -> FileIdentity? {
        var file = clinux_file()
        guard unsafe clinux_program_look(process, &file) == 0 || clinux_file_look(path, &file) == 0 else { return nil }
        return FileIdentity(file)
    }

    private static func path(of process: Int32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress, unsafe clinux_program_path(process, start, buffer.count) > 0
            else { return nil }
            // A name that is no text is no app's: identifiers and names of programs are.
            return unsafe String(validatingCString: start)
        }
    }
}
