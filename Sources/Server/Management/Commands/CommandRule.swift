/// What the server knows of a command before it queues it: who may send it, and to whose devices.
///
/// What a device itself cannot do it refuses with its own reason.
package struct CommandRule: Sendable, Equatable {
    /// What carrying it out does.
    package enum Effect: Sendable, Equatable {
        /// It asks and changes nothing, however often a device carries it out; one that lets a device out of its setup
        /// does nothing to a device that is out.
        case none
        /// The person at the device can undo it: they switch it on again, or unlock it.
        case passing
        /// It reaches what is on the device, or takes away what nobody can give back.
        case lasting
    }

    package let effect: Effect
    /// What it asks of an administrator.
    package let permission: Permission
    /// Whether it concerns the whole device, so that one that belongs to a person is not sent it.
    package let isForOwnedDevices: Bool
    /// The systems on which only supervised devices accept the command; a Mac accepts it supervised or not.
    let supervisedOn: Set<DevicePlatform>
    /// The systems that do not have the command.
    let missingOn: Set<DevicePlatform>
    /// Whether a device acknowledges the command before it carries it out, and may report later that it did not.
    package let isAcknowledgedFirst: Bool

    private init(
        _ effect: Effect, _ permission: Permission? = nil, isForOwnedDevices: Bool = false,
        supervisedOn: Set<DevicePlatform> = [], missingOn: Set<DevicePlatform> = [], isAcknowledgedFirst: Bool = false
    ) {
        self.isAcknowledgedFirst = isAcknowledgedFirst
        self.supervisedOn = supervisedOn
        self.missingOn = missingOn
        self.effect = effect
        self.permission = permission ?? (effect == .lasting ? .manage : .help)
        self.isForOwnedDevices = isForOwnedDevices
    }

    /// The rule for a request type; one that is not in the table may do anything.
    package static func of(_ requestType: String) -> CommandRule { all[requestType] ?? CommandRule(.lasting) }

    /// Whether carrying it out once more may do harm.
    package var acts: Bool { effect != .none }

    private static let all: [String: CommandRule] = [
        "AvailableOSUpdates": CommandRule(.none), "CertificateList": CommandRule(.none),
        "ContentCachingInformation": CommandRule(.none), "DeviceConfigured": CommandRule(.none),
        "DeviceInformation": CommandRule(.none), "InstalledApplicationList": CommandRule(.none),
        "ManagedApplicationAttributes": CommandRule(.none), "ManagedApplicationList": CommandRule(.none),
        "ManagedMediaList": CommandRule(.none), "NSExtensionMappings": CommandRule(.none),
        "OSUpdateStatus": CommandRule(.none), "ProfileList": CommandRule(.none),
        "ProvisioningProfileList": CommandRule(.none), "Restrictions": CommandRule(.none),
        "SecurityInfo": CommandRule(.none), "UserList": CommandRule(.none),
        "ValidateApplications": CommandRule(.none),
        // What it brings is read with the app's feedback, not with the command.
        "dev.martlet.FetchFeedback": CommandRule(.none),
        // Their answers hold what not everybody may see who helps.
        "ActivationLockBypassCode": CommandRule(.none, .manage),
        "ManagedApplicationConfiguration": CommandRule(.none, .manage),

        "DeviceLock": CommandRule(.passing),
        "RestartDevice": CommandRule(
            .passing, isForOwnedDevices: true, supervisedOn: [.iOS], missingOn: [.visionOS],
            isAcknowledgedFirst: true),
        "ShutDownDevice": CommandRule(
            .passing, isForOwnedDevices: true, supervisedOn: [.iOS], missingOn: [.visionOS],
            isAcknowledgedFirst: true),

        "ClearPasscode": CommandRule(.lasting, isForOwnedDevices: true),
        "DeviceLocation": CommandRule(.lasting, isForOwnedDevices: true),
        "EnableLostMode": CommandRule(.lasting, isForOwnedDevices: true),
        "EraseDevice": CommandRule(.lasting, isForOwnedDevices: true),

        "InstallApplication": CommandRule(.lasting), "RemoveApplication": CommandRule(.lasting),
        "Settings": CommandRule(.lasting),
        // With DeleteFeedback it ends what apps count in, and its answer is what not everybody may see who helps.
        "ManagedApplicationFeedback": CommandRule(.lasting),
    ]

    /// Why a command of this type is not sent to this device; nothing where it is.
    func refusal(of requestType: String, to device: Device) -> AdminRefusal? {
        if let refusal = refusal(of: requestType, on: device.ownership) { return refusal }
        guard let platform = device.audience.platform else { return nil }
        guard !missingOn.contains(platform) else {
            return .invalid(rule: "\(platform.name) does not have \(requestType).")
        }
        guard supervisedOn.contains(platform), !device.supervised else { return nil }
        return .invalid(
            rule: """
                On \(platform.name) \(requestType) is for supervised devices, and this one does not count as supervised. \
                Erase it and enroll it as an expected device.
                """)
    }

    /// Why a command of this type is not sent to devices of this ownership; nothing where it is.
    func refusal(of requestType: String, on ownership: Ownership) -> AdminRefusal? {
        guard isForOwnedDevices, ownership == .personal else { return nil }
        return .invalid(
            rule: """
                \(requestType) concerns the whole device, and this one belongs to a person. To take away what the \
                management brought, withdraw its enrollment.
                """)
    }
}
