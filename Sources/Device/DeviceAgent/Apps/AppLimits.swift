import Foundation

/// How much of the machine one app may take, with everything that it starts.
package struct AppLimits: Equatable, Sendable {
    /// How many processes and threads it may have at once.
    package let processes: UInt64
    /// How many bytes of memory it may have, where the agent's cgroup has the kernel's memory controller.
    package let memory: UInt64

    /// Far above what large apps use: a browser has some hundred threads.
    package static let usualProcesses: UInt64 = 4_096

    /// What remains lets the agent, and everybody else, go on.
    package static var usualMemory: UInt64 { ProcessInfo.processInfo.physicalMemory / 4 * 3 }

    package init(processes: UInt64 = usualProcesses, memory: UInt64 = usualMemory) {
        self.processes = processes
        self.memory = memory
    }
}
