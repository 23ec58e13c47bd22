import Synchronization

extension Road {
    /// Has a process end with the road.
    func keep(_ process: RunningProcess) {
        processes.withLock { $0.append(process) }
    }
}
