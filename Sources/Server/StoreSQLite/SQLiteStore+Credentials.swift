package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func assignedSecret(_ name: String, version: Int, to device: String) async throws -> AssignedSecret? {
        try await read { db in
            guard let device = try Self.device(device, db), try Self.isAssigned(name, version, to: device, db),
                let kept = try Self.kept(name, version, for: device, db)
            else { return nil }
            return AssignedSecret(kept: kept, device: device, person: try Self.person(ofDevice: device.id, db))
        }
    }

    package func recordRelease(
        of name: String, version: Int, owner: SecretOwner?, to device: String, now: Foundation.Date
    ) async throws -> Bool {
        try await write { db in
            guard let device = try Self.device(device, db), try Self.isAssigned(name, version, to: device, db),
                try Self.ownSecrets(of: device.id, amongNames: Self.text(of: [name]), db)[name]?.owner == owner
            else { return false }
            try Self.audit(
                .releaseSecret, name, ["version": .integer(Int64(version))], by: .device(device.id), db, now: now)
            return true
        }
    }

    /// The same rule makes manifests, so a device gets what its declarations name and nothing else.
    private static func isAssigned(_ name: String, _ version: Int, to device: Device, _ db: Database) throws -> Bool {
        try !places(of: name, version, on: device, db).isEmpty
    }

    /// Which apps of a device find a version of a secret now, and under which identifiers; none when it may not have it.
    static func places(of name: String, _ version: Int, on device: Device, _ db: Database) throws -> [String] {
        guard device.state == .enrolled else { return [] }
        let own = try ownSecrets(of: device.id, amongNames: text(of: [name]), db)[name]
        return try assignmentSnapshot(device.groups, db).effective.flatMap { entry in
            entry.secrets.filter { $0.secret == name && (own?.version ?? $0.version) == version }.map { secret in
                [entry.app.bundleIdentifier, secret.place.extension, secret.place.identifier].compactMap { $0 }
                    .joined(separator: "/")
            }
        }
    }

    /// The value that counts for the device, if it is of that version.
    private static func kept(
        _ name: String, _ version: Int, for device: Device, _ db: Database
    ) throws -> KeptSecret? {
        var choice = try keptValues(of: name, forDevice: device.id, db)
        choice.common = try Row.fetchOne(
            db,
            sql: """
                SELECT master_key, wrapped_key, sealed FROM secret_version
                WHERE secret = ? AND version = ? AND sealed IS NOT NULL
                """,
            arguments: [name, version]
        ).map { KeptSecret(name: name, version: version, secret: sealed($0)) }
        guard let kept = choice.effective, kept.version == version else { return nil }
        return kept
    }
}
