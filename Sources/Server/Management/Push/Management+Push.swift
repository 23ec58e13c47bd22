package import Foundation
import InputBounds

/// A push credential as administrators see it: never its key.
package struct PushCredentialRecord: Sendable, Equatable {
    package let topic: String
    package let isCertificate: Bool
    package let expires: Date?
    package let author: String
    package let uploaded: Date
    package let counts: PushCounts
}

/// Waking Apple devices by Apple's push service.
extension Management {
    /// Opens the credential that is kept; to be called before the server serves.
    package func loadPushCredential() async throws {
        guard let kept = try await store.pushCredential() else { return push.set(nil) }
        push.set(try PushSetup(kept: masterKeys.present.open(kept.sealed, secret: PushSetup.sealName, version: 1)))
        // Pushes that were due when the server stopped are sent now, to the devices that are behind.
        push.queue.wakeEveryone()
    }

    package func pushCredential() async throws -> PushCredentialRecord? {
        guard let kept = try await store.pushCredential() else { return nil }
        return PushCredentialRecord(
            topic: kept.topic, isCertificate: kept.isCertificate, expires: kept.expires, author: kept.author,
            uploaded: kept.uploaded, counts: try await store.pushCounts())
    }

    /// Keeps a credential, sealed under the master key, and uses it from now on.
    ///
    /// Enrolled devices hear pushes of the topic in their profile alone. A credential with another topic would silence
    /// them, so it is refused unless `replacesTopic`.
    package func setPushCredential(
        _ setup: PushSetup, replacesTopic: Bool = false, author: String
    ) async throws -> Outcome<PushCredentialRecord, AdminRefusal> {
        if let kept = try await store.pushCredential(), kept.topic != setup.topic, !replacesTopic {
            return .refused(
                .invalid(
                    rule: "The topic is \(setup.topic), and enrolled Apple devices listen to \(kept.topic). Renew the "
                        + "certificate with the Apple account that made it, or replace the topic and enroll these "
                        + "devices again."))
        }
        do {
            try await keepPush(setup, author)
        } catch is MasterKeyReplaced {
            // Another process has begun to wrap under a newer key.
            try masterKeys.reload()
            try await keepPush(setup, author)
        }
        push.set(setup)
        push.queue.wakeEveryone()
        guard let record = try await pushCredential() else { throw PushCredentialLost() }
        return .accepted(record)
    }

    private func keepPush(_ setup: PushSetup, _ author: String) async throws {
        let isCertificate = if case .certificate = setup.credential { true } else { false }
        let sealed = try masterKeys.present.seal(setup.encoded(), secret: PushSetup.sealName, version: 1)
        try await store.setPushCredential(
            KeptPushCredential(
                topic: setup.topic, isCertificate: isCertificate, expires: setup.expires, author: author,
                uploaded: moment, sealed: sealed),
            now: moment)
    }

    package func removePushCredential(author: String) async throws -> AdminRefusal? {
        guard try await store.removePushCredential(author: author, now: moment) else {
            return .unknownPushCredential
        }
        push.set(nil)
        return nil
    }

    /// A warning that the certificate is about to end, or has ended.
    package struct PushWarning: Sendable, Equatable {
        package let topic: String
        package let expires: Date
        /// The threshold that was passed: 60, 30, 7, or 0 after the end.
        package let days: Int
    }

    /// Notes in the audit log that the certificate ends in 60, 30 or 7 days, or has ended: each once.
    ///
    /// Answers with what was noted just now.
    package func notePushWarning() async throws -> PushWarning? {
        guard let setup = push.setup, let expires = setup.expires, let days = setup.warning(now()),
            try await store.notePushWarning(topic: setup.topic, days: days, now: moment)
        else { return nil }
        return PushWarning(topic: setup.topic, expires: expires, days: days)
    }

    /// When the push certificate ends, if there is one.
    package var pushCertificateEnd: Date? { push.setup?.expires }

    // MARK: Sending

    /// Those of these enrollments that the push service wakes.
    package func pushTargets(_ keys: [String]) async throws -> [PushTarget] { try await store.pushTargets(keys) }

    /// The next enrollments of a group, or of the fleet, that the push service wakes, behind `after`, and which of them
    /// have something to fetch.
    package func pushTargetsBehind(
        inGroup group: String? = nil, after: String, limit: Int
    ) async throws -> (behind: [PushTarget], last: String?) {
        let targets = try await store.pushTargets(inGroup: group, after: after, limit: limit)
        var behind: [PushTarget] = []
        for target in targets {
            if let context = try await context(target.key), try await isBehind(context) { behind.append(target) }
        }
        return (behind, targets.last?.key)
    }

    /// The push service refused a token for good: it is not used again, until the device sends a newer one.
    package func retirePushToken(_ target: PushTarget, reason: String) async throws -> Bool {
        try await store.retirePushToken(target, reason: reason, now: moment)
    }
}

/// A credential that was kept a moment ago is gone: somebody removed it at the same time.
package struct PushCredentialLost: Error, Sendable {}
