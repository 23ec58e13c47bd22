package import Foundation

/// A push credential as a store keeps it: sealed, with what may be shown of it.
package struct KeptPushCredential: Sendable, Equatable {
    package let topic: String
    /// Whether it is a certificate; a token key otherwise.
    package let isCertificate: Bool
    package let expires: Date?
    package let author: String
    package let uploaded: Date
    package let sealed: SealedSecret

    package init(
        topic: String, isCertificate: Bool, expires: Date?, author: String, uploaded: Date, sealed: SealedSecret
    ) {
        self.topic = topic
        self.isCertificate = isCertificate
        self.expires = expires
        self.author = author
        self.uploaded = uploaded
        self.sealed = sealed
    }
}

/// An enrollment that is woken by Apple's push service.
package struct PushTarget: Sendable, Equatable {
    /// The enrollment's key.
    package let key: String
    /// The device token of its newest TokenUpdate.
    package let token: Data
    package let pushMagic: String

    package init(key: String, token: Data, pushMagic: String) {
        self.key = key
        self.token = token
        self.pushMagic = pushMagic
    }
}

/// How many enrollments are woken by Apple's push service.
package struct PushCounts: Sendable, Equatable {
    /// With a token that counts.
    package let reachable: Int
    /// With a token that the push service refused for good: they come when they connect by themselves.
    package let retired: Int

    package init(reachable: Int, retired: Int) {
        self.reachable = reachable
        self.retired = retired
    }
}

/// What waking by Apple's push service needs to have kept.
///
/// An enrollment of an Apple device is one that is enrolled, sent a push token, and is not spoken for by Martlet's agent.
package protocol PushStore: Sendable {
    func pushCredential() async throws -> KeptPushCredential?
    /// Takes the place of the one before, in one step with the audit log.
    func setPushCredential(_ credential: KeptPushCredential, now: Date) async throws
    /// Answers whether there was one.
    func removePushCredential(author: String, now: Date) async throws -> Bool
    /// Notes in the audit log that the certificate ends within so many days; false where that, or a later warning, was
    /// noted already.
    func notePushWarning(topic: String, days: Int, now: Date) async throws -> Bool

    /// Those of these enrollments that are woken by push.
    func pushTargets(_ keys: [String]) async throws -> [PushTarget]
    /// The enrollments of a group, or of the whole fleet, that are woken by push, by key, behind `after`.
    func pushTargets(inGroup group: String?, after: String, limit: Int) async throws -> [PushTarget]
    /// Notes that the push service refused this token for good; a newer token of the enrollment is not touched.
    ///
    /// Answers whether it did.
    func retirePushToken(_ target: PushTarget, reason: String, now: Date) async throws -> Bool
    func pushCounts() async throws -> PushCounts
}
