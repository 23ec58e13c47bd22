import CLinux
import Foundation
import Logging

/// Where an app's developer tries it, it need not be launched here: a build tool or a script may start it.
extension AppServiceLoop {
    /// Takes in a process of this very user as the app that is being developed; anybody else is a stranger here, too.
    func welcome(_ descriptor: Int32, _ peer: clinux_peer, as app: AppBundle, speaking use: AppConnection.Use) {
        var ticks: UInt64 = 0
        // The descriptor is alive after the start time was read: number and time are of one process.
        guard peer.uid == geteuid(), unsafe clinux_process_start(peer.pid, &ticks) == 0,
            clinux_process_alive(peer.pidfd) == 1
        else {
            return turnAway(
                descriptor, peer, .stranger, "a process of another user was refused: this app is being developed",
                speaking: use)
        }
        // No user that nobody else is: it is trusted as what shares its user.
        let record = LaunchRecord(
            bundleIdentifier: app.identifier, role: app.role, process: peer.pid, startTime: ticks, boot: "")
        guard let process = add(AppProcess(record: record, descriptor: peer.pidfd)) else {
            context.closer.close(descriptor)
            return
        }
        connect(descriptor, of: process, isByNumber: peer.by_number != 0, speaking: use)
    }
}
