package import DeviceMessages
package import Foundation

/// Why a device that says to be expected gets no profile; the same for all of them, but for the log.
package enum ExpectationRefusal: Error, Sendable, Equatable {
    case noSerialNumber
    case notExpected
    case alreadyEnrolled
    /// The server does not ask devices' chips.
    case chipsAreNotAsked

    package var logText: String {
        switch self {
        case .noSerialNumber: "a device that is to be enrolled automatically says its serial number"
        case .notExpected: "no device with this serial number is expected"
        case .alreadyEnrolled: "the device that was expected was enrolled already"
        case .chipsAreNotAsked: "the device is expected by its chip, and this server asks no chips"
        }
    }
}

extension Management {
    /// Expects devices, all or none of them: each enrolls once, without a code, into its group.
    package func expect(_ devices: [ExpectedDevice]) async throws -> AdminRefusal? {
        for device in devices {
            if let rule = ExpectedDevice.rule(brokenBy: device.serialNumber) {
                return .invalid(rule: "A serial number \(rule).")
            }
            guard device.chip.map({ $0.count == 32 }) ?? true else {
                return .invalid(rule: ExpectedDevice.chipRule)
            }
            guard device.chip == nil || enrollmentMeans == .attestedACME else {
                return .invalid(rule: Self.chipsAreNotAsked)
            }
        }
        return try await store.putExpectedDevices(devices)
    }

    /// Expects all devices of a table, in one transaction, or none when a line is refused.
    package func importExpectedDevices(
        _ table: Data, _ defaults: ExpectedDeviceDefaults, author: String
    ) async throws -> Outcome<ExpectedDevicesChange, AdminRefusal> {
        let wish: ExpectedDevicesImport
        do {
            wish = try ExpectedDeviceTable.devices(in: table, defaults, author: author, now: moment)
        } catch {
            return .refused(.table(error))
        }
        guard enrollmentMeans == .attestedACME || wish.devices.allSatisfy({ $0.chip == nil }) else {
            return .refused(.invalid(rule: Self.chipsAreNotAsked))
        }
        return try await store.importExpectedDevices(wish)
    }

    private static let chipsAreNotAsked =
        "A device is known by its chip only where martlet-server runs with acme-attested identities."

    package func expectedDevices(_ page: PageRequest) async throws -> Page<ExpectedDevice> {
        try await store.expectedDevices(page)
    }

    package func expectedDevice(serialNumber: String) async throws -> ExpectedDevice? {
        try await store.expectedDevice(serialNumber: serialNumber)
    }

    package func removeExpectedDevice(serialNumber: String, author: String) async throws -> AdminRefusal? {
        try await store.removeExpectedDevice(serialNumber: serialNumber, author: author, now: moment)
    }

    /// The profile for a device that is expected.
    ///
    /// What it says of itself is a claim; where the device is known by its chip, the right in the profile is good for a key
    /// in that chip and nothing else.
    package func expectedProfile(
        for info: MachineInfo
    ) async throws -> Outcome<EnrollmentProfile, ExpectationRefusal> {
        guard let serialNumber = info.serialNumber, ExpectedDevice.isSerialNumber(serialNumber) else {
            return .refused(.noSerialNumber)
        }
        guard let offer = settings.enrollmentOffer,
            let device = try await store.expectedDevice(serialNumber: serialNumber)
        else { return .refused(.notExpected) }
        guard device.used == nil else { return .refused(.alreadyEnrolled) }
        guard device.chip == nil || offer.means == .attestedACME else { return .refused(.chipsAreNotAsked) }
        let text = Base32.text(random(20))
        let code = EnrollmentCode(
            id: Hexadecimal.text(random(16)), group: device.group, ownership: .organization, supervised: true,
            allowLegacyCryptography: false, author: device.author, created: moment,
            expires: moment + ExpectedDevice.rightSeconds, state: .unused,
            holder: .device(serialNumber: serialNumber, chip: device.chip), reachesSecrets: device.reachesSecrets)
        guard try await store.addExpectedRight(code, digest: Self.digest(text)) else {
            return .refused(.notExpected)
        }
        var profile = offer.profile(right: text, Arrival(code), topic: push.setup?.topic)
        profile.isSupervised = code.supervised
        profile.awaitsConfiguration = device.awaitsConfiguration
        return .accepted(profile)
    }
}
