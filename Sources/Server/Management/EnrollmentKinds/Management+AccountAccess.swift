import Foundation

extension Management {
    /// What is shown is longer than anything this server gave out.
    private static let longestToken = 1_024

    /// Makes the person of a device sign in again: until then the device gets nothing new, and keeps what it has.
    package func endAccess(of device: String, author: String) async throws -> AdminRefusal? {
        let refusal = try await store.endAccess(of: device, author: author, now: moment)
        contexts.forget(device)
        // It is to hear of it now, not when it looks by itself.
        wakeHub.wake(device)
        return refusal
    }

    /// Whether the person of a device has to sign in again before it is served.
    package func needsSignIn(_ device: Device) -> Bool {
        device.access.map { !$0.counts(at: now(), lifetime: settings.signInLifetime) } ?? false
    }

    /// Nothing when a device that came by an account shows that its person is signed in.
    ///
    /// What a person was given by signing in again is bound to the device by which it is first shown.
    func signInRefusal(of context: DeviceContext, showing token: String?) async throws -> DeviceRefusal? {
        guard let access = context.access else { return nil }
        let shown = token.flatMap { $0.utf8.count <= Self.longestToken ? Self.digest($0) : nil }
        if access.admits(shown, at: now(), lifetime: settings.signInLifetime) { return nil }
        // A look first: a device that waits for its person asks again and again.
        guard let shown, shown != access.digest, try await store.enrollmentCode(digest: shown)?.state == .unused,
            try await store.renewAccess(of: context.key, digest: shown, now: moment)
        else { return .signInNeeded }
        contexts.forget(context.key)
        return nil
    }
}
