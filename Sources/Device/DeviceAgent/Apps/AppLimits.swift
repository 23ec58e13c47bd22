import Foundation

/// How much of the machine one app may take, with everything that it starts.
package struct AppLimits: Equatable, Sendable {
    /// How many processes and threads it may have at once.
    package let processes: UInt64
    /// How many bytes of memory it may have, where the agent's cgroup has the kernel's memory controller.
    package let memory: UInt64
    /// How many files each of its processes may have open; as many as the agent began with if there is no number.
    package let openFiles: UInt64?
    /// The size, in bytes, of the largest file that it may write; the agent's own bound if there is no number.
    package let fileSize: UInt64?

    /// Far above what large apps use: a browser has some hundred threads.
    package static let usualProcesses: UInt64 = 4_096

    /// What remains lets the agent, and everybody else, go on.
    package static var usualMemory: UInt64 { ProcessInfo.processInfo.physicalMemory / 4 * 3 }

    package init(
        processes: UInt64 = usualProcesses, memory: UInt64 = usualMemory, openFiles: UInt64? = nil,
        fileSize: UInt64? = nil
    ) {
        self.processes = processes
        self.memory = memory
        self.openFiles = openFiles
        self.fileSize = fileSize
    }
}
