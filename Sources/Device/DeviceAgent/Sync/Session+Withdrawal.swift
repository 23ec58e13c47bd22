import Foundation

/// Keeps what a synchronization has made, and takes away what it has not.
extension Session {
    /// Makes what was made of a set of declarations the generation that serves; without a disk that takes it, what is
    /// withdrawn is withdrawn nevertheless.
    func keep(
        _ applied: Applied, of set: SyncMachine.DeclarationSet, _ contents: [String: Data], in previous: Applied
    ) throws {
        // What was withdrawn is gone at once, also a secret whose value is another now.
        let forgets =
            previous.apps.contains { bundle, app in
                applied.apps[bundle].map { app.hasMore(than: $0) } ?? true
            } || !previous.secretDigests.isSubset(of: applied.secretDigests)
            || device.known.commanded.contains { $0.value.configuration != nil && applied.apps[$0.key] != nil }
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
                state.applied = applied
                state.reports = state.reports.filter { applied.apps[$0.value.bundleIdentifier] != nil }
                state.settle(hasOtherTeams: applied.teams != previous.teams)
            }
        } catch {
            // The withdrawal alone brings no new contents: it may find room where the whole does not.
            if withdraws {
                try? device.change(forgetting: true) { state in
                    state.applied = state.applied.within(applied)
                    // The app itself goes, and makes room.
                    state.settle()
                }
            }
            throw error
        }
        device.serve(within: nil)
    }
}
