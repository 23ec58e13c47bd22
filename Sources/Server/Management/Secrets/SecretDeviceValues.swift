import Crypto
package import Foundation
import InputBounds

/// Values of one secret for single devices, sealed under the data key of one version.
package struct SealedDeviceValues: Sendable, Equatable {
    package let masterKeyID: String
    package let wrappedKey: Data
    /// Nonce, ciphertext and tag of each, by serial number.
    package let sealed: [String: Data]

    package init(masterKeyID: String, wrappedKey: Data, sealed: [String: Data]) {
        self.masterKeyID = masterKeyID
        self.wrappedKey = wrappedKey
        self.sealed = sealed
    }
}

/// New values for single devices, already judged; they are sealed once the number of their version is known.
package struct SecretValuesDraft: Sendable {
    package let name: String
    package let kind: Secret.Kind
    /// The devices that keep or get a value, by serial number.
    package let serials: [String]
    /// Those whose value is another now.
    package let changed: [String]
    /// Devices that are not named lose their value.
    package let replaces: Bool
    /// The variables in what may be shown of the values.
    package let variables: [String]
    package let author: String
    package let now: Date
    package let seal: @Sendable (_ version: Int) throws -> SealedDeviceValues

    package init(
        name: String, kind: Secret.Kind, serials: [String], changed: [String], replaces: Bool, variables: [String],
        author: String, now: Date, seal: @escaping @Sendable (_ version: Int) throws -> SealedDeviceValues
    ) {
        self.name = name
        self.kind = kind
        self.serials = serials
        self.changed = changed
        self.replaces = replaces
        self.variables = variables
        self.author = author
        self.now = now
        self.seal = seal
    }
}

/// The result of setting values for single devices: their numbers only, not the values.
package struct SecretValuesChange: Sendable, Equatable {
    package let secret: Secret
    package let set: Int
    package let removed: Int
    /// All devices that have a value now.
    package let total: Int
    /// The enrollments whose value is another now.
    package let devices: [ConcernedDevice]
    /// Where the secret is assigned.
    package let groups: [String]

    package init(
        secret: Secret, set: Int, removed: Int, total: Int, devices: [ConcernedDevice] = [], groups: [String] = []
    ) {
        self.secret = secret
        self.set = set
        self.removed = removed
        self.total = total
        self.devices = devices
        self.groups = groups
    }
}

extension MasterKeys {
    /// Seals values for one version of one secret, each for one device: elsewhere none opens.
    func seal(_ values: [String: Data], secret name: String, version: Int) throws -> SealedDeviceValues {
        let dataKey = SymmetricKey(size: .bits256)
        return SealedDeviceValues(
            masterKeyID: current.id, wrappedKey: try wrap(dataKey, name, version),
            sealed: try values.reduce(into: [:]) { all, entry in
                let box = try AES.GCM.seal(
                    entry.value, using: dataKey, authenticating: Self.place(name, version, entry.key))
                guard let sealed = box.combined else { throw SealRefusal.damaged }
                all[entry.key] = sealed
            })
    }

    /// Opens a value as it is kept, be it for one device or for all.
    package func open(_ kept: KeptSecret) throws -> Data {
        let dataKey = try unwrap(kept.secret, kept.name, kept.version)
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: kept.secret.sealed), using: dataKey,
                authenticating: Self.place(kept.name, kept.version, kept.serial))
        } catch {
            throw SealRefusal.damaged
        }
    }
}

/// Reads values for single devices out of a table: `serialNumber`, `password`, and `userName` if there is one.
struct SecretValueTable: Sendable {
    let values: [String: SecretValue]
    /// The variables in the user names.
    let variables: [String]

    init(parsing data: Data) throws(CSVRefusal) {
        let table = try CSVTable(parsing: data, limits: .adminTable)
        var columns: [String: Int] = [:]
        for (index, name) in table.header.enumerated() {
            guard ["serialNumber", "password", "userName"].contains(name) else {
                throw CSVRefusal(
                    line: 1, column: index + 1, rule: "the columns are serialNumber, password and, if need be, userName"
                )
            }
            columns[name] = index
        }
        guard let serialColumn = columns["serialNumber"], let passwordColumn = columns["password"] else {
            throw CSVRefusal(line: 1, rule: "the columns serialNumber and password are needed")
        }
        var values: [String: SecretValue] = [:]
        var variables: Set<String> = []
        for row in table.rows {
            let serial = row.fields[serialColumn]
            if let rule = NameRule.serialNumber.brokenRule(by: serial) {
                throw CSVRefusal(line: row.line, column: serialColumn + 1, rule: "a serial number \(rule)")
            }
            let userName = columns["userName"].flatMap { row.fields[$0].isEmpty ? nil : row.fields[$0] }
            let value = SecretValue.password(userName: userName, password: row.fields[passwordColumn])
            do {
                variables.formUnion(try SecretCheck(value).description.variables ?? [])
            } catch {
                // Only the user name and the password can be wrong, and an empty user name is none.
                let isPassword = row.fields[passwordColumn].isEmpty || userName == nil
                throw CSVRefusal(
                    line: row.line, column: (isPassword ? passwordColumn : columns["userName"] ?? 0) + 1,
                    rule: Self.rule(error))
            }
            guard values.updateValue(value, forKey: serial) == nil else {
                throw CSVRefusal(
                    line: row.line, column: serialColumn + 1, rule: "an earlier line has the same serial number")
            }
        }
        self.values = values
        self.variables = variables.sorted()
    }

    private static func rule(_ refusal: AdminRefusal) -> String {
        let reason = refusal.reason
        return reason.prefix(1).lowercased()
            + (reason.hasSuffix(".") ? reason.dropFirst().dropLast() : reason.dropFirst())
    }
}
