import Crypto
package import Foundation

/// Values of one secret for single devices, or people, sealed under the data key of one version.
package struct SealedOwnValues: Sendable, Equatable {
    package let masterKeyID: String
    package let wrappedKey: Data
    /// Nonce, ciphertext and tag of each, by the name of the device or person.
    package let sealed: [String: Data]

    package init(masterKeyID: String, wrappedKey: Data, sealed: [String: Data]) {
        self.masterKeyID = masterKeyID
        self.wrappedKey = wrappedKey
        self.sealed = sealed
    }
}

/// New values for single devices, or people, already judged; they are sealed once the number of their version is known.
package struct SecretValuesDraft: Sendable {
    package let name: String
    package let kind: Secret.Kind
    /// Whether devices or people are named.
    package let owners: SecretOwner.Kind
    /// Those that keep or get a value: serial numbers of devices, or user names of people.
    package let names: [String]
    /// Those whose value is another now.
    package let changed: [String]
    /// Devices, or people, that are not named lose their value.
    package let replaces: Bool
    /// The variables in what may be shown of the values.
    package let variables: [String]
    package let author: String
    package let now: Date
    package let seal: @Sendable (_ version: Int) throws -> SealedOwnValues

    package init(
        name: String, kind: Secret.Kind, owners: SecretOwner.Kind, names: [String], changed: [String], replaces: Bool,
        variables: [String], author: String, now: Date,
        seal: @escaping @Sendable (_ version: Int) throws -> SealedOwnValues
    ) {
        self.name = name
        self.kind = kind
        self.owners = owners
        self.names = names
        self.changed = changed
        self.replaces = replaces
        self.variables = variables
        self.author = author
        self.now = now
        self.seal = seal
    }
}

/// The result of setting values for single devices, or people: their numbers only, not the values.
package struct SecretValuesChange: Sendable, Equatable {
    package let secret: Secret
    /// Whether devices or people are counted.
    package let owners: SecretOwner.Kind
    package let set: Int
    package let removed: Int
    /// All devices, or people, that have a value now.
    package let total: Int
    /// The enrollments whose value is another now.
    package let devices: [ConcernedDevice]
    /// Where the secret is assigned.
    package let groups: [String]

    package init(
        secret: Secret, owners: SecretOwner.Kind, set: Int, removed: Int, total: Int, devices: [ConcernedDevice] = [],
        groups: [String] = []
    ) {
        self.secret = secret
        self.owners = owners
        self.set = set
        self.removed = removed
        self.total = total
        self.devices = devices
        self.groups = groups
    }
}

extension MasterKeys {
    /// Seals values for one version of one secret; each opens for its own device or person only.
    func seal(
        _ values: [String: Data], of owners: SecretOwner.Kind, secret name: String, version: Int
    ) throws -> SealedOwnValues {
        let dataKey = SymmetricKey(size: .bits256)
        return SealedOwnValues(
            masterKeyID: current.id, wrappedKey: try wrap(dataKey, name, version),
            sealed: try values.reduce(into: [:]) { all, entry in
                let place = Self.place(name, version, SecretOwner(owners, named: entry.key))
                let box = try AES.GCM.seal(entry.value, using: dataKey, authenticating: place)
                guard let sealed = box.combined else { throw SealRefusal.damaged }
                all[entry.key] = sealed
            })
    }

    /// Opens a value as it is kept, be it for one device, one person or for all.
    package func open(_ kept: KeptSecret) throws -> Data {
        let dataKey = try unwrap(kept.secret, kept.name, kept.version)
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: kept.secret.sealed), using: dataKey,
                authenticating: Self.place(kept.name, kept.version, kept.owner))
        } catch {
            throw SealRefusal.damaged
        }
    }
}
