import Management
import Testing

/// The names that the server does not warn about.
struct KnownCommandTests {
    /// Each request type of the folder `mdm/commands` in Apple's `device-management`, as of iOS 18.1 and macOS 15.1.
    static let published = [
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
        "VerifyFirmwarePassword", "VerifyRecoveryLock",
    ]

    /// Red where an administrator is warned of a command that Apple publishes, or where a name is misspelt.
    @Test(arguments: published)
    func aCommandOfTheProtocolIsKnown(name: String) {
        #expect(KnownCommand.warnings(of: name) == [])
        #expect(KnownCommand.warnings(of: name + "s").first?.contains("Did you mean “") == true)
    }
}
