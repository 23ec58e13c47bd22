package import Foundation

/// Holds the key of a store where a copy of the disk does not find it, and counts what may not be undone.
package protocol StoreGuard: Sendable {
    /// Encrypts the key so that only this guard can decrypt it.
    func seal(_ key: Data) throws -> Data

    func unseal(_ sealed: Data) throws -> Data

    /// How far it has counted; nothing if it never has.
    func count() throws -> UInt64?

    /// Counts on, for good, and says how far.
    func raise() throws -> UInt64
}

/// How far a guard has counted, as the store that it guards knows it.
struct GuardedCount: Sendable {
    private let keeper: any StoreGuard
    private(set) var value: UInt64

    /// What a new store begins with.
    init(beginningWith keeper: any StoreGuard) throws {
        self.keeper = keeper
        value = try keeper.raise()
    }

    /// Goes on from what a generation says, unless it is an older one put back.
    ///
    /// A generation may be one ahead: its commit was cut off before the guard had counted.
    init?(_ keeper: any StoreGuard, from mark: UInt64?, readOnly: Bool) throws {
        guard let mark, let counted = try keeper.count(), mark == counted || mark == counted + 1 else { return nil }
        self.keeper = keeper
        value = mark
        if mark != counted, !readOnly, try keeper.raise() != mark { return nil }
    }

    /// What a generation says that supersedes the ones before it.
    var next: UInt64 { value + 1 }

    /// Makes the generations before worthless; false if somebody else has counted too.
    mutating func raise() throws -> Bool {
        let expected = next
        value = try keeper.raise()
        return value == expected
    }
}
