extension Management {
    /// Opens a device's wake-up stream.
    ///
    /// If something waits for the device already, the first signal comes at once.
    package func subscribe(_ device: DeviceContext) async throws -> AsyncStream<Void> {
        let stream = wakeHub.subscribe(device.key, groups: device.groups)
        // What changed before the subscription is found here, what changes after it is signalled: nothing is lost.
        guard let present = try await context(device.key) else { return stream }
        if present.groups != device.groups { wakeHub.moved(device.key, to: present.groups) }
        if try await isBehind(present) { wakeHub.wake(device.key) }
        return stream
    }

    /// Whether the device has a command waiting or was not told of its present declarations.
    package func isBehind(_ device: DeviceContext) async throws -> Bool {
        if device.hasOpenCommands { return true }
        return try await hasOtherDeclarations(device)
    }

    /// Whether the declarations that the device was last notified of are not its present ones, or what is withheld from
    /// it has changed, which the server records when the device connects.
    private func hasOtherDeclarations(_ device: DeviceContext) async throws -> Bool {
        let brief = try await manifestBrief(of: device)
        return brief.token != device.told.token || brief.withheldApps != device.withheldApps
    }

    /// Forgets the manifests of these groups, and wakes those of their devices that are given something else now.
    ///
    /// Called after the change is on disk. A device for which that cannot be found out is woken, and asks.
    func announceOutcomes(in groups: [String]) {
        guard !groups.isEmpty else { return }
        manifests.forget(groups: groups)
        wakeHub.changed(groups: groups) { [self] key in
            do {
                guard let device = try await context(key) else { return false }
                return try await hasOtherDeclarations(device)
            } catch {
                return true
            }
        }
    }
}
