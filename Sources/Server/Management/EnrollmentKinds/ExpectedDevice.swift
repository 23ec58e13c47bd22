package import Foundation
import InputBounds

/// A device that an administrator expects: it enrolls once, without a code.
package struct ExpectedDevice: Sendable, Equatable {
    package let serialNumber: String
    package let group: String
    /// By what the device is known: the SHA-256 of its chip's endorsement key (SubjectPublicKeyInfo); nothing where the
    /// administrator trusts the first device that claims the serial number.
    package let chip: Data?
    /// The device is to wait in its setup until its apps and configurations are there.
    package let awaitsConfiguration: Bool
    package let author: String
    package let created: Date
    /// When a device came and was let in: another one is not.
    package let used: Date?
    /// Whether its author may give secrets; otherwise it leads into no group that gives one.
    package let reachesSecrets: Bool

    package init(
        serialNumber: String, group: String, chip: Data?, awaitsConfiguration: Bool = false, author: String,
        created: Date, used: Date? = nil, reachesSecrets: Bool = true
    ) {
        self.reachesSecrets = reachesSecrets
        self.serialNumber = serialNumber
        self.group = group
        self.chip = chip
        self.awaitsConfiguration = awaitsConfiguration
        self.author = author
        self.created = created
        self.used = used
    }

    /// A device that asked has its certificate in minutes; it may ask again.
    package static let rightSeconds: TimeInterval = 1_800
    /// Rights that are open at once for one device, the newest: others may ask in its name, and get nothing more by it.
    package static let openRights = 64
}

extension ExpectedDevice {
    package static let chipRule =
        "A chip is named by the SHA-256 of its endorsement key, 64 hexadecimal digits."

    private static let nameRule = NameRule(.visible, upTo: 64)

    static func isSerialNumber(_ text: String) -> Bool { nameRule.takes(text) }

    /// The rule that a serial number breaks by which no device can be expected.
    static func rule(brokenBy serialNumber: String) -> String? {
        nameRule.brokenRule(by: serialNumber)
            ?? ReservedNames.rule(brokenBy: serialNumber, ReservedNames.ofExpectedDevices)
    }

    /// Reads by what a chip is known.
    package static func chip(_ text: String) -> Data? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}

/// What an import of expected devices came to.
package struct ExpectedDevicesChange: Sendable, Equatable {
    package var added = 0
    package var changed = 0
    package var unchanged = 0
    /// Devices that came already: a table that is read once more does not let others in under their names.
    package var came = 0

    package init(added: Int = 0, changed: Int = 0, unchanged: Int = 0, came: Int = 0) {
        self.added = added
        self.changed = changed
        self.unchanged = unchanged
        self.came = came
    }
}

/// Expected devices, as a store keeps them.
package protocol ExpectedDeviceStore: Sendable {
    /// Expects devices, all or none; one that was expected before is expected anew.
    func putExpectedDevices(_ devices: [ExpectedDevice]) async throws -> AdminRefusal?
    /// Expects devices, all or none, in one transaction: what the table decides for what is expected then.
    func importExpectedDevices(
        _ table: ExpectedDevicesImport
    ) async throws -> Outcome<ExpectedDevicesChange, AdminRefusal>
    func expectedDevice(serialNumber: String) async throws -> ExpectedDevice?
    /// By serial number.
    func expectedDevices(_ page: PageRequest) async throws -> Page<ExpectedDevice>
    func removeExpectedDevice(serialNumber: String, author: String, now: Date) async throws -> AdminRefusal?
    /// Keeps the right of a device that asked; answers false when it is expected no more.
    func addExpectedRight(_ code: EnrollmentCode, digest: Data) async throws -> Bool
}
