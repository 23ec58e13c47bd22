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
        return try await manifestToken(of: device) != device.told.token
    }
}
