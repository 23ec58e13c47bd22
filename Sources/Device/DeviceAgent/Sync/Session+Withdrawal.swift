import Foundation

/// Keeps what a synchronization has made, and takes away what it has not.
extension Session {
    /// Makes what was made of a set of declarations the generation that serves; without a disk that takes it, what is
    /// withdrawn is withdrawn nevertheless.
    func keep(
        _ applied: Applied, of set: SyncMachine.DeclarationSet, _ contents: [String: Data], in previous: Applied
    ) throws {
        // What was withdrawn is gone at once, also a secret whose value is another now.
        var before = device.known
        before.applied = previous
        let forgets =
            !previous.secretDigests.isSubset(of: applied.secretDigests)
            || DeviceSystems.all.contains { $0.takesBack(from: before, in: applied) }
        let withdraws = previous.within(applied) != previous
        if withdraws {
            // Before the disk is asked, which an app may have filled.
            device.serve(within: applied)
            publish()
        }
        do {
            try device.change(contents: contents, forgetting: forgets) { state in
                state.declarations.token = set.token
                state.declarations.all = set.declarations
                state.hold(applied)
            }
        } catch {
            // The withdrawal alone brings no new contents: it may find room where the whole does not.
            if withdraws {
                try? device.change(forgetting: true) { state in
                    // The app itself goes, and makes room.
                    state.hold(state.applied.within(applied))
                }
            }
            throw error
        }
        device.serve(within: nil)
    }
}
