import DeviceMessages
import InputBounds

/// The commands that this server knows by name: those of the MDM protocol, and its own.
///
/// A device may know others, so the server sends those, too, and warns.
package enum KnownCommand {
    private static let names: Set<String> = [
        "AccountConfiguration", "ActivationLockBypassCode", "ActiveNSExtensions", "ApplyRedemptionCode",
        "AvailableOSUpdates", "CertificateList", "ClearActivationLockBypassCode", "ClearPasscode",
        "ClearRestrictionsPassword", "ContentCachingInformation", "DeclarativeManagement", "DeleteUser",
        "DeviceConfigured", "DeviceInformation", "DeviceLocation", "DeviceLock", "DisableLostMode",
        "DisableRemoteDesktop", "EnableLostMode", "EnableRemoteDesktop", "EraseDevice", "InstallApplication",
        "InstallEnterpriseApplication", "InstallMedia", "InstallProfile", "InstallProvisioningProfile",
        "InstalledApplicationList", "InviteToProgram", "LOMDeviceRequest", "LOMSetupRequest", "LogOutUser",
        "ManagedApplicationAttributes", "ManagedApplicationConfiguration", "ManagedApplicationFeedback",
        "ManagedApplicationList", "ManagedMediaList", "NSExtensionMappings", "OSUpdateStatus", "PlayLostModeSound",
        "ProfileList", "ProvisioningProfileList", "RefreshCellularPlans", "RemoveApplication", "RemoveMedia",
        "RemoveProfile", "RemoveProvisioningProfile", "RequestMirroring", "RequestUnlockToken", "RestartDevice",
        "Restrictions", "RotateFileVaultKey", "ScheduleOSUpdate", "ScheduleOSUpdateScan", "SecurityInfo",
        "SetAutoAdminPassword", "SetFirmwarePassword", "SetRecoveryLock", "Settings", "ShutDownDevice",
        "StopMirroring", "UnlockUserAccount", "UserConfigured", "UserList", "ValidateApplications",
        "VerifyFirmwarePassword", "VerifyRecoveryLock", FetchFeedback.requestType,
    ]

    /// A warning about an unknown request type, with the one that was probably meant; none about a known one.
    package static func warnings(of requestType: String) -> [String] {
        guard !names.contains(requestType) else { return [] }
        let meant = NearestWord.to(requestType, among: names).map { " Did you mean “\($0)”?" } ?? ""
        return ["The server knows no command “\(requestType)”; a device refuses one that it does not know.\(meant)"]
    }
}
