package import Foundation
package import Logging

/// Has the machine do what commands asked for, once the server has their answers.
package struct ActionsAtWork: Sendable {
    /// What still waits is looked at again after this time.
    private static let rest = Duration.seconds(10)

    private let device: Device
    private let bell: InstallBell
    private let now: @Sendable () -> Date
    private let room = DiskRoom()
    private let log: Logger

    /// `bell` rings when an answer may have reached the server.
    package init(device: Device, bell: InstallBell, now: @escaping @Sendable () -> Date, log: Logger) {
        self.device = device
        self.bell = bell
        self.now = now
        self.log = log
    }

    /// Works until the task is cancelled.
    package func run() async {
        bell.ring()
        var retry: Task<Void, Never>?
        for await _ in bell.listen() {
            let isDone = await pass()
            guard !Task.isCancelled else { break }
            retry?.cancel()
            retry = isDone ? nil : Task { if (try? await Task.sleep(for: Self.rest)) != nil { bell.ring() } }
        }
        retry?.cancel()
    }

    /// Does what is due; says whether nothing is left to be done.
    @discardableResult
    package func pass() async -> Bool {
        guard !device.known.pendingActions.isEmpty else { return true }
        do {
            return try await room.run { try settle() }
        } catch is CancellationError {
            return false
        } catch {
            log.error("what a command asks of this machine could not be kept", metadata: ["why": "\(error)"])
            return false
        }
    }

    private func settle() throws -> Bool {
        let machine = device.machine
        let boot = machine.flatMap { try? $0.boot() }
        let moment = now()
        for one in try device.change({ $0.dropActions(boot: boot, now: moment) }) {
            log.notice(
                "a command to this machine is done with: it has restarted since, may not do it any more, or it is too late",
                metadata: ["type": "\(one.action.rawValue)"])
        }
        let state = device.known
        var isDone = true
        for pending in state.pendingActions {
            let isDelivered = state.commands.isDelivered(pending.command)
            guard let machine, pending.step(boot: boot, isDelivered: isDelivered, at: moment) == .act else {
                isDone = false
                continue
            }
            do {
                log.notice("a command has this machine \(pending.action.participle)")
                try machine.perform(pending.action)
            } catch {
                isDone = false
                log.error(
                    "this machine could not be \(pending.action.participle) and is asked again",
                    metadata: ["why": "\(error)"])
                continue
            }
            // Not before: an agent that ends in between asks again, which a machine that is on its way down refuses.
            try device.change { $0.pendingActions.removeAll { $0 == pending } }
        }
        return isDone
    }
}
