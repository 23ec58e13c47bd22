package import DeviceMessages
package import Foundation

extension Management {
    /// Judges a request that names its enrollment; `signer` is the SHA-256 of the certificate that came with it, `token`
    /// what an enrollment by account shows of its person's sign-in.
    package func judge(
        _ identifier: EnrollmentIdentifier, signer: Data, showing token: String? = nil
    ) async throws -> DeviceVerdict {
        let device = try await judge(identifier, ofDevice: signer, showing: token)
        // A user's channel goes by its device.
        guard identifier.userID != nil, device.value != nil else { return device }
        return try await judge(key: identifier.key, signer: signer)
    }

    /// The same for requests about the device itself, also when one of its users' channels sends them.
    func judge(
        _ identifier: EnrollmentIdentifier, ofDevice signer: Data, showing token: String?
    ) async throws -> DeviceVerdict {
        try await signedIn(judge(key: identifier.id, signer: signer), token)
    }

    /// Judges a request that is known by its certificate alone: an asset download, a wake-up stream.
    package func judge(signer: Data, showing token: String? = nil) async throws -> DeviceVerdict {
        let key = try await contexts.key(signer) { try await store.deviceKey(fingerprint: signer) }
        guard let key else {
            return .refused(.unknownDevice(log: "a certificate that is not pinned to any enrollment"))
        }
        return try await signedIn(judge(key: key, signer: signer), token)
    }

    private func signedIn(_ verdict: DeviceVerdict, _ token: String?) async throws -> DeviceVerdict {
        guard case .accepted(let context) = verdict else { return verdict }
        return try await signInRefusal(of: context, showing: token).map(DeviceVerdict.refused) ?? verdict
    }

    /// The present PushMagic, for the event on a wake-up stream.
    package func pushMagic(of deviceKey: String) async throws -> String? {
        try await context(deviceKey)?.pushMagic
    }

    /// Notes that a device listens on its wake-up stream: it is seen although it asks for nothing.
    package func noteListening(_ deviceKey: String) {
        seen.note(deviceKey, now: now(), writtenEvery: LastSeen.listeningInterval)
    }

    /// Judges by the certificate alone: what a device may do also while its person has to sign in again.
    func judge(key: String, signer: Data) async throws -> DeviceVerdict {
        guard var context = try await context(key) else {
            return .refused(.unknownDevice(log: "a request of an enrollment that is not known"))
        }
        if !context.accepts(signer), let renewed = try await firstUse(of: signer, as: key) { context = renewed }
        guard context.accepts(signer) else {
            return .refused(.mismatch(log: "the certificate is not the one pinned to the enrollment"))
        }
        switch context.state {
        case .withdrawn: return .refused(.withdrawn)
        case .checkedOut: return .refused(.unknownDevice(log: "a request of an enrollment that checked out"))
        case .pending, .enrolled:
            seen.note(key, now: now())
            if context.previousFingerprint != nil, context.fingerprint == signer {
                try await store.retireIdentity(of: key, now: moment)
                contexts.forget(key)
                context.previousFingerprint = nil
            }
            return .accepted(context)
        }
    }

    /// The enrollment after its device went over to this certificate by using it; nothing where it may not.
    private func firstUse(of signer: Data, as key: String) async throws -> DeviceContext? {
        let outcome = try await store.useFirst(signer, as: key, now: moment)
        // Of two requests at once one goes over, and the other finds it done.
        guard outcome.value != nil || outcome.refusal == .present else { return nil }
        contexts.forget(key)
        return try await context(key)
    }

    func context(_ key: String) async throws -> DeviceContext? {
        try await contexts.context(key) { try await store.deviceContext(key: key) }
    }
}

extension DeviceContext {
    /// Whether a certificate speaks for the enrollment: the pinned one, or the one before until the pinned one was used.
    fileprivate func accepts(_ signer: Data) -> Bool { fingerprint == signer || previousFingerprint == signer }
}
