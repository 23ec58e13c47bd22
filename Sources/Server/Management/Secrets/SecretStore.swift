package import Foundation

/// A new version of a secret, already judged; its value is sealed once its number is known.
package struct SecretDraft: Sendable {
    package let name: String
    package let kind: Secret.Kind
    package let description: SecretDescription
    package let author: String
    package let now: Date
    package let seal: @Sendable (_ version: Int) throws -> SealedSecret

    package init(
        name: String, kind: Secret.Kind, description: SecretDescription, author: String, now: Date,
        seal: @escaping @Sendable (_ version: Int) throws -> SealedSecret
    ) {
        self.name = name
        self.kind = kind
        self.description = description
        self.author = author
        self.now = now
        self.seal = seal
    }
}

/// A secret's value as it is kept, with its place.
package struct KeptSecret: Sendable, Equatable {
    package let name: String
    package let version: Int
    /// The device or the person whose value it is; nothing when it is for all.
    package let owner: SecretOwner?
    package let secret: SealedSecret

    package init(name: String, version: Int, owner: SecretOwner? = nil, secret: SealedSecret) {
        self.name = name
        self.version = version
        self.owner = owner
        self.secret = secret
    }
}

/// A secret's value as it is kept, and the device that may have it.
package struct AssignedSecret: Sendable, Equatable {
    package let kept: KeptSecret
    package let device: Device
    /// The person who has the device.
    package let person: Person?

    package init(kept: KeptSecret, device: Device, person: Person? = nil) {
        self.kept = kept
        self.device = device
        self.person = person
    }
}

/// What was sealed under a master key that has been replaced meanwhile: nothing was written, seal again.
package struct MasterKeyReplaced: Error, Sendable {
    package init() {}
}

/// Secrets, as a store keeps them.
package protocol SecretStore: Sendable {
    /// Adds a version if the expected one is present. The value of the version before is forgotten, its description
    /// stays; the history keeps the newest `keeping` versions. Versions of a name count on forever.
    /// Throws `MasterKeyReplaced` if the value comes sealed under another master key than the store's.
    func putSecret(
        _ draft: SecretDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<Changed<Secret>, AdminRefusal>
    /// Adds a version in which single devices, or people, have other values, if the expected one is present. The value
    /// for all stays, and so does what others had of their own. Nothing is written when nothing changes.
    /// Throws `MasterKeyReplaced` as `putSecret` does, and `UnknownSecretOwner` for a person who is not known.
    func putSecretValues(
        _ draft: SecretValuesDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal>
    /// The kept values of single devices, or people, as far as they have one.
    func secretValues(of name: String, owners: SecretOwner.Kind, named names: [String]) async throws -> [KeptSecret]
    func secret(named name: String) async throws -> Secret?
    func secrets(_ page: PageRequest) async throws -> Page<Secret>
    /// The kept versions, newest first.
    func secretVersions(of name: String, _ page: PageRequest) async throws -> Outcome<Page<SecretVersion>, AdminRefusal>
    /// Removes a secret that is assigned nowhere.
    func removeSecret(
        named name: String, expected: ExpectedVersion, author: String, now: Date
    ) async throws -> AdminRefusal?

    /// Puts a secret in its place, for an app that is assigned to the group; another secret there makes room.
    func assignSecret(
        _ name: String, to slot: SecretSlot, author: String, now: Date
    ) async throws -> Outcome<Changed<SecretAssignment>, AdminRefusal>
    func unassignSecret(
        from slot: SecretSlot, author: String, now: Date
    ) async throws -> Outcome<Changed<SecretAssignment>, AdminRefusal>
    func secretAssignments(_ filter: SecretAssignmentFilter, _ page: PageRequest) async throws -> Page<SecretAssignment>

    /// A secret for a device that is enrolled and to which this very version is assigned at this moment.
    func assignedSecret(_ name: String, version: Int, to device: String) async throws -> AssignedSecret?
    /// Writes down that the device gets the value of this owner, or the one for all; false, and nothing written, if
    /// that version is not assigned to it any more, or another owner's value counts for it now: the values of two
    /// people may be of one version.
    func recordRelease(
        of name: String, version: Int, owner: SecretOwner?, to device: String, now: Date
    ) async throws -> Bool

    /// The name of the master key under which new values are wrapped; nothing before the first.
    func masterKeyID() async throws -> String?
    /// The names of all master keys under which something is wrapped.
    func masterKeyIDsInUse() async throws -> Set<String>
    /// The names of all master keys that the store asks for: those, and the one under which new values are wrapped.
    func masterKeyIDsOnRecord() async throws -> Set<String>
    /// What these master keys do not open.
    func lockedSecrets(keys: Set<String>) async throws -> LockedSecrets
    /// Forgets the values that these master keys do not open, and the keys that are missing; names, versions and
    /// assignments stay. Webhooks that lose their secret are disabled. Each is in the audit log.
    func forgetLockedSecrets(keys: Set<String>, now: Date) async throws -> LockedSecrets
    /// From now on only what is wrapped under this key is taken.
    func setMasterKey(id: String, now: Date) async throws
    /// Values that are wrapped under another key than this.
    func secretsToRewrap(under id: String, limit: Int) async throws -> [KeptSecret]
    /// Replaces wrapped keys, each only if it is still the one that was read.
    func rewrap(_ secrets: [(old: KeptSecret, new: SealedSecret)]) async throws
}
