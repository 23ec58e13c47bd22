package import Foundation

/// A device that an administrator expects: it enrols once, without a code.
package struct ExpectedDevice: Sendable, Equatable {
    package let serialNumber: String
    package let group: String
    /// By what the device is known: the SHA-256 of its chip's endorsement key (SubjectPublicKeyInfo); nothing where the
    /// administrator takes whoever says the serial number at their word.
    package let chip: Data?
    package let author: String
    package let created: Date
    /// When a device came and was let in: another one is not.
    package let used: Date?

    package init(
        serialNumber: String, group: String, chip: Data?, author: String, created: Date, used: Date? = nil
    ) {
        self.serialNumber = serialNumber
        self.group = group
        self.chip = chip
        self.author = author
        self.created = created
        self.used = used
    }

    /// A device that asked has its certificate in minutes; it may ask again.
    package static let rightSeconds: TimeInterval = 1_800
    /// Rights that are open at once for one device, the newest: others may ask in its name, and get nothing more by it.
    package static let openRights = 64
}

/// Expected devices, as a store keeps them.
package protocol ExpectedDeviceStore: Sendable {
    /// Expects devices, all or none; one that was expected before is expected anew.
    func putExpectedDevices(_ devices: [ExpectedDevice]) async throws -> AdminRefusal?
    func expectedDevice(serialNumber: String) async throws -> ExpectedDevice?
    /// By serial number.
    func expectedDevices(_ page: PageRequest) async throws -> Page<ExpectedDevice>
    func removeExpectedDevice(serialNumber: String, author: String, now: Date) async throws -> AdminRefusal?
    /// Keeps the right of a device that asked; answers false when it is expected no more.
    func addExpectedRight(_ code: EnrollmentCode, digest: Data) async throws -> Bool
}
